// Package wheel models the timing wheel of an SM. The wheel holds each result until the
// known cycle at which it becomes available.
package wheel

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// Slots is the reach of the wheel in cycles; a power of two. The ranges of latencies
	// and intervals end below it.
	Slots = 1024
	// nearSlots is the reach of the part that most results need. It is small enough to
	// stay within the processor's cache.
	nearSlots = 64
)

// Due is a result that becomes available at a known cycle.
type Due struct {
	Kind Kind
	// Counted is one more than the active lanes of an instruction, if gates are told
	// when it completes; else 0. Of a Product it is its group.
	Counted uint8
	ID      uint32 // of the warp slot, operation or instruction, by Kind
	order   uint64
}

// Kind says what becomes available.
type Kind uint8

// The kinds, with the ID of each.
const (
	Completed Kind = iota // the instruction of a warp slot has its result
	Settled               // a warp slot that issues nothing more has its last result
	Access                // one access of a memory operation is done
	Refetch               // the branch of a warp slot has resolved
	Commit                // an instruction of the issue queue commits
	Checked               // the last access of such an instruction has been translated
	Product               // a product of four warps of a warp slot is done
)

// Wheel keeps what is due by cycle, up to Slots-1 cycles ahead.
type Wheel struct {
	occupied uint64    // of near
	far      *farWheel // nil until something is due so late
	order    uint64    // of what has been booked
	moved    int       // what AddAt has booked and Take has not returned
	// spare holds the memory of past cycles' lists: the last one used is taken
	// first, so that it stays within the processor's cache.
	spare [][]Due
	all   []Due // of a cycle with what AddAt has booked
	near  [nearSlots][]Due
}

// farWheel keeps what is due nearSlots cycles ahead or more.
type farWheel struct {
	occupied [Slots / 64]uint64
	slots    [Slots][]Due
}

// Order is a place in the order of what is booked, behind all that has been booked.
func (w *Wheel) Order() uint64 {
	w.order++
	return w.order
}

// AddAt is Add for what takes a place that Order has returned.
func (w *Wheel) AddAt(now, cycle uint64, d Due, order uint64) {
	w.moved++
	d.order = order
	w.book(now, cycle, d)
}

// Add notes what is due at a cycle, now being the present one.
func (w *Wheel) Add(now, cycle uint64, d Due) {
	d.order = w.Order()
	w.book(now, cycle, d)
}

func (w *Wheel) book(now, cycle uint64, d Due) {
	if cycle-now >= nearSlots {
		if w.far == nil {
			w.far = &farWheel{}
		}
		w.far.add(cycle, d)
		return
	}
	slot := cycle % nearSlots
	list := w.near[slot]
	if list == nil {
		w.occupied |= 1 << slot
		if last := len(w.spare) - 1; last >= 0 {
			list, w.spare = w.spare[last], w.spare[:last]
		}
	}
	w.near[slot] = append(list, d)
}

func (w *farWheel) add(cycle uint64, d Due) {
	slot := cycle % Slots
	w.slots[slot] = append(w.slots[slot], d)
	w.occupied[slot/64] |= 1 << (slot % 64)
}

// Has reports whether something may be due at a cycle.
func (w *Wheel) Has(cycle uint64) bool {
	return w.occupied>>(cycle%nearSlots)&1 != 0 || w.far != nil
}

// Take empties a cycle's slot: what was booked early comes first, as it was
// booked first. The lists are valid until Recycle gets the second of them.
func (w *Wheel) Take(cycle uint64) (early, late []Due) {
	if w.far != nil {
		early = w.far.take(cycle)
	}
	if slot := cycle % nearSlots; w.occupied>>slot&1 != 0 {
		w.occupied &^= 1 << slot
		late = w.near[slot]
		w.near[slot] = nil
	}
	if w.moved > 0 && len(early)+len(late) > 0 {
		return w.sorted(early, late), nil
	}
	return early, late
}

// sorted puts what is due at a cycle in order.
func (w *Wheel) sorted(early, late []Due) []Due {
	w.all = append(append(w.all[:0], early...), late...)
	w.Recycle(late)
	slices.SortFunc(w.all, func(a, b Due) int { return cmp.Compare(a.order, b.order) })
	for i := range w.all {
		if w.all[i].Kind == Settled {
			w.moved--
		}
	}
	return w.all
}

func (w *farWheel) take(cycle uint64) []Due {
	slot := cycle % Slots
	if w.occupied[slot/64]>>(slot%64)&1 == 0 {
		return nil
	}
	w.occupied[slot/64] &^= 1 << (slot % 64)
	list := w.slots[slot]
	w.slots[slot] = list[:0]
	return list
}

// Recycle keeps the memory of a late list.
func (w *Wheel) Recycle(late []Due) {
	if late != nil {
		w.spare = append(w.spare, late[:0])
	}
}

// Next is the first cycle after the given one at which something is due.
func (w *Wheel) Next(cycle uint64) (at uint64, ok bool) {
	if w.far != nil {
		at, ok = w.far.next(cycle)
	}
	if w.occupied != 0 {
		ahead := uint64(bits.TrailingZeros64(bits.RotateLeft64(w.occupied, -int((cycle+1)%nearSlots))))
		if near := cycle + 1 + ahead; !ok || near < at {
			return near, true
		}
	}
	return at, ok
}

func (w *farWheel) next(cycle uint64) (uint64, bool) {
	start := (cycle + 1) % Slots
	word := start / 64
	mask := w.occupied[word] &^ (1<<(start%64) - 1)
	for i := 0; i <= len(w.occupied); i++ {
		if mask != 0 {
			slot := word*64 + uint64(bits.TrailingZeros64(mask))
			return cycle + 1 + (slot-start)%Slots, true
		}
		word = (word + 1) % uint64(len(w.occupied))
		mask = w.occupied[word]
	}
	return 0, false
}
