package sm

import (
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
)

// Pipeline fetches, issues and completes the instructions of an SM's warps. Package
// inorder has the pipeline of warps that issue in order, package queued the pipeline of
// an SM with an issue queue.
//
// The contract: at each edge the SM calls Edge, then Complete, Issue and Fetch. In
// between it calls the methods of the Keeper and of the load-store unit's interfaces. A
// pipeline that reports that nothing has moved is not called before the cycle of Next,
// unless a message comes or a packet leaves.
type Pipeline interface {
	residency.Keeper
	// Edge begins an edge, before anything is delivered, and reports whether something
	// changes at the next edge by the time alone.
	Edge(cycle uint64) (awake bool)
	// Complete delivers what is due.
	Complete(cycle uint64) (moved bool)
	// Issue lets warps issue and charges the schedulers' cycle, unless the SM is halted.
	Issue(cycle uint64) (moved bool)
	// Fetch lets warps fetch.
	Fetch(cycle uint64) (moved bool)
	// Stall is the cause of a scheduler's cycle without issue, and the mask of the warps
	// that it applies to.
	Stall(scheduler int) (tally.Cause, warps.Mask)
	// Next is the first cycle after the given one at which something is due; false if
	// time alone brings nothing.
	Next(cycle uint64) (at uint64, ok bool)
}
