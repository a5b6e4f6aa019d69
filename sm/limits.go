package sm

import (
	"cotenant/sm/warps"
	"cotenant/tenant"
)

// Limits to what issues beside the pipes themselves, one memory instruction in a
// cycle for the SM, and operand collectors, are kept as pipes are: by the cycle at
// which a scheduler's instructions for a unit may issue again.

// occupy takes what the instruction that a warp issues takes of a special unit,
// and returns its timing.
func (s *SM) occupy(w *warp, cycle uint64) *timing {
	t := &s.pipes.timing[w.inst.Kind()]
	s.pipes.take(s.schedulers, int(w.scheduler), w.unit, cycle+t.interval)
	s.tookTurn(w.unit, w.scheduler)
	if len(s.collectors) > 0 {
		s.collect(w, cycle)
	}
	return t
}

// collect gives the instruction that a warp issues to an operand collector.
func (s *SM) collect(w *warp, cycle uint64) {
	c := s.collectors[w.scheduler]
	c.take(cycle, &w.inst.Src)
	s.tookTurn(operands, w.scheduler)
	if !c.full(cycle) {
		return
	}
	for i := range s.schedulers {
		if s.collectors[i] == c {
			for u := warps.Control + 1; u <= warps.LSU; u++ {
				s.schedulers[i].hold(u, c.freeAt[c.next])
			}
		}
	}
}

// hold is take for a unit whose instructions may be held back for longer.
func (p *scheduler) hold(u warps.Unit, until uint64) { p.take(u, max(p.freeAt[u], until)) }

// lsuFull are a scheduler's slots whose next instruction the load-store unit does not
// take now because its queue is full, or full for their tenants.
func (s *SM) lsuFull(p *scheduler) warps.Mask {
	if s.lsu.Full() {
		return p.signals.Needs[warps.LSU]
	}
	if full := s.lsu.FullFor(); full != 0 {
		return s.slotsOf(p, full) & p.signals.Needs[warps.LSU]
	}
	return 0
}

// slotsOf are a scheduler's slots with warps of a set of tenants.
func (s *SM) slotsOf(p *scheduler, tenants uint16) (mask warps.Mask) {
	for _, a := range s.present {
		if id := a.Tenant(); tenants>>id&1 != 0 {
			mask |= p.slots[id]
		}
	}
	return mask
}

// heldBack is the cause of a cycle in which a memory instruction is ready and held
// back, and the account that pays: the unit if it is full, or has had another
// scheduler's, and else a collector.
func (s *SM) heldBack(p *scheduler, cycle uint64) (Cause, tenant.Account) {
	ready := p.signals.Ready()
	waits := ready & p.signals.Needs[warps.LSU] &^ s.lsuFull(p)
	if waits != 0 && len(s.collectors) > 0 && s.collectors[p.number].full(cycle) {
		return PipeFull, s.payer(p, PipeFull, ready)
	}
	return LSUFull, s.payer(p, LSUFull, ready&p.signals.Needs[warps.LSU])
}
