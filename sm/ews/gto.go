package ews

import (
	"math/bits"

	"cotenant/tenant"
)

func init() {
	register(policy{name: "gto", about: "greedy then oldest", make: func(int) Scheduler { return &gto{} }})
}

// gto issues from the warp that issued last while it can, and otherwise from
// the oldest warp that can.
type gto struct {
	last  uint64 // the bit of the slot that issued last; 0 if it has no warp
	order ageOrder
}

func (g *gto) Pick(ready, _ uint64) int {
	slot, last := g.order.oldest(ready), bits.TrailingZeros64(g.last)
	if ready&g.last != 0 { // without a jump, which could not be foretold
		slot = last
	}
	return slot
}

func (g *gto) Issued(slot int, _ uint64)    { g.last = 1 << (slot & (MaxSlots - 1)) }
func (g *gto) Placed(slot int, _ tenant.ID) { g.order.add(slot) }
func (g *gto) Removed(slot int) {
	g.order.remove(slot)
	g.last &^= 1 << (slot & (MaxSlots - 1))
}

// ageOrder lists slots from the oldest warp to the youngest.
type ageOrder struct {
	n     int
	first int // slot of the oldest warp if ages follow the numbers of slots from there on, wrapping round; else -1
	slots [MaxSlots]uint8
}

func (o *ageOrder) add(slot int) {
	o.slots[o.n] = uint8(slot)
	o.n++
	o.look()
}

func (o *ageOrder) remove(slot int) {
	for i := 0; i < o.n; i++ {
		if int(o.slots[i]) == slot {
			copy(o.slots[i:o.n-1], o.slots[i+1:o.n])
			o.n--
			o.look()
			return
		}
	}
}

// look finds first.
func (o *ageOrder) look() {
	o.first = -1
	last := -1
	for _, slot := range o.slots[:o.n] {
		behind := int(slot-o.slots[0]) % MaxSlots
		if behind <= last {
			return
		}
		last = behind
	}
	o.first = int(o.slots[0])
}

// oldest is the oldest slot of a mask that has at least one.
func (o *ageOrder) oldest(mask uint64) int {
	if o.first >= 0 {
		return (bits.TrailingZeros64(bits.RotateLeft64(mask, -o.first)) + o.first) & (MaxSlots - 1)
	}
	for _, slot := range o.slots[:o.n] {
		if mask>>slot&1 != 0 {
			return int(slot)
		}
	}
	return -1
}
