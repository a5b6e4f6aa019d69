package flow

import (
	"math/bits"

	"cotenant/workload/ptx"
)

// A compiler numbers a new virtual register for nearly every value; a kernel of
// medium size has hundreds. A slot for each would make the registers of the
// warps of a GPU larger than any cache, so registers share slots where they can.
// Each lane has its own part of a slot, so divergence makes no difference.

// meetings are, for each register, the registers that hold a value while it is
// written, or the other way round. An instruction's operands and results meet too:
// it may write some lanes before it has read the rest. A register that a path may read
// before it writes it holds its value, zero, from the start, as fromStart says
// that some do.
func meetings(f *ptx.Func) (meet []Row, order []int, fromStart bool) {
	meet = make([]Row, len(f.Regs))
	noted := newRegSet(f)
	note := func(reg int) {
		if !noted.Has(reg) {
			noted.add(reg)
			order = append(order, reg)
		}
	}
	blocks := blocksOf(f)
	live := liveBefore(f, blocks)
	now, after := newRegSet(f), newRegSet(f)
	if len(live) > 0 {
		now.is(live[0])
		now.Each(func(reg int) {
			note(reg)
			meet[reg].union(now)
			fromStart = true
		})
	}
	for i := range f.Insts {
		EachRegister(f.Insts[i].Dst, note)
		EachRegister(f.Insts[i].Src, note)
	}
	for _, b := range blocks {
		now.clear()
		for _, s := range b.succs {
			live[s].addTo(now)
		}
		for at := b.end - 1; at >= b.first; at-- {
			in := &f.Insts[at]
			copy(after, now)
			EachRegister(in.Dst, after.add)
			now.step(in)
			EachRegister(in.Src, after.add)
			EachRegister(in.Dst, func(reg int) { meet[reg].union(after) })
		}
	}
	for reg := range meet {
		meet[reg].Each(func(other int) {
			if noted.Has(other) && other != reg {
				meet[other].add(reg)
			}
		})
	}
	return meet, order, fromStart
}

// ShareSlots numbers slots from 0 for a function's registers that are no
// predicates, in the order in which the text names them, and returns how many
// there are, and whether a register may be read before it is written. Registers
// that do not meet share one.
func ShareSlots(f *ptx.Func) (slots []int32, n int, fromStart bool) {
	meet, order, fromStart := meetings(f)
	slots = make([]int32, len(f.Regs))
	placed := newRegSet(f)
	for _, reg := range order {
		if f.Regs[reg] == ptx.Pred {
			continue
		}
		taken := make([]uint64, n/64+1)
		meet[reg].Each(func(other int) {
			if other != reg && placed.Has(other) {
				taken[slots[other]/64] |= 1 << (slots[other] % 64)
			}
		})
		slot := 0
		for slot < n && taken[slot/64]>>(slot%64)&1 != 0 {
			slot += bits.TrailingZeros64(^(taken[slot/64] >> (slot % 64)))
		}
		slots[reg] = int32(slot)
		n = max(n, slot+1)
		placed.add(reg)
	}
	return slots, n, fromStart
}
