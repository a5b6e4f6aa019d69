package sm

import (
	"math/bits"

	"cotenant/workload"
)

// classUnits tells which unit executes each class.
var classUnits = [workload.NumClasses]unit{
	workload.Int: unitALU, workload.FP32: unitALU,
	workload.FP64: unitFP64, workload.SFU: unitSFU, workload.Tensor: unitTensor,
	workload.Constant: unitLSU, workload.Load: unitLSU, workload.Store: unitLSU, workload.Atomic: unitLSU, workload.Reduction: unitLSU,
}

// issue lets every port issue, and charges the cycle of each. The port that
// goes first at the load-store unit changes with the cycle.
func (s *SM) issue(cycle uint64) (moved bool) {
	if s.halted {
		return s.chargeHalted()
	}
	n := len(s.ports)
	for i := range s.ports {
		p := &s.ports[(i+int(cycle))%n]
		candidates := p.ready()
		for u := unitALU; candidates != 0 && u <= unitLSU; u++ {
			if s.busy(p, u) > cycle {
				candidates &^= p.needs[u]
			}
		}
		if candidates == 0 {
			cause, id := s.diagnose(p)
			s.charge(cause, id, 1)
			// A port that waits for a pipe must look again at the next edge;
			// the load-store unit's own progress keeps the SM awake.
			moved = moved || p.ready()&^p.needs[unitLSU] != 0
			continue
		}
		slot := p.policy.Pick(candidates, p.long)
		w := &s.warps[p.first+slot]
		s.charge(Issued, w.tenant, 1)
		id := w.tenant
		first := w.unit
		s.issueWarp(w, cycle)
		if s.spec.IssueWidth > 1 && p.ready()&w.bit != 0 && w.unit != first && s.busy(p, w.unit) <= cycle {
			s.issueWarp(w, cycle)
		}
		p.policy.Issued(slot, p.long)
		if s.quotasOn {
			s.spend(p, id)
		}
		if w.ended && w.inFlight == 0 {
			s.warpDone(w)
		}
		moved = true
	}
	s.openBarriers()
	return moved
}

// chargeHalted charges a cycle in which no port may issue.
func (s *SM) chargeHalted() bool {
	for i := range s.ports {
		cause, id := s.diagnose(&s.ports[i])
		s.charge(cause, id, 1)
	}
	s.openBarriers()
	return false
}

// busy is the first cycle at which a unit takes an instruction from the port.
func (s *SM) busy(p *port, u unit) uint64 {
	switch {
	case u == unitLSU:
		if s.lsu.full() {
			return ^uint64(0)
		}
		return 0
	case s.sharedPipe[u]:
		return s.ports[0].busyUntil[u]
	default:
		return p.busyUntil[u]
	}
}

// issueWarp issues the warp's next instruction and moves the warp on.
func (s *SM) issueWarp(w *warp, cycle uint64) {
	inst := &w.inst
	w.stream.Execute(inst)
	k := &s.stats.Tenants[w.tenant]
	k.WarpInstructions++
	k.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
	w.buffered--
	if w.unit == unitLSU && inst.Active != 0 {
		s.issueMemory(w, inst, cycle)
	} else if w.unit != unitControl {
		s.issueArithmetic(w, inst, cycle)
	} else {
		s.issueControl(w, inst, cycle)
	}
	s.advance(w)
}

func (s *SM) issueArithmetic(w *warp, inst *workload.Inst, cycle uint64) {
	t := &s.timing[inst.Class]
	if s.sharedPipe[w.unit] {
		s.ports[0].busyUntil[w.unit] = cycle + t.interval
	} else {
		w.port.busyUntil[w.unit] = cycle + t.interval
	}
	if inst.Dst[0] == workload.NoReg {
		return
	}
	w.pending.add(&inst.Dst)
	w.inFlight++
	s.wheel.add(cycle+t.latency, due{kind: dueWriteback, regs: inst.Dst, id: w.number()})
}

func (s *SM) issueControl(w *warp, inst *workload.Inst, cycle uint64) {
	switch inst.Class {
	case workload.Branch:
		if inst.Flags&workload.Redirect != 0 {
			s.flush(w)
			w.inFlight++
			s.wheel.add(cycle+uint64(s.spec.FrontEnd.BranchLatency), due{kind: dueRefetch, id: w.number()})
		}
	case workload.Barrier:
		s.arrive(w, inst)
	}
}

// advance decodes the warp's next instruction, or ends the warp.
func (s *SM) advance(w *warp) {
	p := w.port
	p.needs[w.unit] &^= w.bit
	if !w.stream.Fetch(&w.inst) {
		s.endWarp(w)
		return
	}
	s.decoded(w)
}

// decoded sets the masks that follow from the warp's next instruction.
func (s *SM) decoded(w *warp) {
	p := w.port
	w.unit = classUnits[w.inst.Class]
	p.needs[w.unit] |= w.bit
	s.refreshControl(w)
	s.refreshFetchable(w)
	s.refreshHazards(w)
}

// refreshHazards checks the warp's next instruction against the scoreboard.
func (s *SM) refreshHazards(w *warp) {
	p, inst := w.port, &w.inst
	p.data &^= w.bit
	p.long &^= w.bit
	if inst.Class == workload.Fence {
		if w.memory > 0 {
			p.data |= w.bit
			p.long |= w.bit
		}
		return
	}
	if w.inFlight == 0 {
		return
	}
	if w.pending.hasAny(inst.Dst[:]) || w.pending.hasAny(inst.Src[:]) {
		p.data |= w.bit
		if w.memory > 0 && (w.long.hasAny(inst.Dst[:]) || w.long.hasAny(inst.Src[:])) {
			p.long |= w.bit
		}
	}
}

// complete handles what is due at this cycle.
func (s *SM) complete(cycle uint64) bool {
	list := s.wheel.take(cycle)
	for i := range list {
		d := &list[i]
		switch d.kind {
		case dueWriteback:
			w := &s.warps[d.id]
			w.pending.remove(&d.regs)
			w.inFlight--
			s.settled(w)
		case dueRefetch:
			w := &s.warps[d.id]
			w.inFlight--
			s.refetch(w)
			s.settled(w)
		case dueAccess:
			s.accessDone(d.id)
		}
	}
	return len(list) > 0
}

// settled follows up on a result that has arrived for a warp.
func (s *SM) settled(w *warp) {
	if !w.ended {
		s.refreshHazards(w)
		if w.held && w.inFlight == 0 {
			s.drained(w.tb)
		}
	} else if w.inFlight == 0 {
		s.warpDone(w)
	}
}
