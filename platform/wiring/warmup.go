package wiring

import (
	"cotenant/components/stats"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/host"
	"cotenant/sm"
)

// warmup holds the counters at the end of the warm-up. Subtracting them afterwards leaves
// the simulation as it is: nothing is reset that a block or a policy reads.
type warmup struct {
	cycle     uint64 // core cycle at which counting starts; 0 from the beginning
	passed    bool
	counters  *Counters
	modules   map[string]stats.Group
	blocks    map[string]stats.Group
	tenants   []dispatcher.TenantStats
	processes []host.ProcessStats
}

// CountFrom has Counted, CountedStats, Tenant and Process leave out the first cycles core
// cycles. It must be called before Run; n is the number of tenants.
func (p *Platform) CountFrom(cycles uint64, n int) {
	p.warmup.cycle = cycles
	p.Every(cycles, func(cycle uint64) {
		w := &p.warmup
		if w.passed {
			return
		}
		w.passed = true
		w.counters = p.Counters(cycle)
		if p.lines != nil {
			p.lines.Reset()
		}
		if p.latencies != nil {
			p.latencies.Reset()
		}
		for i, s := range w.counters.SMs {
			now := stats.Sum([]sm.Stats{*s})
			w.counters.SMs[i] = &now
		}
		w.modules, w.blocks = p.Stats(cycle, n)
		for i := range p.Driver.Stats().Tenants[:n] {
			w.tenants = append(w.tenants, stats.Sum(p.Driver.Stats().Tenants[i:i+1]))
		}
		for _, s := range p.Host.Stats(cycle).Processes {
			w.processes = append(w.processes, stats.Sum([]host.ProcessStats{s}))
		}
	})
}

// Warm reports whether the run got beyond the warm-up.
func (p *Platform) Warm() bool { return p.warmup.cycle == 0 || p.warmup.passed }

// Counted is Counters without the warm-up.
func (p *Platform) Counted(cycles uint64) *Counters {
	c := p.Counters(cycles)
	if base := p.warmup.counters; base != nil {
		for i, s := range c.SMs {
			now := stats.Sum([]sm.Stats{*s})
			stats.Subtract(&now, base.SMs[i])
			c.SMs[i] = &now
		}
		stats.Subtract(c, base)
	}
	return c
}

// CountedStats is Stats without the warm-up.
func (p *Platform) CountedStats(cycles uint64, n int) (modules, blocks map[string]stats.Group) {
	modules, blocks = p.Stats(cycles, n)
	for _, of := range []struct{ now, base map[string]stats.Group }{{modules, p.warmup.modules}, {blocks, p.warmup.blocks}} {
		for key, base := range of.base {
			of.now[key] = of.now[key].Since(base)
		}
	}
	return modules, blocks
}

// Tenant is the SM driver's work for a tenant, without the warm-up. Launches are all.
func (p *Platform) Tenant(number int) *dispatcher.TenantStats {
	all := &p.Driver.Stats().Tenants[number]
	if !p.warmup.passed {
		return all
	}
	counted := stats.Sum([]dispatcher.TenantStats{*all})
	stats.Subtract(&counted, &p.warmup.tenants[number])
	counted.Launches = all.Launches
	return &counted
}

// Process is what a process has done by a cycle, without the warm-up: a run of its
// application counts if it ends later. Arrived and FirstCompletion are of the whole run.
func (p *Platform) Process(number int, cycle uint64) *host.ProcessStats {
	all := &p.Host.Stats(cycle).Processes[number]
	if !p.warmup.passed {
		return all
	}
	counted, before := stats.Sum([]host.ProcessStats{*all}), p.warmup.processes[number]
	stats.Subtract(&counted, &before)
	counted.Arrived, counted.FirstCompletion = all.Arrived, all.FirstCompletion
	counted.Turnarounds = all.Turnarounds[min(uint64(len(all.Turnarounds)), before.Completions):]
	return &counted
}
