// Package wheel is the timing wheel of an SM: what becomes available at known cycles.
package wheel

import "math/bits"

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
	// when it completes; else 0.
	Counted uint8
	Regs    uint32 // Writeback: registers that become ready, Packed
	ID      uint32 // of the warp slot, operation or instruction, by Kind
}

// Packed is a list of registers in one number, and Unpacked the list again: lists
// are not passed in the processor's registers.
func Packed(regs *[4]uint8) uint32 {
	return uint32(regs[0]) | uint32(regs[1])<<8 | uint32(regs[2])<<16 | uint32(regs[3])<<24
}

// Unpacked is the list that was Packed into a number.
func Unpacked(n uint32) [4]uint8 {
	return [4]uint8{uint8(n), uint8(n >> 8), uint8(n >> 16), uint8(n >> 24)}
}

// Kind says what becomes available.
type Kind uint8

// The kinds, with the ID of each.
const (
	Writeback Kind = iota // a pipe's result reaches the registers of a warp slot
	Access                // one access of a memory operation is done
	Refetch               // the branch of a warp slot has resolved
	Commit                // an instruction of the issue queue commits
	Checked               // the last access of such an instruction has been translated
)

// Wheel keeps what is due by cycle, up to Slots-1 cycles ahead.
type Wheel struct {
	near     [nearSlots][]Due
	occupied uint64 // of near
	// spare holds the memory of past cycles' lists: the last one used is taken
	// first, so that it stays within the processor's cache.
	spare [][]Due
	far   *farWheel // nil until something is due so late
}

// farWheel keeps what is due nearSlots cycles ahead or more.
type farWheel struct {
	occupied [Slots / 64]uint64
	slots    [Slots][]Due
}

// Add notes what is due at a cycle, now being the present one.
func (w *Wheel) Add(now, cycle uint64, d Due) {
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
	return early, late
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
