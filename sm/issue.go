package sm

import (
	"math/bits"

	"cotenant/sm/ews"
	"cotenant/sm/issuequeue"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// maxIssueWidth is the most instructions that a scheduler issues in a cycle.
const maxIssueWidth = 2

// issue lets every scheduler issue, and charges the cycle of each. The first of them
// changes with the cycle, but what schedulers share they take in turn (turns).
func (s *SM) issue(cycle uint64) (moved bool) {
	if s.idle.next == cycle {
		s.sampleIdle(cycle + 1)
	}
	if s.halted {
		s.chargeHalted()
		return false
	}
	s.openTurns()
	n := len(s.schedulers)
	turn := int(cycle % uint64(n))
	for count := n; count > 0; turn, count = s.turns.rest(turn) {
		for range count {
			p := &s.schedulers[turn]
			if turn++; turn == n {
				turn = 0
			}
			candidates := p.signals.Ready()
			for busy := p.busy; busy != 0; busy &= busy - 1 {
				u := bits.TrailingZeros8(busy)
				if p.freeAt[u] > cycle {
					candidates &^= p.signals.Needs[u]
				} else {
					p.busy &^= 1 << u
				}
			}
			candidates &^= s.lsuFull(p)
			if s.grouped {
				candidates = p.groups.Visible(candidates)
			}
			if candidates == 0 {
				s.turns.acted(p.number)
				moved = s.stalled(p) || moved
				continue
			}
			slot := p.policy.Pick(candidates, p.signals.Long)
			if s.order != nil {
				slot = s.inOrder(p, slot, candidates)
			}
			if s.turns.asked != 0 {
				if slot = s.inTurn(p, slot, candidates); slot == later {
					continue
				}
			}
			if slot == ews.None {
				s.charge(Bubble, s.payer(p, Bubble, candidates), 1)
			} else {
				s.issueFrom(p, slot, cycle)
			}
			moved = true
		}
	}
	if s.turns.seconds != 0 {
		s.issueSeconds(cycle)
	}
	s.barriers.Open()
	return moved
}

// stalled charges a scheduler's cycle in which no warp can issue, and reports
// whether the scheduler must look again at the next edge: it does if it waits for
// a pipe. The load-store unit's own progress keeps the SM awake.
func (s *SM) stalled(p *scheduler) bool {
	cause, id := s.diagnose(p)
	s.charge(cause, id, 1)
	if s.grouped {
		return s.look(p)
	}
	return cause == PipeFull || cause == LSUFull && p.signals.Ready()&^p.signals.Needs[warps.LSU] != 0
}

// chargeHalted charges a cycle in which no scheduler may issue.
func (s *SM) chargeHalted() {
	for i := range s.schedulers {
		cause, id := s.diagnose(&s.schedulers[i])
		s.charge(cause, id, 1)
	}
}

// issueFrom gives a scheduler's cycle to the warp of a slot.
func (s *SM) issueFrom(p *scheduler, slot int, cycle uint64) {
	w := &s.warps[p.first+slot]
	s.charge(Issued, w.account, 1)
	issued := 1
	first := w.unit
	s.issueWarp(w, 0, cycle)
	if s.spec.IssueWidth > 1 && p.signals.Ready()&w.bit != 0 && s.pairs(first, w.unit) && s.takes(p, w, cycle) &&
		(s.order == nil || s.goesFirst(p, w)) && (s.turns.asked == 0 || s.secondInTurn(p, w, first)) {
		issued = 2
		s.issueWarp(w, 1, cycle)
	}
	p.policy.Issued(slot, p.signals.Long)
	s.afterIssue(p, w, issued)
}

// afterIssue follows up the instructions of a number that a scheduler has just issued
// from a warp.
func (s *SM) afterIssue(p *scheduler, w *warp, issued int) {
	if len(s.active) > 0 {
		slot := int(w.slot) - p.first
		for _, g := range s.active {
			g.Issued(p.number, slot, s.issued[:issued])
		}
		s.told = true
		if s.memory != nil && s.memory.Closed() {
			s.refreshGates()
		}
	}
	if w.ended && s.scoreboard.Idle(int(w.slot)) {
		s.warpDone(w)
	}
}

// issueWarp issues the warp's next instruction, of that number in the scheduler's
// cycle, and moves the warp on.
func (s *SM) issueWarp(w *warp, number int, cycle uint64) {
	inst := &w.inst
	w.stream.Execute(inst)
	if len(s.active) > 0 {
		s.issued[number] = *inst
	}
	k := &s.stats.Accounts[w.account]
	k.WarpInstructions++
	k.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
	s.frontEnd.Issue(int(w.slot))
	switch {
	case w.unit == warps.LSU && inst.Active != 0:
		s.scoreboard.ReserveMemory(int(w.slot), &inst.Dst)
		s.lsu.Issue(int(w.slot), w.account, inst)
		if s.pipes.special[warps.LSU] {
			s.occupy(w, cycle)
		} else {
			s.tookTurn(warps.LSU, w.scheduler)
		}
	case w.unit != warps.Control && w.unit <= warps.LSU:
		s.issueArithmetic(w, inst, cycle)
	default:
		if w.unit != warps.Control {
			s.schedulers[w.scheduler].take(w.unit, cycle+s.pipes.timing[inst.Class].interval)
		}
		s.issueControl(w, inst, cycle)
	}
	s.advance(w)
}

// completed tells the gates that want to know of an instruction of a warp that has
// completed; counted is one more than its active lanes.
func (s *SM) completed(w *warp, counted uint8) {
	for _, g := range s.completing {
		g.Completed(int(w.scheduler), w.account.Tenant(), int(counted)-1)
	}
	s.told = true
}

// counted is one more than an instruction's active lanes if gates want to know when
// it completes, else 0.
func (s *SM) counted(inst *workload.Inst) uint8 {
	if !s.completes {
		return 0
	}
	return uint8(bits.OnesCount32(inst.Active)) + 1
}

func (s *SM) issueArithmetic(w *warp, inst *workload.Inst, cycle uint64) {
	t := &s.pipes.timing[inst.Class]
	if s.pipes.special[w.unit] {
		t = s.occupy(w, cycle)
	} else {
		s.schedulers[w.scheduler].take(w.unit, cycle+t.interval)
	}
	counted := s.counted(inst)
	if inst.Dst[0] == workload.NoReg {
		if counted > 0 {
			s.completed(w, counted)
		}
		return
	}
	s.scoreboard.Reserve(int(w.slot), &inst.Dst)
	s.wheel.add(cycle, cycle+t.latency, due{kind: dueWriteback, counted: counted, regs: packed(&inst.Dst), id: uint32(w.slot)})
}

func (s *SM) issueControl(w *warp, inst *workload.Inst, cycle uint64) {
	if counted := s.counted(inst); counted > 0 {
		s.completed(w, counted)
	}
	switch inst.Class {
	case workload.Branch:
		if inst.Flags&workload.Redirect != 0 {
			s.frontEnd.Branch(int(w.slot))
			s.scoreboard.Reserve(int(w.slot), &workload.NoRegs4)
			s.wheel.add(cycle, cycle+uint64(s.spec.FrontEnd.BranchLatency), due{kind: dueRefetch, id: uint32(w.slot)})
		}
	case workload.Barrier:
		s.barriers.Arrive(&w.tb.barriers, int(w.slot), inst)
	}
}

// advance decodes the warp's next instruction, or ends the warp.
func (s *SM) advance(w *warp) {
	s.signals[w.scheduler].Needs[w.unit] &^= w.bit
	if !w.stream.Fetch(&w.inst) {
		s.endWarp(w)
		return
	}
	s.decoded(w)
}

// decoded tells the parts the warp's next instruction.
func (s *SM) decoded(w *warp) {
	w.unit = classUnits[w.inst.Class]
	if s.pipes.detours {
		w.unit = s.pipes.unit[w.inst.Kind()]
	}
	p := &s.signals[w.scheduler]
	p.Needs[w.unit] |= w.bit
	if len(s.active) > 0 {
		warps.Assign(&p.Global, w.bit, isGlobal(&w.inst))
	}
	s.scoreboard.Next(int(w.slot), &w.inst)
}

// complete handles what is due at this cycle.
func (s *SM) complete(cycle uint64) bool {
	early, late := s.wheel.take(cycle)
	for i := range early {
		s.deliver(&early[i])
	}
	for i := range late {
		s.deliver(&late[i])
	}
	s.wheel.recycle(late)
	return len(early)+len(late) > 0
}

func (s *SM) deliver(d *due) {
	switch d.kind {
	case dueWriteback:
		regs := unpacked(d.regs)
		if d.counted > 0 {
			s.completed(&s.warps[d.id], d.counted)
		}
		if s.scoreboard.Release(int(d.id), &regs) && s.departing > 0 {
			s.settled(int(d.id))
		}
	case dueRefetch:
		s.frontEnd.Resolve(int(d.id))
		if s.scoreboard.Release(int(d.id), &workload.NoRegs4) && s.departing > 0 {
			s.settled(int(d.id))
		}
	case dueAccess:
		s.lsu.AccessDone(d.id)
	case dueCommit:
		if d.counted > 0 {
			s.completed(&s.warps[s.window.queue.Slot(issuequeue.ID(d.id))], d.counted)
		}
		s.commit(issuequeue.ID(d.id))
	case dueChecked:
		s.checked(issuequeue.ID(d.id))
	}
}

// settled follows up when the last of what was in flight for a warp has arrived.
func (s *SM) settled(slot int) {
	w := &s.warps[slot]
	if w.ended {
		s.warpDone(w)
	} else if w.held {
		s.drained(w.tb)
	}
}

// DoneAt makes SM a lsu.Parent, as the methods below.
func (s *SM) DoneAt(cycle uint64, op uint32) {
	s.wheel.add(s.cycle, cycle, due{kind: dueAccess, id: op})
}

// Missed notes that registers of a warp wait for memory beyond the L1.
func (s *SM) Missed(op uint32, slot int, regs *[4]uint8) {
	if s.window != nil {
		s.window.queue.Missed(s.window.ids[op])
		return
	}
	s.scoreboard.Missed(slot, regs)
}

// Completed tells the gates that a warp's memory instruction has been performed.
func (s *SM) Completed(slot, lanes int) { s.completed(&s.warps[slot], uint8(lanes)+1) }

// Performed ends a memory operation of a warp.
func (s *SM) Performed(op uint32, slot int, regs *[4]uint8) {
	if s.window != nil {
		s.performed(op, slot)
		return
	}
	if s.scoreboard.ReleaseMemory(slot, regs) && s.departing > 0 {
		s.settled(slot)
	}
}
