package inorder

import (
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
)

// Stall is the cause of a scheduler's cycle without issue, and the mask of the warps
// that it applies to.
func (p *Pipeline) Stall(scheduler int) (tally.Cause, warps.Mask) {
	s := &p.Schedulers[scheduler]
	if ready := s.Signals.Ready(); ready != 0 {
		return p.full(s, ready)
	}
	return unready(s.Signals)
}

// full is the cause if a scheduler's ready warps cannot issue: the units that they need
// take nothing.
func (p *Pipeline) full(s *residency.Scheduler, ready warps.Mask) (tally.Cause, warps.Mask) {
	if p.limits && p.pipes.Stepping(s.Number, p.Cycle) {
		return tally.PipeFull, ready
	}
	if p.grouped {
		if open := p.open(s); open != 0 { // in the group that it does not consider
			return tally.GroupSwitch, open
		}
	}
	if waiting := ready & s.Signals.Needs[warps.LSU]; waiting != 0 {
		return tally.LSUFull, waiting
	}
	return tally.PipeFull, ready
}

// unready is the cause that the signals of a scheduler without a ready warp show.
func unready(s *warps.Signals) (tally.Cause, warps.Mask) {
	if s.Live == 0 {
		return tally.Idle, 0
	}
	control := s.Empty | s.Waits | s.Asleep | s.Held
	if waiting := s.Live &^ (control | s.Hazard | s.Copies); waiting != 0 {
		return tally.Quota, waiting // gates alone hold them back
	}
	if waiting := s.Live & s.Hazard &^ control; waiting != 0 {
		// A warp that waits for a short result ends the stall first.
		if short := waiting &^ s.Long; short != 0 {
			return tally.RAWOther, short
		}
		return tally.RAWLong, waiting
	}
	if waiting := s.Live & s.Copies &^ control; waiting != 0 {
		if copies := waiting &^ s.Phases; copies != 0 {
			return tally.AsyncWait, copies
		}
		return tally.MBarrierWait, waiting
	}
	if waiting := s.Live &^ s.Held; waiting != 0 {
		return tally.Control, waiting
	}
	return tally.Preempted, s.Live
}

// Waiting are the slots of a scheduler that are ready at a cycle at which their unit
// takes nothing.
func (p *Pipeline) Waiting(scheduler int, cycle uint64) warps.Mask {
	return p.waiting(&p.Schedulers[scheduler], cycle)
}

func (p *Pipeline) waiting(s *residency.Scheduler, cycle uint64) warps.Mask {
	busy := p.pipes.Busy(s.Number, &s.Signals.Needs, cycle) | p.lsuFull(s)
	if p.limits && p.pipes.Stepping(s.Number, cycle) {
		busy = ^warps.Mask(0)
	}
	return busy & s.Signals.Ready()
}
