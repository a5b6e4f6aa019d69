package sm

import (
	"math/bits"

	"cotenant/sm/ews"
	"cotenant/sm/issuequeue"
	"cotenant/sm/operandlog"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// issueQueued lets instructions of the issue queue issue, and charges the cycle.
func (s *SM) issueQueued(cycle uint64) (moved bool) {
	p := &s.schedulers[0]
	if s.idle.next == cycle {
		s.show(p)
		s.sampleIdle(cycle + 1)
	}
	if s.halted {
		s.chargeHalted()
	}
	issued := 0
	for issued < s.spec.Queue.Width {
		can := s.issuable(p, cycle)
		candidates := warps.Mask(0)
		for _, m := range can {
			candidates |= m
		}
		if candidates == 0 {
			break
		}
		_, p.signals.Long = s.window.queue.Hazards()
		slot := p.policy.Pick(candidates, p.signals.Long)
		if slot == ews.None {
			if issued == 0 && !s.halted {
				s.charge(Bubble, s.payer(p, Bubble, candidates), 1)
			}
			moved = true
			break
		}
		units := uint8(0)
		for u, m := range can {
			units |= uint8(m>>slot&1) << u
		}
		id, _ := s.window.queue.Pick(slot, units)
		if issued == 0 && !s.halted {
			s.charge(Issued, s.warps[slot].account, 1)
		}
		s.issueEntry(p, id, cycle)
		issued++
	}
	if issued == 0 && !moved {
		moved = s.stalledQueued(p)
	}
	s.barriers.Open()
	return moved || issued > 0
}

// issuable are the slots with an instruction that can issue now, by its unit.
func (s *SM) issuable(p *scheduler, cycle uint64) (can [warps.NumUnits]warps.Mask) {
	q := s.window.queue
	may := s.mayIssue(p.signals)
	for u := range can {
		if p.freeAt[u] <= cycle {
			can[u] = q.Ready(warps.Unit(u)) & may
		}
	}
	if can[warps.LSU] != 0 {
		p.signals.Needs[warps.LSU] = can[warps.LSU]
		can[warps.LSU] &^= s.lsuFull(p)
		if gated := can[warps.LSU] & p.signals.GatedMemory; gated != 0 && !s.halted {
			can[warps.LSU] &^= s.window.globals(gated)
		}
		if s.window.log != nil {
			can[warps.LSU] &^= s.logFull(can[warps.LSU])
		}
	}
	can[warps.Control] &^= s.window.fenced(can[warps.Control])
	return can
}

// mayIssue returns the slots whose warps may issue. A leaving warp issues what its
// drain waits for: the instructions ahead of a fault, or all of them where they commit
// in order. A halted SM issues nothing else. Gates do not hold a drain up there, since
// nobody issues what would open them.
func (s *SM) mayIssue(g *warps.Signals) warps.Mask {
	drains := g.Held
	if !s.window.retires {
		drains &= s.window.faulted
	}
	if s.halted {
		return g.Live & drains
	}
	return g.Live &^ (g.Held&^drains | g.Gated)
}

// fenced are those of a set of slots whose next control instruction is a fence that
// waits for acknowledgements.
func (w *window) fenced(mask warps.Mask) (fenced warps.Mask) {
	for mask &= w.posting; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		if id, _ := w.queue.Pick(slot, 1<<warps.Control); w.queue.Kind(id) == issuequeue.Fence {
			fenced |= 1 << slot
		}
	}
	return fenced
}

// globals are those of a set of slots whose next memory instruction is of global
// memory.
func (w *window) globals(mask warps.Mask) (globals warps.Mask) {
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		if id, _ := w.queue.Pick(slot, 1<<warps.LSU); isGlobal(w.queue.Inst(id)) {
			globals |= 1 << slot
		}
	}
	return globals
}

// logFull are those of a set of slots whose next memory instruction finds no room in
// the operand log.
func (s *SM) logFull(mask warps.Mask) (full warps.Mask) {
	q := s.window.queue
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		id, _ := q.Pick(slot, 1<<warps.LSU)
		if q.Kind(id) == issuequeue.Memory && !q.Replayed(id) &&
			!s.window.log.Room(s.warps[slot].tb.slot, operandlog.Entries(q.Inst(id).Class)) {
			full |= 1 << slot
		}
	}
	return full
}

// issueEntry issues an instruction of the queue.
func (s *SM) issueEntry(p *scheduler, id issuequeue.ID, cycle uint64) {
	q := s.window.queue
	slot, inst, unit := q.Slot(id), q.Inst(id), q.Unit(id)
	w := &s.warps[slot]
	replayed := q.Replayed(id)
	if q.Kind(id) != issuequeue.Arithmetic && !replayed {
		w.stream.Execute(inst)
		q.Resolve(id, kindOf(inst)) // of a generic address the space is known now
	}
	k := &s.stats.Accounts[w.account]
	if replayed {
		k.Replays++
	} else {
		k.WarpInstructions++
		k.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
	}
	q.Issue(id, cycle)
	switch {
	case replayed:
		p.take(warps.LSU, cycle+1)
		s.lsu.Again(s.window.ops[id])
	case unit == warps.LSU && inst.Active != 0:
		p.take(warps.LSU, cycle+1)
		if s.window.log != nil && q.Kind(id) == issuequeue.Memory {
			s.window.log.Alloc(w.tb.slot, operandlog.Entries(inst.Class))
		}
		s.window.name(s.lsu.Issue(slot, w.account, inst), id)
	case unit == warps.Control:
		p.take(warps.Control, cycle+1)
		if inst.Class == workload.Barrier {
			s.barriers.Arrive(&w.tb.barriers, slot, inst)
		}
		s.commitAt(cycle, uint64(s.spec.FrontEnd.BranchLatency), id, inst)
	default:
		t := &s.pipes.timing[inst.Kind()]
		s.pipes.take(s.schedulers, 0, unit, cycle+t.interval)
		s.commitAt(cycle, t.latency, id, inst)
	}
	p.policy.Issued(slot, p.signals.Long)
	if len(s.active) > 0 && !replayed {
		s.issued[0] = *inst
		for _, g := range s.active {
			g.Issued(0, slot, s.issued[:1])
		}
		s.told = true
		if s.memory != nil && s.memory.Closed() {
			s.refreshGates()
		}
	}
	s.endIfOver(w)
}
