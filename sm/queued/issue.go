package queued

import (
	"math/bits"

	"cotenant/sm/async"
	"cotenant/sm/ews"
	"cotenant/sm/gate"
	"cotenant/sm/issuequeue"
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Issue lets instructions of the issue queue issue, and charges the cycle. On a halted SM
// drains go on, and the cycle has been charged.
func (p *Pipeline) Issue(cycle uint64) (moved bool) {
	s := &p.Schedulers[0]
	if p.Halted {
		moved = p.drain(s, cycle)
	} else {
		moved = p.issue(s, cycle)
	}
	p.parts.Barriers.Open()
	return moved
}

// issue is Issue of an SM that is not halted.
func (p *Pipeline) issue(s *residency.Scheduler, cycle uint64) bool {
	for issued := range p.spec.Queue.Width {
		can, candidates := p.issuable(s, p.mayIssue(s.Signals), cycle)
		if candidates == 0 && issued > 0 {
			return true
		}
		if candidates == 0 {
			cause, mask := p.Stall(0)
			p.Blame(s, cause, mask)
			return p.waitsForPipe(s, p.mayIssue(s.Signals))
		}
		id, ok := p.pick(s, &can, candidates)
		if issued == 0 && ok {
			w := &p.Warps[p.queue.Slot(id)]
			p.Charge(tally.Issued, w.Account, 1)
			if p.Lines != nil {
				p.Lines.Charge(w.Lines.Line(w.Stream, p.queue.Inst(id), w.Line), tally.Issued, 1)
			}
		} else if issued == 0 {
			p.Blame(s, tally.Bubble, candidates)
		}
		if !ok {
			return true
		}
		p.issueEntry(s, id, cycle)
	}
	return true
}

// drain issues the instructions that leaving thread blocks wait for, though the SM is
// halted. Gates do not hold a drain up there: no warp issues what would open them.
func (p *Pipeline) drain(s *residency.Scheduler, cycle uint64) bool {
	for issued := range p.spec.Queue.Width {
		can, candidates := p.issuable(s, s.Signals.Live&p.draining(s.Signals), cycle)
		if candidates == 0 && issued > 0 {
			return true
		}
		if candidates == 0 {
			p.show(s)
			return p.waitsForPipe(s, s.Signals.Live&p.draining(s.Signals))
		}
		id, ok := p.pick(s, &can, candidates)
		if !ok {
			return true
		}
		p.issueEntry(s, id, cycle)
	}
	return true
}

// pick is the instruction of the candidates that the scheduler picks; false for none.
func (p *Pipeline) pick(s *residency.Scheduler, can *[warps.NumUnits]warps.Mask, candidates warps.Mask) (issuequeue.ID, bool) {
	_, s.Signals.Long = p.queue.Hazards()
	slot := s.Policy.Pick(candidates, s.Signals.Long)
	if slot == ews.None {
		return 0, false
	}
	units := uint16(0)
	for u, m := range can {
		units |= uint16(m>>slot&1) << u
	}
	id, _ := p.queue.Pick(slot, units)
	return id, true
}

// issuable are, among some slots, the slots with an instruction that can issue now, by
// its unit and in all.
func (p *Pipeline) issuable(s *residency.Scheduler, may warps.Mask, cycle uint64) (can [warps.NumUnits]warps.Mask, all warps.Mask) {
	for free := p.parts.Pipes.Free(0, cycle); free != 0; free &= free - 1 {
		u := bits.TrailingZeros16(free)
		can[u] = p.queue.Ready(warps.Unit(u)) & may
	}
	if can[warps.LSU] != 0 {
		s.Signals.Needs[warps.LSU] = can[warps.LSU]
		can[warps.LSU] &^= p.LSUFull(s, p.parts.LSU)
		if gated := can[warps.LSU] & s.Signals.GatedMemory; gated != 0 && !p.Halted {
			can[warps.LSU] &^= p.globals(gated)
		}
		if p.storage != nil {
			can[warps.LSU] &^= p.storageFull(can[warps.LSU])
		}
	}
	can[warps.Control] &^= p.fenced(can[warps.Control])
	can[warps.Control] &^= p.copying(can[warps.Control])
	for _, m := range can {
		all |= m
	}
	return can, all
}

// draining are the held slots that issue what the drain waits for: the instructions
// ahead of a fault, or all instructions where they commit in order.
func (p *Pipeline) draining(g *warps.Signals) warps.Mask {
	if p.retires {
		return g.Held
	}
	return g.Held & p.faulted
}

// mayIssue are the slots with warps that may issue.
func (p *Pipeline) mayIssue(g *warps.Signals) warps.Mask {
	return g.Live &^ (g.Held&^p.draining(g) | g.Gated)
}

// fenced are the slots of a set with a fence as their next control instruction that wait
// for acknowledgements.
func (p *Pipeline) fenced(mask warps.Mask) (fenced warps.Mask) {
	for mask &= p.posting; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		if id, _ := p.queue.Pick(slot, 1<<warps.Control); p.queue.Kind(id) == issuequeue.Fence {
			fenced |= 1 << slot
		}
	}
	return fenced
}

// copying are the slots of a set with a control instruction next that waits for groups of
// copies.
func (p *Pipeline) copying(mask warps.Mask) (copying warps.Mask) {
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		id, _ := p.queue.Pick(slot, 1<<warps.Control)
		if inst := p.queue.Inst(id); async.Handles(inst.Class) && inst.Warps != workload.ClusterWaits && !p.parts.Copies.Ready(slot, inst) {
			copying |= 1 << slot
		}
	}
	return copying
}

// globals are the slots of a set with a memory instruction of global memory next.
func (p *Pipeline) globals(mask warps.Mask) (globals warps.Mask) {
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		if id, _ := p.queue.Pick(slot, 1<<warps.LSU); gate.IsGlobal(p.queue.Inst(id)) {
			globals |= 1 << slot
		}
	}
	return globals
}

// storageFull are the slots of a set that find no room in the storage for their next
// memory instruction.
func (p *Pipeline) storageFull(mask warps.Mask) (full warps.Mask) {
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		id, _ := p.queue.Pick(slot, 1<<warps.LSU)
		if p.queue.Kind(id) == issuequeue.Memory && !p.queue.Replayed(id) &&
			!p.storage.Room(p.Warps[slot].TB.Storage-1, p.queue.Inst(id).Class) {
			full |= 1 << slot
		}
	}
	return full
}

// issueEntry issues an instruction of the queue.
func (p *Pipeline) issueEntry(s *residency.Scheduler, id issuequeue.ID, cycle uint64) {
	q := p.queue
	slot, inst := q.Slot(id), q.Inst(id)
	w := &p.Warps[slot]
	k, replayed := p.Stats.Accounts.Of(w.Account), q.Replayed(id)
	if replayed {
		k.Replays++
	} else {
		if q.Kind(id) != issuequeue.Arithmetic {
			w.Stream.Execute(inst)
			q.Resolve(id, kindOf(inst)) // of a generic address the space is known now
		}
		k.WarpInstructions++
		lanes := uint64(bits.OnesCount32(inst.Active))
		k.ThreadInstructions += lanes
		if p.Lines != nil {
			p.parts.LSU.Line = p.IssueLine(w, inst, lanes)
		}
	}
	q.Issue(id, cycle)
	p.begin(w, id, cycle)
	s.Policy.Issued(slot, s.Signals.Long)
	if p.parts.Gates.Active() && !replayed {
		p.issued[0] = *inst
		p.parts.Gates.Issued(0, slot, p.issued[:])
	}
	p.endIfOver(w)
}

// begin gives an instruction that issues to its unit.
func (p *Pipeline) begin(w *residency.Warp, id issuequeue.ID, cycle uint64) {
	q := p.queue
	inst, unit := q.Inst(id), q.Unit(id)
	switch {
	case q.Replayed(id):
		p.parts.Pipes.Hold(0, warps.LSU, cycle)
		p.parts.LSU.Again(p.ops[id])
	case unit == warps.LSU && inst.Active != 0:
		p.parts.Pipes.Hold(0, warps.LSU, cycle)
		if p.storage != nil && q.Kind(id) == issuequeue.Memory {
			p.storage.Alloc(w.TB.Storage-1, inst.Class)
		}
		if inst.Warps > 0 { // a bulk copy is the accesses of its lanes alone
			if inst.Bulk() {
				inst.Width = workload.BulkLine
			}
			inst.Warps = 0
		}
		if inst.Class == workload.Copy {
			inst.Barrier = p.parts.Copies.Join(int(w.Slot), workload.CopyGroups)
		}
		p.name(p.parts.LSU.Issue(int(w.Slot), w.Account, inst), id)
	case unit == warps.Control:
		p.parts.Pipes.Hold(0, warps.Control, cycle)
		if inst.Class == workload.Barrier {
			p.parts.Barriers.Arrive(&w.TB.Barriers, int(w.Slot), inst)
		} else if async.Handles(inst.Class) {
			p.parts.Copies.Execute(int(w.Slot), inst)
		}
		p.commitAt(cycle, uint64(p.spec.BranchLatency), id, inst)
	default:
		if cores := p.parts.Pipes.Cores(); unit == warps.Tensor && cores != nil {
			p.Stats.Accounts.Of(w.Account).Tensor.Add(cores, inst)
		}
		p.commitAt(cycle, p.parts.Pipes.Take(0, unit, inst, cycle), id, inst)
	}
}
