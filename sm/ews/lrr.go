package ews

import (
	"math/bits"

	"cotenant/tenant"
)

func init() {
	register(policy{name: "lrr", about: "loose round robin", make: func(int) Scheduler { return &lrr{} }})
}

// lrr is loose round robin: the first warp that can issue, from the one after
// the last that did.
type lrr struct{ next int }

func (l *lrr) Pick(ready, _ uint64) int { return firstFrom(ready, l.next) }

func (l *lrr) Issued(slot int, _ uint64) { l.next = (slot + 1) % MaxSlots }
func (l *lrr) Placed(int, tenant.ID)     {}
func (l *lrr) Removed(int)               {}

// firstFrom is the first set bit of a mask that is not empty, counting from a
// start and wrapping round.
func firstFrom(mask uint64, start int) int {
	return (bits.TrailingZeros64(bits.RotateLeft64(mask, -start)) + start) % MaxSlots
}
