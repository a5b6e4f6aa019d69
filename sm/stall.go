package sm

import (
	"math/bits"

	"cotenant/sm/warps"
	"cotenant/tenant"
)

// stall is the cause of a cycle without issue and the mask of the warps that
// it applies to.
func stall(s *warps.Signals) (Cause, warps.Mask) {
	if s.Live == 0 {
		return Idle, 0
	}
	if ready := s.Ready(); ready != 0 {
		if waiting := ready & s.Needs[warps.LSU]; waiting != 0 {
			return LSUFull, waiting
		}
		return PipeFull, ready
	}
	control := s.Empty | s.Waits | s.Held
	if waiting := s.Live &^ (control | s.Hazard); waiting != 0 {
		return Quota, waiting // gates alone hold them back
	}
	if waiting := s.Live & s.Hazard &^ control; waiting != 0 {
		// A warp that waits for a short result ends the stall first.
		if short := waiting &^ s.Long; short != 0 {
			return RAWOther, short
		}
		return RAWLong, waiting
	}
	if waiting := s.Live &^ s.Held; waiting != 0 {
		return Control, waiting
	}
	return Preempted, s.Live
}

// oldest is the account of the oldest warp of a mask that is not empty.
func (s *SM) oldest(p *scheduler, mask warps.Mask) tenant.Account {
	best := &s.warps[p.first+bits.TrailingZeros64(mask)]
	for mask &= mask - 1; mask != 0; mask &= mask - 1 {
		if w := &s.warps[p.first+bits.TrailingZeros64(mask)]; w.age < best.age {
			best = w
		}
	}
	return best.account
}

// diagnose returns the cause of a scheduler's stall and the account that pays.
func (s *SM) diagnose(p *scheduler) (Cause, tenant.Account) {
	cause, mask := s.cause(p)
	if s.grouped && (cause == LSUFull || cause == PipeFull) {
		if open := s.open(p); open != 0 { // in the group that it does not consider
			cause, mask = GroupSwitch, open
		}
	}
	if s.halted && cause != Idle {
		cause, mask = Preempted, p.signals.Live
	}
	return cause, s.payer(p, cause, mask)
}

// cause is the cause of a scheduler's stall, but for what holds the whole SM, and the
// mask of the warps that it applies to.
func (s *SM) cause(p *scheduler) (Cause, warps.Mask) {
	if s.window != nil {
		return s.stallQueued(p)
	}
	return stall(p.signals)
}

// payer is the account whose warps of a mask a cause applies to.
func (s *SM) payer(p *scheduler, cause Cause, mask warps.Mask) tenant.Account {
	if cause == Idle {
		return 0
	}
	if len(s.present) == 1 {
		return s.present[0]
	}
	return s.oldest(p, mask)
}

// charge books n cycles of a scheduler.
func (s *SM) charge(cause Cause, a tenant.Account, n uint64) {
	if cause == Idle {
		s.stats.IdleCycles += n
		return
	}
	s.stats.Accounts[a].Stalls[cause] += n
}
