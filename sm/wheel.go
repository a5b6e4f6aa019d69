package sm

import "math/bits"

const (
	// wheelSlots is the reach of the timing wheel in cycles; a power of two. The ranges
	// of latencies and intervals end below it.
	wheelSlots = 1024
	// nearSlots is the reach of the part of it that most results need, which is
	// so small that it stays within the processor's cache.
	nearSlots = 64
)

// due is a result that becomes available at a known cycle.
type due struct {
	kind dueKind
	// counted is one more than the active lanes of an instruction whose completion
	// gates are told of, else 0.
	counted uint8
	regs    uint32 // writeback: registers that become ready, as packed has them
	id      uint32 // writeback, refetch: warp slot; access: memory operation; commit, checked: instruction
}

// packed is a list of registers in one number, and unpacked the list again: lists
// are not passed in the processor's registers.
func packed(regs *[4]uint8) uint32 {
	return uint32(regs[0]) | uint32(regs[1])<<8 | uint32(regs[2])<<16 | uint32(regs[3])<<24
}

func unpacked(n uint32) [4]uint8 {
	return [4]uint8{uint8(n), uint8(n >> 8), uint8(n >> 16), uint8(n >> 24)}
}

type dueKind uint8

const (
	dueWriteback dueKind = iota // a pipe's result reaches the registers
	dueAccess                   // one access of a memory operation is done
	dueRefetch                  // a branch has resolved
	dueCommit                   // an instruction of the issue queue commits
	dueChecked                  // the last access of one has been translated
)

// wheel keeps what is due by cycle, up to wheelSlots-1 cycles ahead.
type wheel struct {
	near     [nearSlots][]due
	occupied uint64 // of near
	// spare holds the memory of past cycles' lists: the last one used is taken
	// first, so that it stays within the processor's cache.
	spare [][]due
	far   *farWheel // nil until something is due so late
}

// farWheel keeps what is due nearSlots cycles ahead or more.
type farWheel struct {
	occupied [wheelSlots / 64]uint64
	slots    [wheelSlots][]due
}

// add notes what is due at a cycle, now being the present one.
func (w *wheel) add(now, cycle uint64, d due) {
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

func (w *farWheel) add(cycle uint64, d due) {
	slot := cycle % wheelSlots
	w.slots[slot] = append(w.slots[slot], d)
	w.occupied[slot/64] |= 1 << (slot % 64)
}

// take empties a cycle's slot: what was booked early comes first, as it was
// booked first. The lists are valid until recycle gets the second of them.
func (w *wheel) take(cycle uint64) (early, late []due) {
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

func (w *farWheel) take(cycle uint64) []due {
	slot := cycle % wheelSlots
	if w.occupied[slot/64]>>(slot%64)&1 == 0 {
		return nil
	}
	w.occupied[slot/64] &^= 1 << (slot % 64)
	list := w.slots[slot]
	w.slots[slot] = list[:0]
	return list
}

// recycle keeps the memory of a late list.
func (w *wheel) recycle(late []due) {
	if late != nil {
		w.spare = append(w.spare, late[:0])
	}
}

// next is the first cycle after the given one at which something is due.
func (w *wheel) next(cycle uint64) (at uint64, ok bool) {
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
	start := (cycle + 1) % wheelSlots
	word := start / 64
	mask := w.occupied[word] &^ (1<<(start%64) - 1)
	for i := 0; i <= len(w.occupied); i++ {
		if mask != 0 {
			slot := word*64 + uint64(bits.TrailingZeros64(mask))
			return cycle + 1 + (slot-start)%wheelSlots, true
		}
		word = (word + 1) % uint64(len(w.occupied))
		mask = w.occupied[word]
	}
	return 0, false
}
