package build

import (
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/preeng"
	"cotenant/sm"
)

// Counters are the counters of all blocks at the end of a run, by tenant and in
// total.
type Counters struct {
	SMs        []*sm.Stats
	Kernels    [mem.MaxTenants]sm.KernelStats // sums over SMs
	Core       sm.KernelStats                 // sum over SMs and tenants, idle cycles included
	PreEng     [mem.MaxTenants]preeng.KernelStats
	L2         [mem.MaxTenants]l2.KernelStats
	L2Total    l2.KernelStats
	DRAM       [mem.MaxTenants]dram.KernelStats
	DRAMTotal  dram.KernelStats
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
		for k := range s.Kernels {
			c.Kernels[k].Add(&s.Kernels[k])
		}
		total := s.Total()
		c.Core.Add(&total)
	}
	for _, e := range p.PreEngs {
		s := e.Stats()
		for k := range s.Kernels {
			c.PreEng[k].Add(&s.Kernels[k])
		}
	}
	for _, slice := range p.Slices {
		s := slice.Stats()
		for k := range s.Kernels {
			c.L2[k].Add(&s.Kernels[k])
			c.L2Total.Add(&s.Kernels[k])
		}
	}
	for _, channel := range p.Channels {
		s := channel.Stats()
		c.Refreshes += s.Refreshes
		for k := range s.Kernels {
			c.DRAM[k].Add(&s.Kernels[k])
			c.DRAMTotal.Add(&s.Kernels[k])
		}
	}
	return c
}
