package wiring

import (
	"cotenant/components/stats"
	"cotenant/interconnect"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/preeng"
	"cotenant/sm"
)

// Counters sums the counters of the GPU's blocks at a moment, by type of block.
type Counters struct {
	SMs    []*sm.Stats // each
	SM     sm.Stats
	PreEng preeng.Stats
	L2     l2.Stats
	DRAM   dram.Stats
	NoC    struct{ Request, Reply interconnect.OutputStats }

	NoCCycles  uint64 // cycles of the crossbars' clock
	DRAMCycles uint64 // cycles of the DRAM command clock
}

// Work sums what SMs, L2 slices and DRAM channels have counted of a tenant, or of a kernel
// launch. Write-backs of dirty lines count for the tenant, not for a launch.
type Work struct {
	SM   sm.TenantStats
	L2   l2.TenantStats
	DRAM dram.TenantStats
	// Meanwhile is zero but for a launch.
	Meanwhile Meanwhile
}

// Meanwhile counts what the whole GPU did from the start of a launch to its end, for
// whichever launch or tenant.
type Meanwhile struct {
	WrittenBytes uint64 // that DRAM channels wrote
	IdleCycles   uint64 // scheduler-cycles without a warp
}

// Tenant is a tenant's part.
func (c *Counters) Tenant(number int) Work {
	return Work{SM: c.SM.Tenant(number), L2: c.L2.Tenant(number), DRAM: c.DRAM.Tenant(number)}
}

// Total is the sum over tenants, with the SMs' idle cycles.
func (c *Counters) Total() Work {
	return Work{SM: c.SM.Total(), L2: c.L2.Total(), DRAM: c.DRAM.Total()}
}

// Counters collects the counters after a number of core cycles.
func (p *Platform) Counters(cycles uint64) *Counters {
	c := &Counters{}
	c.NoCCycles = uint64(p.core.At(cycles) / p.noc.Period())
	c.DRAMCycles = p.DRAMCycles(cycles)
	for _, m := range p.SMs {
		s := m.Stats(cycles)
		c.SMs = append(c.SMs, s)
		stats.Add(&c.SM, s)
	}
	for _, e := range p.PreEngs {
		stats.Add(&c.PreEng, e.Stats())
	}
	for _, slice := range p.Slices {
		stats.Add(&c.L2, slice.Stats())
	}
	for _, channel := range p.Channels {
		s := channel.Stats()
		stats.Add(&c.DRAM, &s)
	}
	c.NoC.Request, c.NoC.Reply = stats.Sum(p.RequestNoC.Stats().Outputs), stats.Sum(p.ReplyNoC.Stats().Outputs)
	return c
}

// DRAMCycles converts core cycles to cycles of the DRAM command clock.
func (p *Platform) DRAMCycles(cycles uint64) uint64 {
	return uint64(p.core.At(cycles) / p.memoryClock.Period())
}

// Stats are all counters of the modules of every GPU, and of the blocks at the
// joints of this one, after a number of core cycles: summed over the modules of
// a key, for the first n tenants.
func (p *Platform) Stats(cycles uint64, n int) (modules, blocks map[string]stats.Group) {
	fixed := p.modules[:len(p.modules)-len(p.blocks)] // blocks come last
	return collect(fixed, cycles, n), collect(p.blocks, cycles, n)
}

func collect(modules []module, cycles uint64, n int) map[string]stats.Group {
	if len(modules) == 0 {
		return nil
	}
	lists := map[string][]any{}
	for _, m := range modules {
		lists[m.key] = append(lists[m.key], m.stats(cycles))
	}
	groups := map[string]stats.Group{}
	for key, list := range lists {
		groups[key] = stats.Collect(list, n)
	}
	return groups
}
