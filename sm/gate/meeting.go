package gate

import (
	"math/bits"

	"cotenant/sm/warps"
)

// Meeting is a gate that may want to know which warps wait at barriers.
type Meeting interface {
	Gate
	// Meets reports whether the gate wants to know. It changes by Control only.
	Meets() bool
	// Waiting: of a scheduler's slots, exactly these wait at barriers when an edge ends.
	// It comes before the Edge of a gate that Meets.
	Waiting(scheduler int, slots warps.Mask)
}

// Meets makes Quota Meeting. A counter for the whole SM lets all warps of a thread block
// issue or none, so no warp waits at a barrier for a warp that is held back.
func (q *Quota) Meets() bool { return q.on && !q.perSM && len(q.schedulers) > 1 }

// Waiting notes the warps at barriers, which matters while a warp is held back.
func (q *Quota) Waiting(scheduler int, slots warps.Mask) {
	if s := &q.schedulers[scheduler]; s.waits != slots {
		s.waits = slots
		q.stale = q.stale || q.holding()
	}
}

// meet finds, for each scheduler, the tenants that wait there for warps without quota at
// another scheduler, and settles the accounts where these tenants have changed.
func (q *Quota) meet() {
	holds := q.holding()
	if !holds && !q.meets {
		return
	}
	for i := range q.accounts {
		q.accounts[i].waitsNow = 0
		if holds {
			q.accounts[i].waitsNow = q.waitingAt(i)
		}
	}
	q.meets = false
	for i := range q.accounts {
		a := &q.accounts[i]
		if a.waits != a.waitsNow {
			a.waits = a.waitsNow
			q.settle(a, q.sharing(i))
		}
		q.meets = q.meets || a.waits != 0
	}
}

// holding reports whether a warp is held back.
func (q *Quota) holding() bool {
	for i := range q.schedulers {
		if q.schedulers[i].held != 0 {
			return true
		}
	}
	return false
}

// waitingAt are the tenants with something left at a scheduler, where all their warps
// wait at barriers and none of their thread blocks there can go on.
func (q *Quota) waitingAt(scheduler int) (waiting tenants) {
	s := &q.schedulers[scheduler]
	for t, slots := range s.slots {
		if slots != 0 && slots&^s.waits == 0 && q.accounts[scheduler].left[t] > 0 {
			waiting.assign(t, q.stuck(s, t))
		}
	}
	return waiting
}

// stuck reports whether all warps of a tenant's thread blocks at a scheduler wait at
// barriers or are held back, at whichever scheduler they are.
func (q *Quota) stuck(at *warpsOf, t int) bool {
	for i := range q.schedulers {
		s := &q.schedulers[i]
		for rest := s.slots[t] &^ (s.waits | s.held); rest != 0; rest &= rest - 1 {
			tb := s.tb[bits.TrailingZeros64(rest)]
			for slots := at.slots[t]; slots != 0; slots &= slots - 1 {
				if at.tb[bits.TrailingZeros64(slots)] == tb {
					return false
				}
			}
		}
	}
	return true
}
