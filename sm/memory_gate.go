package sm

import (
	"cotenant/sm/ews"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// isGlobal reports whether an instruction is a load, store or atomic of global
// memory.
func isGlobal(inst *workload.Inst) bool {
	return inst.Class.IsMemory() && inst.Space == workload.Global
}

// findGlobals finds which warps' next instructions are of global memory, for gates
// that have become active.
func (s *SM) findGlobals() {
	for i := range s.warps {
		if w := &s.warps[i]; w.inUse && !w.ended {
			warps.Assign(&s.signals[w.scheduler].Global, w.bit, isGlobal(&w.inst))
		}
	}
}

// inOrder is the slot that issues instead of one that a scheduler has picked out of
// candidates: another if that would issue a memory instruction, and gate.Order lets
// others' go first.
func (s *SM) inOrder(p *scheduler, slot int, candidates warps.Mask) int {
	ready := candidates & p.signals.Global
	if slot == ews.None || ready>>slot&1 == 0 {
		return slot
	}
	first := s.order.First(p.number, ready)
	if first>>slot&1 != 0 {
		return slot
	}
	if other := p.policy.Pick(first, p.signals.Long); other != ews.None {
		return other
	}
	return slot
}

// goesFirst reports whether the warp may issue its next instruction as the second of
// its scheduler's cycle: not if it is a memory instruction, and that of another warp
// that the scheduler considers goes first.
func (s *SM) goesFirst(p *scheduler, w *warp) bool {
	ready := s.ready(p) & p.signals.Global
	return ready&w.bit == 0 || s.order.First(p.number, ready)&w.bit != 0
}
