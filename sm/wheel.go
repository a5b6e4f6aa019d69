package sm

import "math/bits"

// wheelSlots is the reach of the timing wheel in cycles; a power of two.
const wheelSlots = 1024

// due is a result that becomes available at a known cycle.
type due struct {
	kind dueKind
	regs [4]uint8 // writeback: registers that become ready
	id   uint32   // writeback, refetch: warp; access: memory operation
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
}

func (w *wheel) add(cycle uint64, d due) {
	slot := cycle % wheelSlots
	w.slots[slot] = append(w.slots[slot], d)
	w.occupied[slot/64] |= 1 << (slot % 64)
}

// take empties a cycle's slot. The slice is valid until the wheel comes round.
func (w *wheel) take(cycle uint64) []due {
	slot := cycle % wheelSlots
	if w.occupied[slot/64]>>(slot%64)&1 == 0 {
		return nil
	}
	w.occupied[slot/64] &^= 1 << (slot % 64)
	d := w.slots[slot]
	w.slots[slot] = d[:0]
	return d
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
