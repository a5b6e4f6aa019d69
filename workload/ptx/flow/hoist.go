package flow

import (
	"math"
	"slices"

	"cotenant/workload/ptx"
)

// Hoist is a function with the loads of each block moved up, as assemblers for
// the machine code move them: first what the addresses need, then loads one
// after another, so that a warp has several outstanding, and then what uses
// them. It computes the same. Nothing moves that would have more 32-bit
// registers hold values at once than a number, or than the function has anyway
// (see MaxLive).
func Hoist(f *ptx.Func, registers int) *ptx.Func {
	h := *f
	h.Insts = slices.Clone(f.Insts)
	registers = max(registers, MaxLive(f))
	for _, b := range blocksOf(f) {
		hoist(&h, b.first, b.end, registers)
	}
	return &h
}

// hoist reorders the instructions from first to before end, which are in one
// block. If that takes too many registers it tries each half by itself.
func hoist(f *ptx.Func, first, end, registers int) {
	if end-first < 2 {
		return
	}
	part := f.Insts[first:end]
	before := slices.Clone(part)
	if !sortByLoads(part) {
		return
	}
	if MaxLive(f) <= registers {
		return
	}
	copy(part, before)
	middle := first + (end-first)/2
	hoist(f, first, middle, registers)
	hoist(f, middle, end, registers)
}

// sortByLoads puts instructions in the order of the loads that need them:
// loads that wait for no other and all that their addresses need, then loads
// that wait for one of these, and so on; last what no load needs. An
// instruction that another depends on is needed by every load that needs the
// other, so none is moved before what it depends on. It reports whether the
// order changed.
func sortByLoads(part []ptx.Inst) bool {
	const none = math.MaxInt
	needs := make([][]int, len(part)) // earlier instructions that each depends on
	depth := make([]int, len(part))   // loads in the longest chain that ends here
	level := make([]int, len(part))
	var d dependences
	for i := range part {
		needs[i] = d.of(part, i)
		for _, j := range needs[i] {
			depth[i] = max(depth[i], depth[j])
		}
		level[i] = none
		if slowLoad(&part[i]) {
			depth[i]++
			level[i] = depth[i]
		}
	}
	for i := len(part) - 1; i >= 0; i-- {
		for _, j := range needs[i] {
			level[j] = min(level[j], level[i])
		}
	}
	if slices.IsSorted(level) {
		return false
	}
	order := make([]int, len(part))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return level[a] - level[b] })
	before := slices.Clone(part)
	for to, from := range order {
		part[to] = before[from]
	}
	return true
}

// slowLoad tells loads that may have to wait for memory.
func slowLoad(i *ptx.Inst) bool {
	return i.Op == "tex" || loads(i) && (i.Space == ptx.Global || i.Space == ptx.Local || i.Space == ptx.Generic)
}

func loads(i *ptx.Inst) bool { return i.Op == "ld" || i.Op == "ldu" }

// dependences finds out which earlier ones of a block each instruction must
// stay behind. It leaves out those that follow from others.
type dependences struct {
	fixed  int // number of the last fixed instruction, from 1
	memory []int
	uses   map[int]*use // of registers
}

// use is which instructions used a register last.
type use struct {
	writer  int // number, from 1
	readers []int
}

// of returns the instructions that part[i] must stay behind. It is called for
// one after another.
func (d *dependences) of(part []ptx.Inst, i int) (needs []int) {
	in := &part[i]
	if d.uses == nil {
		d.uses = map[int]*use{}
	}
	if d.fixed > 0 {
		needs = append(needs, d.fixed-1)
	}
	if fixed(in) {
		for j := d.fixed; j < i; j++ {
			needs = append(needs, j)
		}
		d.fixed = i + 1
	}
	touch := func(reg int) *use {
		u := d.uses[reg]
		if u == nil {
			u = &use{}
			d.uses[reg] = u
		}
		if u.writer > 0 {
			needs = append(needs, u.writer-1)
		}
		return u
	}
	read := func(reg int) {
		u := touch(reg)
		u.readers = append(u.readers, i)
	}
	eachRegister(in.Src, read)
	if in.Guard >= 0 {
		read(in.Guard)
	}
	eachRegister(in.Dst, func(reg int) {
		u := touch(reg)
		needs = append(needs, u.readers...)
		u.writer, u.readers = i+1, u.readers[:0]
	})
	if in.Op == "st" || loads(in) {
		for _, j := range d.memory {
			if mustFollow(in, &part[j]) {
				needs = append(needs, j)
			}
		}
		d.memory = append(d.memory, i)
	}
	return slices.DeleteFunc(needs, func(j int) bool { return j == i })
}

// mustFollow reports whether a load or store must stay behind an earlier one,
// because they could be of the same memory and one of them stores.
func mustFollow(i, earlier *ptx.Inst) bool {
	if loads(i) && (loads(earlier) || i.Has("nc")) {
		return false
	}
	return mayAlias(i, earlier)
}

// fixed tells instructions that nothing is moved across: control flow, and what
// has to do with other threads, with time or with the carry flag.
func fixed(i *ptx.Inst) bool {
	switch i.Op {
	case "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "atom", "red", "shfl", "vote", "match",
		"activemask", "nanosleep", "addc", "subc", "madc":
		return true
	case "mov":
		return i.Src[0].Kind == ptx.Special && ptx.SpecialRegister(i.Src[0].Imm).IsClock()
	}
	return i.Has("cc") || i.Has("volatile") || i.Has("relaxed") || i.Has("acquire") || i.Has("release")
}

// mayAlias reports whether two accesses could be of the same memory, as far as
// their spaces say.
func mayAlias(a, b *ptx.Inst) bool {
	return a.Space == b.Space || a.Space == ptx.Generic || b.Space == ptx.Generic
}
