package flow

import "cotenant/workload/ptx"

// MaxLive is the largest number of 32-bit registers that hold values at the
// same time in a function, including called functions, while its own values
// wait. 64-bit registers count twice; not at all predicates,
// which have registers of their own, and a kernel's parameters, which machine
// code reads where it needs them. It is what an ideal allocator needs.
func MaxLive(f *ptx.Func) int { return maxLive(f, map[*ptx.Func]int{}) }

// maxLive keeps the results of the functions called in known.
func maxLive(f *ptx.Func, known map[*ptx.Func]int) int {
	if n, ok := known[f]; ok {
		return n
	}
	blocks := piecesOf(f) // as functions that change the order count
	p := newPressure(f, blocks)
	p.callees = known
	most := 0
	for i, b := range blocks {
		insts := f.Insts[b.first:b.end]
		most = max(most, p.most(insts, upTo(len(insts)), p.behind[i]))
	}
	known[f] = most
	return most
}

// step turns the set of registers live after an instruction into that of those
// live before it.
func (s RegSet) step(in *ptx.Inst) {
	if in.Guard < 0 { // otherwise some lanes keep the old value
		EachRegister(in.Dst, s.remove)
	} else {
		s.add(in.Guard)
	}
	EachRegister(in.Src, s.add)
}

// liveBefore is the set of registers live at the start of each block.
func liveBefore(f *ptx.Func, blocks []block) []RegSet {
	live := make([]RegSet, len(blocks))
	for i := range live {
		live[i] = newRegSet(f)
	}
	now := newRegSet(f)
	settle(blocks, false, func(i int, succs []int) bool {
		now.clear()
		for _, s := range succs {
			now.union(live[s])
		}
		for at := blocks[i].end - 1; at >= blocks[i].first; at-- {
			now.step(&f.Insts[at])
		}
		return live[i].union(now)
	})
	return live
}

// definedAfter is the set of registers that some path to the end of each block
// has written.
func definedAfter(f *ptx.Func, blocks []block) []RegSet {
	defined := make([]RegSet, len(blocks))
	for i, b := range blocks {
		defined[i] = newRegSet(f)
		for at := b.first; at < b.end; at++ {
			EachRegister(f.Insts[at].Dst, defined[i].add)
		}
	}
	settle(blocks, true, func(i int, preds []int) (grew bool) {
		for _, p := range preds {
			grew = defined[i].union(defined[p]) || grew
		}
		return grew
	})
	return defined
}

// rereadable is the set of registers that only ever hold a kernel's parameters
// or copies of them, which in machine code are operands in constant memory.
func rereadable(f *ptx.Func) RegSet {
	free, written := newRegSet(f), newRegSet(f)
	for i := range f.Insts {
		in := &f.Insts[i]
		EachRegister(in.Dst, func(reg int) {
			if written.Has(reg) || !rereads(in, f, free) {
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
func rereads(in *ptx.Inst, f *ptx.Func, free RegSet) bool {
	switch {
	case in.Guard >= 0:
		return false
	case in.Op == "ld":
		return f.Entry && in.Space == ptx.Param
	case in.Op != "mov" && in.Op != "cvta":
		return false
	}
	o := &in.Src[0]
	return o.Kind == ptx.Register && free.Has(o.Reg)
}
