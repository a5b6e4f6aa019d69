package inorder

import (
	"cotenant/sm/ews"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
)

// inOrder is the slot that issues in place of a slot that a scheduler has picked out of
// candidates: another slot if the picked one would issue a memory instruction, and
// gate.Order lets another warp's go first.
func (p *Pipeline) inOrder(s *residency.Scheduler, slot int, candidates warps.Mask) int {
	ready := candidates & s.Signals.Global
	if slot == ews.None || ready>>slot&1 == 0 {
		return slot
	}
	first := p.order.First(s.Number, ready)
	if first>>slot&1 != 0 {
		return slot
	}
	if other := s.Policy.Pick(first, s.Signals.Long); other != ews.None {
		return other
	}
	return slot
}

// goesFirst reports whether the warp may issue its next instruction as the second of
// its scheduler's cycle. It may not if the instruction is of memory, and gate.Order lets
// another warp of the scheduler go first.
func (p *Pipeline) goesFirst(s *residency.Scheduler, w *residency.Warp) bool {
	ready := p.ready(s) & s.Signals.Global
	return ready&w.Bit == 0 || p.order.First(s.Number, ready)&w.Bit != 0
}
