package sm

import "math/bits"

// wheelSlots is the reach of the timing wheel in cycles; a power of two.
const wheelSlots = 1024

// due is a result that becomes available at a known cycle.
type due struct {
	kind dueKind
	regs [4]uint8 // writeback: registers that become ready
	id   uint32   // writeback, refetch: warp slot; access: memory operation
}

type dueKind uint8

const (
	dueWriteback dueKind = iota // a pipe's result reaches the registers
	dueAccess                   // one access of a memory operation is done
	dueRefetch                  // a branch has resolved
)

// wheel keeps what is due by cycle, up to wheelSlots-1 cycles ahead.
type wheel struct {
	slots    [wheelSlots][]due
	occupied [wheelSlots / 64]uint64
	// spare holds the memory of past cycles' lists: the last one used is taken
	// first, so that it stays within the processor's cache.
	spare [][]due
}

func (w *wheel) add(cycle uint64, d due) {
	slot := cycle % wheelSlots
	list := w.slots[slot]
	if list == nil {
		w.occupied[slot/64] |= 1 << (slot % 64)
		if last := len(w.spare) - 1; last >= 0 {
			list, w.spare = w.spare[last], w.spare[:last]
		}
	}
	w.slots[slot] = append(list, d)
}

// take empties a cycle's slot. What it returns must be given back by recycle.
func (w *wheel) take(cycle uint64) []due {
	slot := cycle % wheelSlots
	if w.occupied[slot/64]>>(slot%64)&1 == 0 {
		return nil
	}
	w.occupied[slot/64] &^= 1 << (slot % 64)
	list := w.slots[slot]
	w.slots[slot] = nil
	return list
}

// recycle keeps the memory of a list that has been taken.
func (w *wheel) recycle(list []due) {
	if list != nil {
		w.spare = append(w.spare, list[:0])
	}
}

// next is the first cycle after the given one at which something is due.
func (w *wheel) next(cycle uint64) (uint64, bool) {
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
