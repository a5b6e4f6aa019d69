package ptx

import "slices"

// A compiler numbers a new virtual register for nearly every value; a kernel of
// medium size has hundreds. A slot for each would make the registers of the
// warps of a GPU larger than any cache, so registers share slots where they can.
// Each lane has its own part of a slot, so divergence makes no difference.

// stretch is where a register holds a value: from the first to the last
// instruction, in the order of the text, before or behind which it is live or
// which writes it.
type stretch struct{ first, last int }

// stretches are those of the function's registers; first is -1 for a register
// that no instruction names. One that a path may read before it writes it holds
// its value, zero, from the start.
func (f *Func) stretches() []stretch {
	all := make([]stretch, len(f.Regs))
	for r := range all {
		all[r] = stretch{-1, -1}
	}
	at := 0
	extend := func(r int) {
		s := &all[r]
		if s.first < 0 || at < s.first {
			s.first = at
		}
		s.last = max(s.last, at)
	}
	blocks := f.blocks()
	live := f.liveBefore(blocks)
	for i, b := range blocks {
		at = b.first
		live[i].each(extend)
		for at = b.first; at < b.end; at++ {
			in := &f.Insts[at]
			eachRegister(in.Dst, extend)
			eachRegister(in.Src, extend)
		}
		at = b.end - 1
		for _, s := range b.succs {
			live[s].each(extend)
		}
	}
	return all
}

// shareSlots numbers slots from 0 for the function's registers that are no
// predicates, and returns how many there are. Registers share one if their
// stretches do not touch: not even a source and a result of one instruction,
// which may write some lanes before it has read others.
func (f *Func) shareSlots() (slots []int32, n int) {
	all := f.stretches()
	slots = make([]int32, len(f.Regs))
	var order []int
	for r, s := range all {
		if f.Regs[r] != Pred && s.first >= 0 {
			order = append(order, r)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return all[a].first - all[b].first })
	var busyTo []int // last instruction of the register that has each slot
	for _, r := range order {
		slot := slices.IndexFunc(busyTo, func(last int) bool { return last < all[r].first })
		if slot < 0 {
			slot = len(busyTo)
			busyTo = append(busyTo, 0)
		}
		busyTo[slot] = all[r].last
		slots[r] = int32(slot)
	}
	return slots, len(busyTo)
}
