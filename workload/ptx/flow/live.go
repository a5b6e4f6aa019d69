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
	known[f] = 0 // of its calls of itself, which keep registers in memory
	most, now := 0, newRegSet(f)
	for i, b := range blocks {
		insts := f.Insts[b.first:b.end]
		now.is(p.behind[i])
		most = max(most, p.most(insts, upTo(len(insts)), now))
	}
	known[f] = most
	return most
}

// step turns the set of registers live after an instruction into that of those
// live before it.
func (s RegSet) step(in *ptx.Inst) { before(in, s.add, s.remove) }

// before adds and removes the registers in which the registers live before an instruction
// differ from the registers live after it.
func before(in *ptx.Inst, add, remove func(reg int)) {
	if in.Guard < 0 { // otherwise some lanes keep the old value
		EachRegister(in.Dst, remove)
	} else {
		add(in.Guard)
	}
	EachRegister(in.Src, add)
}

// liveBefore is the set of registers live at the start of each block.
func liveBefore(f *ptx.Func, blocks []block) []Row {
	live := make([]Row, len(blocks))
	now := newRegSet(f)
	settle(blocks, false, func(i int, succs []int) bool {
		now.clear()
		for _, s := range succs {
			live[s].addTo(now)
		}
		for at := blocks[i].end - 1; at >= blocks[i].first; at-- {
			now.step(&f.Insts[at])
		}
		return live[i].union(now)
	})
	return live
}

// definedAfter is, of the registers that are live between blocks, the set of registers
// that some path to the end of each block has written.
func definedAfter(f *ptx.Func, blocks []block, live []Row) []Row {
	between, now := newRegSet(f), newRegSet(f)
	for _, l := range live {
		l.addTo(between)
	}
	defined := make([]Row, len(blocks))
	for i, b := range blocks {
		now.clear()
		for at := b.first; at < b.end; at++ {
			EachRegister(f.Insts[at].Dst, now.add)
		}
		now.intersect(between)
		defined[i].union(now)
	}
	settle(blocks, true, func(i int, preds []int) bool {
		now.clear()
		for _, p := range preds {
			defined[p].addTo(now)
		}
		return defined[i].union(now)
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
