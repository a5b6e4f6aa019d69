package wiring

import (
	"fmt"
	"slices"

	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/mem/pages"
	"cotenant/sm"

	"github.com/sarchlab/akita/v3/sim"
)

// validateMMU reports what is wrong with address translation, if there is any.
func (c *Config) validateMMU() error {
	if err := c.MMU.Validate(); err != nil {
		return fmt.Errorf("mmu.%w", err)
	}
	for _, m := range c.Kinds() {
		if err := c.validateFaults(&m.Spec); err != nil {
			return err
		}
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

// validateFaults reports what of an SM does not go with the MMU, or with what is to be
// done about page faults.
func (c *Config) validateFaults(s *sm.Spec) error {
	switch faults, extra := &s.Faults, c.Driver.BlockSwitching.Extra; {
	case s.TLB.Entries > 0 && !c.MMU.On():
		return fmt.Errorf("sm.tlb.entries is %d, must be 0 without an MMU (mmu.l2_tlb.entries)", s.TLB.Entries)
	case s.TLB.Entries == 0 && c.MMU.On():
		return fmt.Errorf("mmu.l2_tlb.entries is %d, must be 0 where SMs have no TLB (sm.tlb.entries)", c.MMU.L2TLB.Entries)
	case c.MMU.On() && c.MMU.Fill.Local != (faults.HandlerCycles > 0):
		return fmt.Errorf("mmu.fill.local is %v and sm.faults.handler_cycles is %d: handlers on SMs take both", c.MMU.Fill.Local, faults.HandlerCycles)
	case extra > 0 && !faults.Preemptible():
		return fmt.Errorf("driver.block_switching.extra is %d, must be 0 under sm.faults.scheme %q, whose faults hold thread blocks", extra, faults.Scheme)
	case faults.LogBytes > 0 && len(c.Kinds()) > 1:
		return fmt.Errorf("sm.faults.log_bytes is %d, must be 0 on a GPU with SMs of several kinds: a context's part of the log may fit one only", faults.LogBytes)
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
	w.add(module{cpu, "Pager", "pager", w.Config.Pager, func(cycle uint64) any { return cpu.Stats(cycle) }}, err)
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
// for long: by the CPU, or by a handler on an SM.
func (p *Platform) serving() bool {
	return p.Pager != nil && (p.Pager.Busy() || slices.ContainsFunc(p.SMs, (*sm.SM).Handling))
}
