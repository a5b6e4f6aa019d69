package gate

import "cotenant/tenant"

// Completing is a gate that may want to know when instructions complete: when their
// results are there, or their accesses have been performed. It hears once of each
// instruction that issued while it wanted to know. An instruction that leaves nothing to
// wait for completes at its issue.
type Completing interface {
	Gate
	// Completes reports whether the gate wants to know. It changes by Control only.
	Completes() bool
	// Completed: an instruction of lanes active lanes has completed. Its tenant still
	// has the warp's slot, though the warp may have ended.
	Completed(scheduler int, t tenant.ID, lanes int)
}

// Completes makes Quota Completing.
func (q *Quota) Completes() bool { return q.on && q.atCompletion }

// Completed takes the instruction off its tenant's counter.
func (q *Quota) Completed(scheduler int, t tenant.ID, lanes int) {
	if q.lanes {
		q.take(scheduler, t, lanes)
	} else {
		q.take(scheduler, t, 1)
	}
}
