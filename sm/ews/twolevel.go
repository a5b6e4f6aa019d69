package ews

import (
	"math/bits"

	"cotenant/tenant"
)

func init() {
	register(policy{name: "2lvl", about: "two-level: round robin over N active warps, a warp that waits for memory yields its place",
		make: func(n int) Scheduler { return &twoLevel{size: n} }, argument: true})
}

// twoLevel is the two-level scheduler: round robin inside an active set of a
// given size. A warp of the set that waits for a load from beyond the L1 gives
// its place to a warp outside that issues. A ready warp outside also issues
// when no warp of the set can, but does not join the set then.
type twoLevel struct {
	size   int
	active uint64
	inner  lrr
}

func (t *twoLevel) Pick(ready, stalled uint64) int {
	if candidates := ready & t.settled(ready, stalled); candidates != 0 {
		return t.inner.Pick(candidates, 0)
	}
	return t.inner.Pick(ready, 0)
}

// settled is the active set after every stalled member has given way to a
// ready warp outside, lowest slot first. It is derived, not stored: Pick
// changes nothing, and a warp that issues joins the set in Issued.
func (t *twoLevel) settled(ready, stalled uint64) uint64 {
	set := t.active &^ stalled
	for outside := ready &^ set; outside != 0 && bits.OnesCount64(set) < t.size; outside &= outside - 1 {
		set |= outside & -outside
	}
	return set
}

func (t *twoLevel) Issued(slot int, stalled uint64) {
	t.inner.Issued(slot, stalled)
	bit := uint64(1) << uint(slot)
	if t.active&bit == 0 && bits.OnesCount64(t.active) >= t.size {
		yielding := t.active & stalled
		if yielding == 0 {
			return
		}
		// The nearest place behind the newcomer in round-robin order has waited longest
		// to issue.
		t.active &^= 1 << uint(firstFrom(yielding, t.inner.next))
	}
	t.active |= bit
}

func (t *twoLevel) Placed(int, tenant.ID) {}
func (t *twoLevel) Removed(slot int)      { t.active &^= 1 << uint(slot) }
