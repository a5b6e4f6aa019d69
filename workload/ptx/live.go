package ptx

import "math/bits"

// MaxLive is the largest number of 32-bit registers that hold values at the
// same time in the function, including those of functions that it calls while
// its own values wait. 64-bit registers count twice; not at all predicates,
// which have registers of their own, and a kernel's parameters, which machine
// code reads where it needs them. It is what an ideal allocator needs.
func (f *Func) MaxLive() int { return f.maxLive(map[*Func]int{}) }

// maxLive keeps the results of the functions called in known.
func (f *Func) maxLive(known map[*Func]int) int {
	if n, ok := known[f]; ok {
		return n
	}
	blocks := f.blocks()
	defined, live := f.definedAfter(blocks), f.liveBefore(blocks)
	most := 0
	now := newRegSet(f)
	free := f.rereadable()
	for i, b := range blocks {
		now.clear()
		for _, s := range b.succs {
			now.union(live[s])
		}
		// A register may seem live before it is first written, if it is written
		// under a guard or on some paths only; it holds nothing there.
		now.intersect(defined[i])
		for at := b.end - 1; at >= b.first; at-- {
			in := &f.Insts[at]
			eachRegister(in.Dst, now.add) // also one that nothing reads takes room
			n := now.weight(f, free)
			if in.Op == "call" {
				n += in.Src[0].Func.maxLive(known)
			}
			most = max(most, n)
			in.liveBefore(now)
		}
	}
	known[f] = most
	return most
}

// liveBefore turns the set of registers live after an instruction into that of
// those live before it.
func (in *Inst) liveBefore(live regSet) {
	if in.Guard < 0 { // otherwise some lanes keep the old value
		eachRegister(in.Dst, live.remove)
	} else {
		live.add(in.Guard)
	}
	eachRegister(in.Src, live.add)
}

// eachRegister calls do for each register in operands.
func eachRegister(operands []Operand, do func(reg int)) {
	for i := range operands {
		if o := &operands[i]; o.Kind == Register || o.Kind == Address && o.Reg >= 0 {
			do(o.Reg)
		}
		eachRegister(operands[i].Elems, do)
	}
}

// liveBefore is the set of registers live at the start of each block.
func (f *Func) liveBefore(blocks []block) []regSet {
	live := make([]regSet, len(blocks))
	for i := range live {
		live[i] = newRegSet(f)
	}
	now := newRegSet(f)
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			now.clear()
			for _, s := range blocks[i].succs {
				now.union(live[s])
			}
			for at := blocks[i].end - 1; at >= blocks[i].first; at-- {
				f.Insts[at].liveBefore(now)
			}
			changed = live[i].union(now) || changed
		}
	}
	return live
}

// definedAfter is the set of registers that some path to the end of each block
// has written.
func (f *Func) definedAfter(blocks []block) []regSet {
	defined := make([]regSet, len(blocks))
	for i, b := range blocks {
		defined[i] = newRegSet(f)
		for at := b.first; at < b.end; at++ {
			eachRegister(f.Insts[at].Dst, defined[i].add)
		}
	}
	for changed := true; changed; {
		changed = false
		for i, b := range blocks {
			for _, s := range b.succs {
				changed = defined[s].union(defined[i]) || changed
			}
		}
	}
	return defined
}

// regSet is a set of a function's registers, one bit each.
type regSet []uint64

func newRegSet(f *Func) regSet { return make(regSet, (len(f.Regs)+63)/64) }

func (s regSet) add(reg int)      { s[reg/64] |= 1 << (reg % 64) }
func (s regSet) has(reg int) bool { return s[reg/64]>>(reg%64)&1 != 0 }
func (s regSet) remove(reg int)   { s[reg/64] &^= 1 << (reg % 64) }
func (s regSet) clear()           { clear(s) }

// union adds the members of t and reports whether one was new.
func (s regSet) union(t regSet) (grew bool) {
	for i, w := range t {
		grew = grew || w&^s[i] != 0
		s[i] |= w
	}
	return grew
}

func (s regSet) intersect(t regSet) {
	for i, w := range t {
		s[i] &= w
	}
}

// rereadable is the set of registers that only ever hold a kernel's parameters
// or copies of them, which in machine code are operands in constant memory.
func (f *Func) rereadable() regSet {
	free, written := newRegSet(f), newRegSet(f)
	for i := range f.Insts {
		in := &f.Insts[i]
		eachRegister(in.Dst, func(reg int) {
			if written.has(reg) || !in.rereads(f, free) {
				free.remove(reg)
			} else {
				free.add(reg)
			}
			written.add(reg)
		})
	}
	return free
}

// rereads reports whether an instruction's result can be had again at no cost.
func (in *Inst) rereads(f *Func, free regSet) bool {
	switch {
	case in.Guard >= 0:
		return false
	case in.Op == "ld":
		return f.Entry && in.Space == Param
	case in.Op != "mov" && in.Op != "cvta":
		return false
	}
	o := &in.Src[0]
	return o.Kind == Register && free.has(o.Reg)
}

// weight is the number of 32-bit registers that the members need that are not
// free.
func (s regSet) weight(f *Func, free regSet) int {
	n := 0
	for i, w := range s {
		for w &^= free[i]; w != 0; w &= w - 1 {
			switch t := f.Regs[i*64+bits.TrailingZeros64(w)]; {
			case t == Pred:
			case t.Size() == 8:
				n += 2
			default:
				n++
			}
		}
	}
	return n
}

// each calls do for each register of the set.
func (s regSet) each(do func(reg int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			do(64*i + bits.TrailingZeros64(w))
		}
	}
}
