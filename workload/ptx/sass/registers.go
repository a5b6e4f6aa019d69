package sass

import (
	"cmp"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// registers maps a function's virtual registers to the machine's, of which the
// scoreboard knows workload.NoReg. Copies share a register unless both hold
// values of their own at the same time, as a compiler's coalescing makes them,
// and so do values and the forms of them that other instructions absorb. Beyond
// that, registers are handed out in the order of first use, in turn, leaving out registers
// that hold a value at the same time. The turn ends spareRegisters behind the least number
// that the program takes, which it has when each value gets the first that is free.
type registers struct {
	class   []int       // first virtual register that shares the machine register
	machine []uint8     // first machine register of each virtual register
	wide    []bool      // takes the next one too
	read    flow.RegSet // by some instruction
	doubled int         // values that share a register with others at the same time
}

func assign(f *ptx.Func, absorbed []bool, opt Options) *registers {
	r := &registers{machine: make([]uint8, len(f.Regs)), wide: make([]bool, len(f.Regs)), read: flow.RegistersRead(f)}
	for v, t := range f.Regs {
		r.wide[v] = t.Size() == 8
	}
	apart := flow.Interference(f)
	r.class = r.share(f, absorbed, apart, opt)
	h := &handOut{registers: r, apart: make([]flow.Row, len(f.Regs))}
	for v, class := range r.class {
		if h.apart[class] == nil {
			h.apart[class] = apart[v]
		} else {
			h.apart[class] = h.apart[class].With(apart[v])
		}
	}
	h.accumulators(f)
	if h.giveAll(f, true); !opt.PackRegisters {
		h.turn = min(h.most+spareRegisters, workload.NoReg)
		h.giveAll(f, false)
	}
	if r.doubled > 0 {
		h.aside = h.wordless(f, opt)
		h.giveAll(f, true)
	}
	for v, class := range r.class {
		r.machine[v] = r.machine[class]
	}
	return r
}

// spareRegisters is how many registers programs take above the least. With 10 registers are
// overwritten as soon after their last read as in machine code of the same programs
// (TestRegistersAreOverwrittenAsSoonAsInMachineCode). A variable for that test.
var spareRegisters = 10

// share finds out which virtual registers share a machine register: for each,
// the first of them.
func (r *registers) share(f *ptx.Func, absorbed []bool, apart []flow.Row, opt Options) []int {
	class, members := make([]int, len(f.Regs)), make([][]int, len(f.Regs))
	for v := range class {
		class[v], members[v] = v, []int{v}
	}
	join := func(a, b int) {
		a, b = min(class[a], class[b]), max(class[a], class[b])
		if a == b {
			return
		}
		for _, v := range members[b] {
			class[v] = a
		}
		members[a], members[b] = append(members[a], members[b]...), nil
	}
	var copies [][2]int
	same := values(f, apart)
	// meet reports whether two classes hold values of their own at the same time.
	meet := func(a, b int) (met bool) {
		a, b = class[a], class[b]
		if len(members[a]) > len(members[b]) {
			a, b = b, a
		}
		for _, v := range members[a] {
			apart[v].Each(func(w int) { met = met || class[w] == b && same[v] != same[w] })
		}
		return met
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		if absorbed[i] {
			join(in.Dst[0].Reg, in.Src[0].Reg)
		} else if from, to, ok := flow.Copies(in); ok && !opt.KeepMoves && r.wide[to] == r.wide[from] {
			copies = append(copies, [2]int{to, from})
		}
	}
	// Not in the order of the text, which scheduling changes.
	slices.SortFunc(copies, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for _, c := range copies {
		if !meet(c[0], c[1]) {
			join(c[0], c[1])
		}
	}
	return class
}

// values has for each register its original, if it is only ever a copy of a
// register that nothing changes while the copy is in use; itself otherwise.
func values(f *ptx.Func, apart []flow.Row) []int {
	_, defs := counts(f)
	same := make([]int, len(f.Regs))
	for v := range same {
		same[v] = v
	}
	for i := range f.Insts {
		if from, to, ok := flow.Copies(&f.Insts[i]); ok && f.Insts[i].Guard < 0 && defs[to] == 1 && defs[from] == 1 && !apart[from].Has(to) {
			same[to] = same[from]
		}
	}
	return same
}

// handOut gives classes of virtual registers machine registers.
type handOut struct {
	*registers
	apart []flow.Row // of classes
	given []bool
	next  int
	most  int  // registers that are handed out
	turn  int  // registers to hand out before the first comes again
	packs bool // next stays 0
	// before has the class of the accumulator that a product of matrices adds to, by the class
	// of its sum, which takes its place if it can.
	before map[int]int
	// aside has the classes that take no register of the machine, where registers are short.
	// Predicates have the last ones beside other values, and parameters have none.
	aside map[int]uint8
}

// predicates is the number of predicate registers of a machine.
const predicates = 7

// wordless finds the classes that take no register of the machine.
func (h *handOut) wordless(f *ptx.Func, opt Options) map[int]uint8 {
	words, aside := flow.Words(f), map[int]uint8{}
	for v, class := range h.class {
		if words[v] > 0 || opt.KeepParams && f.Regs[v] != ptx.Pred {
			aside[class] = 0
		} else if at, ok := aside[class]; !ok && f.Regs[v] == ptx.Pred {
			aside[class] = uint8(workload.NoReg - 1 - len(aside)%predicates)
		} else if !ok {
			aside[class] = workload.NoReg
		} else {
			aside[class] = at
		}
	}
	for class, at := range aside {
		if at == 0 {
			delete(aside, class)
		}
	}
	return aside
}

// accumulators finds the classes of the accumulators that products of matrices add to.
func (h *handOut) accumulators(f *ptx.Func) {
	h.before = map[int]int{}
	for i := range f.Insts {
		if in := &f.Insts[i]; in.Op == "mma" {
			var sums, sources []int
			flow.EachRegister(in.Dst, func(reg int) { sums = append(sums, reg) })
			flow.EachRegister(in.Src[2:3], func(reg int) { sources = append(sources, reg) })
			for k := range min(len(sums), len(sources)) {
				h.before[h.class[sums[k]]] = h.class[sources[k]]
			}
		}
	}
}

// giveAll gives all classes registers, in the order of first use.
func (h *handOut) giveAll(f *ptx.Func, packs bool) {
	h.given, h.packs, h.most, h.next, h.doubled = make([]bool, len(f.Regs)), packs, 0, 0, 0
	if packs {
		h.turn = workload.NoReg
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		flow.EachRegister(in.Dst, h.give)
		flow.EachRegister(in.Src, h.give)
		if in.Guard >= 0 {
			h.give(in.Guard)
		}
	}
}

// give gives the class of a virtual register the next machine register, or two,
// that no other class has that holds a value at the same time.
func (h *handOut) give(v int) {
	class := h.class[v]
	if h.given[class] {
		return
	}
	if at, ok := h.aside[class]; ok {
		h.machine[class] = at
		return
	}
	h.given[class] = true
	var taken [workload.NoReg + 2]bool
	h.apart[class].Each(func(other int) {
		if c := h.class[other]; h.given[c] && c != class {
			taken[h.machine[c]] = true
			taken[h.machine[c]+1] = taken[h.machine[c]+1] || h.wide[c]
		}
	})
	size := 1
	if h.wide[class] {
		size = 2
	}
	if b, ok := h.before[class]; ok && h.given[b] && !taken[h.machine[b]] && h.wide[b] == h.wide[class] && size == 1 {
		h.machine[class] = h.machine[b]
		return
	}
	at := h.from(h.next, size)
	for tries := 0; taken[at] || size == 2 && taken[at+1]; tries++ {
		switch {
		case tries < h.turn:
			at = h.from(at+1, size)
			continue
		case h.turn < workload.NoReg: // pairs leave gaps
			h.turn, tries = h.turn+1, 0
			continue
		}
		at = h.from(h.next, size) // all are taken
		h.doubled++
		break
	}
	h.machine[class] = uint8(at)
	h.most = max(h.most, at+size)
	if !h.packs {
		h.next = at + size
	}
}

// from is the first place for registers from one on.
func (h *handOut) from(at, size int) int {
	if at+size > h.turn {
		return 0
	}
	return at
}

// results lists the machine registers that an instruction writes, as many as
// an instruction can have. Components of a texel that nothing reads are left out: machine
// code masks them.
func (r *registers) results(in *ptx.Inst) [4]uint8 {
	all := &sourceList{regs: r, list: workload.NoRegs10, most: 4}
	flow.EachRegister(in.Dst, func(reg int) {
		if in.Op != "tex" || r.read.Has(reg) {
			all.add(reg)
		}
	})
	return [4]uint8(all.list[:4])
}

// sourceList collects the machine registers of operands, as many as an
// instruction can have.
type sourceList struct {
	regs *registers
	list [10]uint8
	n    int
	most int
}

// plainSources is the most registers that an instruction reads, unless it multiplies
// matrices: an address of two and four of data. A predicate takes a place if one is left.
const plainSources = 6

func (l *sourceList) put(reg uint8) {
	if l.n < l.most {
		l.list[l.n] = reg
		l.n++
	}
}

func (l *sourceList) addAll(operands []ptx.Operand) {
	flow.EachRegister(operands, l.add)
}

func (l *sourceList) add(reg int) {
	if l.regs.machine[reg] == workload.NoReg {
		return
	}
	l.put(l.regs.machine[reg])
	if l.regs.wide[reg] {
		l.put(l.regs.machine[reg] + 1)
	}
}
