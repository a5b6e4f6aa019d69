package build

import (
	"fmt"

	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/mem/pages"

	"github.com/sarchlab/akita/v3/sim"
)

// validateMMU reports what is wrong with address translation, if there is any.
func (c *Config) validateMMU() error {
	if err := c.MMU.Validate(); err != nil {
		return fmt.Errorf("mmu.%w", err)
	}
	if !c.MMU.On() {
		return nil
	}
	err := c.Pager.Validate()
	if err == nil {
		err = c.Pager.Check(uint64(c.Clocks.Core) * 1_000_000)
	}
	if err != nil {
		return fmt.Errorf("pager.%w", err)
	}
	return nil
}

// makeMMU makes page table, L2 TLB, fill unit and pager for a number of SMs, and
// joins them, if the GPU translates addresses.
func (w *wiring) makeMMU(sms int, listeners Listeners) {
	spec := &w.Config.MMU
	if !spec.On() || w.err != nil {
		return
	}
	table, err := pages.NewTable(spec.PageBytes, spec.Fill.RegionBytes)
	w.check(err)
	tlb, err := l2tlb.Builder{}.WithSpec(spec.L2TLB).WithDomain(w.core).WithPageBytes(spec.PageBytes).WithSMs(sms).Build("GPU.L2TLB")
	w.add(module{tlb, "L2TLB", "l2_tlb", spec.L2TLB, func(uint64) any { return tlb.Stats() }}, err)
	unit, err := fill.Builder{}.WithSpec(spec.Fill).WithDomain(w.core).WithTable(table).WithSMs(sms).WithListener(listeners.Faults).Build("GPU.FillUnit")
	w.add(module{unit, "FillUnit", "fill", spec.Fill, func(uint64) any { return unit.Stats() }}, err)
	cpu, err := pager.Builder{}.WithSpec(w.Config.Pager).WithDomain(w.core).WithListener(listeners.Pager).Build("Pager")
	w.add(module{cpu, "Pager", "pager", w.Config.Pager, func(uint64) any { return cpu.Stats() }}, err)
	if w.err != nil {
		return
	}
	w.Pages, w.L2TLB, w.FillUnit, w.Pager = table, tlb, unit, cpu
	w.join(tlb.Fill, unit.TLB)
	w.join(unit.Pager, cpu.Fill)
}

// joinMMU joins an SM's ports to the L2 TLB and to the fill unit, if there are any.
func (w *wiring) joinMMU(number int, tlb, faults sim.Port) {
	if w.L2TLB == nil {
		return
	}
	w.join(tlb, w.L2TLB.SMs[number])
	w.join(faults, w.FillUnit.SMs[number])
}

// serving reports whether page faults are being served, for which warps may wait
// for long.
func (p *Platform) serving() bool { return p.Pager != nil && p.Pager.Busy() }
