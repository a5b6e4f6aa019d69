package build

import (
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/preeng"
	"cotenant/sm"
	"cotenant/tenant"
)

// Counters are the counters of all blocks at the end of a run, by tenant and in
// total.
type Counters struct {
	SMs        []*sm.Stats
	Tenants    [tenant.Max]sm.TenantStats // sums over SMs
	Core       sm.TenantStats             // sum over SMs and tenants, idle cycles included
	PreEng     [tenant.Max]preeng.TenantStats
	L2         [tenant.Max]l2.TenantStats
	L2Total    l2.TenantStats
	DRAM       [tenant.Max]dram.TenantStats
	DRAMTotal  dram.TenantStats
	Refreshes  uint64
	NoCCycles  uint64 // cycles of the crossbars' clock
	DRAMCycles uint64 // cycles of the DRAM command clock
}

// Counters collects the counters after a number of core cycles.
func (p *Platform) Counters(cycles uint64) *Counters {
	c := &Counters{}
	end := p.core.At(cycles)
	c.NoCCycles = uint64(end / p.noc.Period())
	c.DRAMCycles = uint64(end / p.memoryClock.Period())
	for _, m := range p.SMs {
		s := m.Stats(cycles)
		c.SMs = append(c.SMs, s)
		for k := range s.Tenants {
			c.Tenants[k].Add(&s.Tenants[k])
		}
		total := s.Total()
		c.Core.Add(&total)
	}
	for _, e := range p.PreEngs {
		s := e.Stats()
		for k := range s.Tenants {
			c.PreEng[k].Add(&s.Tenants[k])
		}
	}
	for _, slice := range p.Slices {
		s := slice.Stats()
		for k := range s.Tenants {
			c.L2[k].Add(&s.Tenants[k])
			c.L2Total.Add(&s.Tenants[k])
		}
	}
	for _, channel := range p.Channels {
		s := channel.Stats()
		c.Refreshes += s.Refreshes
		for k := range s.Tenants {
			c.DRAM[k].Add(&s.Tenants[k])
			c.DRAMTotal.Add(&s.Tenants[k])
		}
	}
	return c
}
