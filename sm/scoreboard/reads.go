package scoreboard

import "cotenant/workload"

// reads counts, by register, the instructions in flight that have yet to read it.
type reads [workload.NoReg]uint8

func (r *reads) holds(regs []uint8) bool {
	for _, n := range regs {
		if n == workload.NoReg {
			return false
		}
		if r[n] > 0 {
			return true
		}
	}
	return false
}

// Hold keeps later instructions of a slot's warp from writing the registers that
// one in flight has yet to read, until Free; between its issue and Next.
func (b *Board) Hold(slot int, regs *[6]uint8) {
	w := &b.warps[slot]
	if w.reads == nil {
		w.reads = &reads{}
	}
	for _, n := range regs {
		if n == workload.NoReg {
			return
		}
		w.reads[n]++
	}
}

// Free ends a Hold of the same registers.
func (b *Board) Free(slot int, regs *[6]uint8) {
	w := &b.warps[slot]
	for _, n := range regs {
		if n == workload.NoReg {
			break
		}
		w.reads[n]--
	}
	b.settle(slot)
}
