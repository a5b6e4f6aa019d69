// Package barrier models the barriers of thread blocks, sixteen numbered ones for each. A
// barrier opens at the end of the cycle in which the last expected warp arrives, so the
// order of the schedulers does not matter. A warp that arrives after that, in the same
// cycle, waits for the barrier's next turn.
//
// The barriers drive the signal Waits.
package barrier

import (
	"math/bits"
	"slices"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Block is the barriers of one thread block on the SM.
type Block struct {
	// State of the barriers, which a context switch saves and brings back.
	State [workload.Barriers]protocol.Barrier
	// Arrivals are the barriers at which warps have arrived, one bit each.
	Arrivals uint16
	// Live is the number of warps that have instructions left.
	Live int

	opening bool     // a barrier opens at the end of this cycle
	waiting []uint16 // slots of warps that have waited since the block was started
}

// Warp is where one warp stands.
type Warp struct {
	Waits bool  // at Barrier, for the turn after Turn
	At    uint8 // number of the barrier
	Turn  uint8 // of that barrier, when the warp came
}

// Unit is the barriers of an SM.
type Unit struct {
	warps   []place // by slot
	signals []warps.Signals
	opened  []*Block // with a barrier that opens at the end of this cycle
}

// place is a warp slot.
type place struct {
	Warp
	scheduler, bit uint8
}

// New makes the barriers of an SM with the given slots. The unit drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Unit {
	u := &Unit{warps: make([]place, slots.Count()), signals: signals}
	for i := range u.warps {
		u.warps[i].scheduler, u.warps[i].bit = uint8(i/slots.Each), uint8(i%slots.Each)
	}
	return u
}

// Start readies a slot for a new warp, which waits nowhere.
func (u *Unit) Start(slot int) {
	w := &u.warps[slot]
	w.Warp = Warp{}
	g := &u.signals[w.scheduler]
	g.Waits &^= 1 << w.bit
	g.Still = 0
}

// Reset readies a block for a thread block of live warps.
func (b *Block) Reset(live int) { *b = Block{Live: live, waiting: b.waiting[:0]} }

// Arrive counts the warp of a slot at the barrier that its instruction names.
// Without an active lane the warp passes by.
func (u *Unit) Arrive(b *Block, slot int, inst *workload.Inst) {
	if inst.Active == 0 {
		return
	}
	id := inst.Barrier % workload.Barriers
	s := &b.State[id]
	if inst.Flags&workload.Arrive == 0 {
		u.wait(b, slot, Warp{Waits: true, At: id, Turn: s.Turn})
	}
	s.Arrived++
	s.Expected = inst.Warps
	b.Arrivals |= 1 << id
	u.release(b, id)
}

func (u *Unit) wait(b *Block, slot int, at Warp) {
	w := &u.warps[slot]
	w.Warp = at
	g := &u.signals[w.scheduler]
	g.Waits |= 1 << w.bit
	g.Still = 0
	b.waiting = append(b.waiting, uint16(slot))
}

// release has a barrier open at the end of the cycle if the warps expected have
// arrived.
func (u *Unit) release(b *Block, id uint8) {
	s := &b.State[id]
	need := int(s.Expected)
	if need == 0 {
		need = b.Live
	}
	if s.Arrived == 0 || int(s.Arrived) < need {
		return
	}
	s.Arrived = 0
	s.Turn++
	b.Arrivals &^= 1 << id
	if !b.opening {
		b.opening = true
		u.opened = append(u.opened, b)
	}
}

// Leave takes a warp that has ended off the barriers that wait for all live
// warps. If a barrier is its last instruction it has arrived there, and counts no
// more; where a number of warps is expected it still does.
func (u *Unit) Leave(b *Block, slot int) {
	b.Live--
	if w := &u.warps[slot]; w.Waits {
		if s := &b.State[w.At]; s.Turn == w.Turn && s.Expected == 0 {
			s.Arrived--
		}
		i := slices.Index(b.waiting, uint16(slot))
		b.waiting = slices.Delete(b.waiting, i, i+1)
		w.Waits = false
	}
	for m := b.Arrivals; m != 0; m &= m - 1 {
		u.release(b, uint8(bits.TrailingZeros16(m)))
	}
}

// Open releases the warps that wait at barriers completed in this cycle.
func (u *Unit) Open() {
	if len(u.opened) == 0 {
		return
	}
	for _, b := range u.opened {
		b.opening = false
		left := b.waiting[:0]
		for _, slot := range b.waiting {
			w := &u.warps[slot]
			if w.Turn == b.State[w.At].Turn {
				left = append(left, slot)
				continue
			}
			w.Waits = false
			g := &u.signals[w.scheduler]
			g.Waits &^= 1 << w.bit
			g.Still = 0
		}
		b.waiting = left
	}
	u.opened = u.opened[:0]
}

// Warp is where the warp of a slot stands, for its context.
func (u *Unit) Warp(slot int) Warp { return u.warps[slot].Warp }

// Resume puts a warp that has come back where it stood. The block has got its
// State and Arrivals back before.
func (u *Unit) Resume(b *Block, slot int, at Warp) {
	if at.Waits {
		u.wait(b, slot, at)
	}
}
