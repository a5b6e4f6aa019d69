package ptx

import (
	"math"
	"slices"
)

// Hoisted is the program with the loads of each block moved up, as assemblers
// for the machine code move them: first what the addresses need, then loads one
// after another, so that a warp has several outstanding, and then what uses
// them. It computes the same. Nothing moves that would have more 32-bit
// registers hold values at once than a number, or than the program has anyway.
func (p *Program) Hoisted(registers int) (*Program, error) {
	f := *p.kernel
	f.Insts = slices.Clone(f.Insts)
	registers = max(registers, f.MaxLive())
	for _, b := range f.blocks() {
		f.hoist(b.first, b.end, registers)
	}
	c := newCompiler(p.module, &f)
	return c.p, c.compile()
}

// hoist reorders the instructions from first to before end, which are in one
// block. If that takes too many registers it tries each half by itself.
func (f *Func) hoist(first, end, registers int) {
	if end-first < 2 {
		return
	}
	part := f.Insts[first:end]
	before := slices.Clone(part)
	if !sortByLoads(part) {
		return
	}
	if f.MaxLive() <= registers {
		return
	}
	copy(part, before)
	middle := first + (end-first)/2
	f.hoist(first, middle, registers)
	f.hoist(middle, end, registers)
}

// sortByLoads puts instructions in the order of the loads that need them:
// loads that wait for no other and all that their addresses need, then loads
// that wait for one of these, and so on; last what no load needs. An
// instruction that another depends on is needed by every load that needs the
// other, so none is moved before what it depends on. It reports whether the
// order changed.
func sortByLoads(part []Inst) bool {
	const none = math.MaxInt
	needs := make([][]int, len(part)) // earlier instructions that each depends on
	depth := make([]int, len(part))   // loads in the longest chain that ends here
	level := make([]int, len(part))
	for i := range part {
		for j := range i {
			if part[i].dependsOn(&part[j]) {
				needs[i] = append(needs[i], j)
				depth[i] = max(depth[i], depth[j])
			}
		}
		level[i] = none
		if part[i].slowLoad() {
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
func (i *Inst) slowLoad() bool {
	return i.Op == "tex" || i.loads() && (i.Space == Global || i.Space == Local || i.Space == Generic)
}

func (i *Inst) loads() bool { return i.Op == "ld" || i.Op == "ldu" }

// dependsOn reports whether an instruction must stay behind an earlier one of
// its block.
func (i *Inst) dependsOn(earlier *Inst) bool {
	if i.fixed() || earlier.fixed() {
		return true
	}
	if conflict(i, earlier) || conflict(earlier, i) {
		return true
	}
	switch {
	case i.Op == "st" && earlier.Op == "st":
		return mayAlias(i, earlier)
	case i.Op == "st" && earlier.loads():
		return mayAlias(i, earlier)
	case i.loads() && earlier.Op == "st":
		return !i.Has("nc") && mayAlias(i, earlier)
	}
	return false
}

// fixed tells instructions that nothing is moved across: control flow, and what
// has to do with other threads, with time or with the carry flag.
func (i *Inst) fixed() bool {
	switch i.Op {
	case "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "atom", "red", "shfl", "vote", "match",
		"activemask", "nanosleep", "addc", "subc", "madc":
		return true
	case "mov":
		return i.Src[0].Kind == Special && isClock(SpecialRegister(i.Src[0].Imm))
	}
	return i.Has("cc") || i.Has("volatile") || i.Has("relaxed") || i.Has("acquire") || i.Has("release")
}

// conflict reports whether a writes a register that b reads or writes.
func conflict(a, b *Inst) (found bool) {
	eachRegister(a.Dst, func(written int) {
		touch := func(reg int) { found = found || reg == written }
		eachRegister(b.Src, touch)
		eachRegister(b.Dst, touch)
		touch(b.Guard)
	})
	return found
}

// mayAlias reports whether two accesses could be of the same memory, as far as
// their spaces say.
func mayAlias(a, b *Inst) bool {
	return a.Space == b.Space || a.Space == Generic || b.Space == Generic
}
