package flow

import (
	"math/bits"

	"cotenant/workload/ptx"
)

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
	defined, live := definedAfter(f, blocks), liveBefore(f, blocks)
	most := 0
	now := newRegSet(f)
	free := rereadable(f)
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
			eachRegister(in.Dst, now.add) // a result that nothing reads takes room, too
			n := now.weight(f, free)
			if in.Op == "call" {
				n += maxLive(in.Src[0].Func, known)
			}
			most = max(most, n)
			now.step(in)
		}
	}
	known[f] = most
	return most
}

// step turns the set of registers live after an instruction into that of those
// live before it.
func (s RegSet) step(in *ptx.Inst) {
	if in.Guard < 0 { // otherwise some lanes keep the old value
		eachRegister(in.Dst, s.remove)
	} else {
		s.add(in.Guard)
	}
	eachRegister(in.Src, s.add)
}

// liveBefore is the set of registers live at the start of each block.
func liveBefore(f *ptx.Func, blocks []block) []RegSet {
	live := make([]RegSet, len(blocks))
	for i := range live {
		live[i] = newRegSet(f)
	}
	preds := predecessors(blocks)
	now := newRegSet(f)
	w := newWorklist(len(blocks))
	for i := range blocks {
		w.push(i) // the last block is taken first
	}
	for i, more := w.pop(); more; i, more = w.pop() {
		now.clear()
		for _, s := range blocks[i].succs {
			now.union(live[s])
		}
		for at := blocks[i].end - 1; at >= blocks[i].first; at-- {
			now.step(&f.Insts[at])
		}
		if live[i].union(now) {
			for _, p := range preds[i] {
				w.push(p)
			}
		}
	}
	return live
}

// definedAfter is the set of registers that some path to the end of each block
// has written.
func definedAfter(f *ptx.Func, blocks []block) []RegSet {
	defined := make([]RegSet, len(blocks))
	w := newWorklist(len(blocks))
	for i := range blocks {
		defined[i] = newRegSet(f)
		for at := blocks[i].first; at < blocks[i].end; at++ {
			eachRegister(f.Insts[at].Dst, defined[i].add)
		}
		w.push(len(blocks) - 1 - i) // the first block is taken first
	}
	for i, more := w.pop(); more; i, more = w.pop() {
		for _, s := range blocks[i].succs {
			if defined[s].union(defined[i]) {
				w.push(s)
			}
		}
	}
	return defined
}

// rereadable is the set of registers that only ever hold a kernel's parameters
// or copies of them, which in machine code are operands in constant memory.
func rereadable(f *ptx.Func) RegSet {
	free, written := newRegSet(f), newRegSet(f)
	for i := range f.Insts {
		in := &f.Insts[i]
		eachRegister(in.Dst, func(reg int) {
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

// weight is the number of 32-bit registers that the members need that are not
// free.
func (s RegSet) weight(f *ptx.Func, free RegSet) int {
	n := 0
	for i, w := range s {
		for w &^= free[i]; w != 0; w &= w - 1 {
			switch t := f.Regs[i*64+bits.TrailingZeros64(w)]; {
			case t == ptx.Pred:
			case t.Size() == 8:
				n += 2
			default:
				n++
			}
		}
	}
	return n
}
