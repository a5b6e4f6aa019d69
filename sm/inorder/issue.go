package inorder

import (
	"math/bits"

	"cotenant/sm/async"
	"cotenant/sm/ews"
	"cotenant/sm/gate"
	"cotenant/sm/pipes"
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
	"cotenant/sm/wheel"
	"cotenant/workload"
)

// Issue lets every scheduler issue, and charges the cycle of each. The first scheduler
// changes with the cycle, but at shared resources schedulers take turns. On a halted SM
// none issues, and the cycle has been charged.
func (p *Pipeline) Issue(cycle uint64) (moved bool) {
	if p.stills.lsu != 0 || cycle >= p.stills.next {
		p.stir(cycle)
	}
	if p.Halted {
		return false
	}
	if p.stalls != nil {
		p.countWarps(cycle)
	}
	p.openTurns()
	n := len(p.Schedulers)
	turn := int(cycle % uint64(n))
	for count := n; count > 0; turn, count = p.turns.rest(turn) {
		for range count {
			s := &p.Schedulers[turn]
			if turn++; turn == n {
				turn = 0
			}
			if s.Signals.Still != 0 {
				p.turns.acted(s.Number)
				s.OweAgain()
			} else if ready := s.Signals.Ready(); ready != 0 {
				moved = p.schedule(s, ready, cycle) || moved
			} else {
				moved = p.noneReady(s) || moved
			}
		}
	}
	if p.turns.seconds != 0 {
		p.issueSeconds(cycle)
	}
	p.barriers.Open()
	return moved
}

// noneReady charges the cycle of a scheduler without a ready warp.
func (p *Pipeline) noneReady(s *residency.Scheduler) (moved bool) {
	p.turns.acted(s.Number)
	cause, mask := unready(s.Signals)
	p.Blame(s, cause, mask)
	if p.grouped {
		return p.look(s)
	}
	s.Signals.Still = ^warps.Mask(0)
	return false
}

// schedule lets a scheduler with ready warps issue, unless it waits for its turn.
func (p *Pipeline) schedule(s *residency.Scheduler, ready warps.Mask, cycle uint64) (moved bool) {
	candidates := ready
	if ready&s.Signals.Needs[warps.LSU] != 0 {
		candidates &^= p.lsuFull(s)
	}
	if candidates != 0 {
		candidates &^= p.pipes.Busy(s.Number, &s.Signals.Needs, cycle)
	}
	if p.limits {
		candidates = p.limited(s, candidates, cycle)
	}
	if candidates == 0 {
		return p.stalled(s, ready, cycle)
	}
	slot := p.pick(s, candidates)
	if p.turns.asked != 0 {
		if slot = p.inTurn(s, slot, candidates); slot == later {
			return moved
		}
	}
	if slot == ews.None {
		p.Blame(s, tally.Bubble, candidates)
	} else {
		p.issueFrom(s, slot, cycle)
	}
	return true
}

// limited are the candidates that a scheduler considers: those of its group, and none in the cycle
// of a step of an earlier product.
func (p *Pipeline) limited(s *residency.Scheduler, candidates warps.Mask, cycle uint64) warps.Mask {
	if p.pipes.Stepping(s.Number, cycle) {
		return 0
	}
	if p.grouped {
		candidates = p.groups[s.Number].Visible(candidates)
	}
	return candidates
}

// pick is the slot of the candidates that a scheduler issues from.
func (p *Pipeline) pick(s *residency.Scheduler, candidates warps.Mask) int {
	slot := s.Policy.Pick(candidates, s.Signals.Long)
	if p.order != nil {
		slot = p.inOrder(s, slot, candidates)
	}
	return slot
}

// stalled charges a scheduler's cycle in which no ready warp can issue. It reports
// whether the scheduler must look again at the next edge.
func (p *Pipeline) stalled(s *residency.Scheduler, ready warps.Mask, cycle uint64) (again bool) {
	p.turns.acted(s.Number)
	cause, mask := p.full(s, ready)
	p.Blame(s, cause, mask)
	if p.limits {
		if p.grouped {
			return p.look(s)
		}
		if p.pipes.Stepping(s.Number, cycle) {
			return true
		}
	}
	return p.still(s, ready, cycle)
}

// issueFrom gives a scheduler's cycle to the warp of a slot.
func (p *Pipeline) issueFrom(s *residency.Scheduler, slot int, cycle uint64) {
	w := &s.Warps[slot]
	p.Charge(tally.Issued, w.Account, 1)
	issued := 1
	first := w.Unit
	p.issueWarp(s, w, 0, cycle)
	if p.Lines != nil {
		p.Lines.Charge(w.Line, tally.Issued, 1)
	}
	if p.spec.IssueWidth > 1 && s.Signals.Ready()&w.Bit != 0 && p.pairs(first, w.Unit) && p.takes(s, w, cycle) &&
		(p.order == nil || p.goesFirst(s, w)) && (p.turns.asked == 0 || p.secondInTurn(s, w, first)) {
		issued = 2
		p.issueWarp(s, w, 1, cycle)
	}
	s.Policy.Issued(slot, s.Signals.Long)
	p.afterIssue(s, w, issued)
}

// takes reports whether the unit that a scheduler's warp needs takes its instruction
// now.
func (p *Pipeline) takes(s *residency.Scheduler, w *residency.Warp, cycle uint64) bool {
	return p.pipes.CanTake(s.Number, w.Unit, cycle) && (w.Unit != warps.LSU || p.lsuFull(s)&w.Bit == 0)
}

// pairs reports whether an instruction for a unit may issue together with one for
// another, or for the same.
func (p *Pipeline) pairs(first, second warps.Unit) bool {
	return first != second || p.spec.IssueSameUnit && pipes.Arithmetic(first)
}

// afterIssue follows up the first issued instructions of p.issued, which a scheduler has
// just issued from a warp.
func (p *Pipeline) afterIssue(s *residency.Scheduler, w *residency.Warp, issued int) {
	if p.gates.Active() {
		p.gates.Issued(s.Number, int(w.Number), p.issued[:issued])
	}
	if w.Ended && p.scoreboard.Idle(int(w.Slot), p.Cycle) {
		p.Done(w)
	}
}

// issueWarp issues the warp's next instruction, of a number in the scheduler's cycle,
// and moves the warp on.
func (p *Pipeline) issueWarp(s *residency.Scheduler, w *residency.Warp, number int, cycle uint64) {
	inst := &w.Inst
	w.Stream.Execute(inst)
	if p.gates.Active() {
		p.issued[number] = *inst
	}
	k := p.Stats.Accounts.Of(w.Account)
	k.WarpInstructions++
	lanes := uint64(bits.OnesCount32(inst.Active))
	k.ThreadInstructions += lanes
	if p.Lines != nil {
		p.lsu.Line = p.IssueLine(w, inst, lanes)
	}
	p.frontEnd.Issue(s.Number, int(w.Number))
	switch {
	case w.Unit == warps.LSU && inst.Active != 0:
		if inst.Warps != 0 && p.bulk(w, inst, cycle) {
			break
		}
		if inst.Class == workload.Copy {
			p.scoreboard.ReserveCopy(int(w.Slot))
			inst.Barrier = p.copies.Join(int(w.Slot), workload.CopyGroups)
		} else {
			p.scoreboard.ReserveMemory(int(w.Slot), &inst.Dst, cycle)
		}
		p.lsu.Issue(int(w.Slot), w.Account, inst)
		if p.pipes.Shared(warps.LSU) {
			p.pipes.Take(int(w.Scheduler), warps.LSU, inst, cycle)
		}
		p.tookTurn(warps.LSU, w.Scheduler)
	case w.Unit != warps.Control && w.Unit <= warps.LSU:
		p.issueArithmetic(w, inst, cycle)
	default:
		if w.Unit != warps.Control {
			p.pipes.Take(int(w.Scheduler), w.Unit, inst, cycle)
		}
		p.issueControl(w, inst, cycle)
	}
	p.advance(s, w)
}

func (p *Pipeline) issueArithmetic(w *residency.Warp, inst *workload.Inst, cycle uint64) {
	latency := p.pipes.Take(int(w.Scheduler), w.Unit, inst, cycle)
	if p.pipes.Special(w.Unit) { // a load without lanes takes no turn at the load-store unit
		p.tookTurn(w.Unit, w.Scheduler)
		if cores := p.pipes.Cores(); w.Unit == warps.Tensor && cores != nil {
			p.Stats.Accounts.Of(w.Account).Tensor.Add(cores, inst)
		}
	}
	counted := p.gates.Counted(inst)
	if inst.Dst[0] == workload.NoReg {
		if inst.Grouped() {
			p.product(w, cycle, latency)
		}
		if counted > 0 {
			p.completed(w, counted)
		}
		return
	}
	if counted > 0 {
		p.wheel.Add(cycle, cycle+latency, wheel.Due{Kind: wheel.Completed, Counted: counted, ID: uint32(w.Slot)})
	}
	p.scoreboard.Reserve(int(w.Slot), &inst.Dst, cycle+latency, p.wheel.Order())
}

// product has a product of four warps end after a time. No register waits for it, but the warp
// does, at a wait for its group or before it leaves.
func (p *Pipeline) product(w *residency.Warp, cycle, latency uint64) {
	group := p.copies.Join(int(w.Slot), workload.ProductGroups)
	p.wheel.Add(cycle, cycle+latency, wheel.Due{Kind: wheel.Product, Counted: group, ID: uint32(w.Slot)})
	p.scoreboard.Reserve(int(w.Slot), &workload.NoRegs4, cycle+latency, p.wheel.Order())
}

func (p *Pipeline) issueControl(w *residency.Warp, inst *workload.Inst, cycle uint64) {
	if counted := p.gates.Counted(inst); counted > 0 {
		p.completed(w, counted)
	}
	switch inst.Class {
	case workload.Branch:
		if inst.Flags&workload.Redirect != 0 {
			p.frontEnd.Branch(int(w.Scheduler), int(w.Number))
			resolved := cycle + uint64(p.spec.FrontEnd.BranchLatency)
			p.wheel.Add(cycle, resolved, wheel.Due{Kind: wheel.Refetch, ID: uint32(w.Slot)})
			p.scoreboard.Reserve(int(w.Slot), &workload.NoRegs4, resolved, p.wheel.Order())
		}
	case workload.Nop:
		if inst.Space == workload.Time && inst.Active != 0 {
			p.sleep(w, inst.Base, cycle)
		}
	case workload.Barrier:
		p.barriers.Arrive(&w.TB.Barriers, int(w.Slot), inst)
	case workload.Commit, workload.Await:
		p.copies.Execute(int(w.Slot), inst)
	}
}

// advance decodes the warp's next instruction, or ends the warp.
func (p *Pipeline) advance(s *residency.Scheduler, w *residency.Warp) {
	s.Signals.Needs[w.Unit] &^= w.Bit
	if !w.Stream.Fetch(&w.Inst) {
		p.Stop(w)
		p.End(w)
		return
	}
	p.decoded(s, w)
}

// decoded tells the parts the warp's next instruction.
func (p *Pipeline) decoded(s *residency.Scheduler, w *residency.Warp) {
	w.Unit = p.pipes.Unit(&w.Inst)
	s.Signals.Needs[w.Unit] |= w.Bit
	if p.gates.Active() {
		warps.Assign(&s.Signals.Global, w.Bit, gate.IsGlobal(&w.Inst))
	}
	p.scoreboard.Next(int(w.Slot), &w.Inst, p.Cycle)
	if async.Handles(w.Inst.Class) {
		p.copies.Next(int(w.Slot), &w.Inst)
		if w.Inst.Flags&workload.Unmet != 0 && !p.waitsForCluster(s, w) {
			p.copies.Limit(int(w.Slot), p.Cycle+p.spec.TMA.Limit())
			p.timed = true
		}
	}
}

// lsuFull are a scheduler's slots with an instruction that the load-store unit does not
// take now: its queue is full, or full for the slots' tenants.
func (p *Pipeline) lsuFull(s *residency.Scheduler) warps.Mask { return p.LSUFull(s, p.lsu) }
