package flow

import "cotenant/workload/ptx"

// Offsets is a function in which ldmatrix, stmatrix and cp.async have the constant that was
// added to their addresses in the instruction, as machine code has it (LDSM R4, [R8+0x400]).
// PTX in CUDA sources cannot: the address is an operand there. An addition that nothing reads
// any more is left out. It computes the same.
func Offsets(f *ptx.Func) *ptx.Func {
	o := offsets{f: f, sums: map[int]int{}, writer: make([]int, len(f.Regs)), run: make([]int, len(f.Insts)), looped: inLoops(f)}
	for n, b := range blocksOf(f) {
		for i := b.first; i < b.end; i++ {
			o.run[i] = n
		}
	}
	defs := make([]int, len(f.Regs))
	for i := range f.Insts {
		in := &f.Insts[i]
		EachRegister(in.Dst, func(reg int) {
			defs[reg]++
			o.writer[reg] = i
		})
		if isSum(in) {
			o.sums[in.Dst[0].Reg] = i
		}
	}
	for reg, i := range o.sums {
		if defs[reg] != 1 || defs[f.Insts[i].Src[0].Reg] != 1 {
			delete(o.sums, reg)
		}
	}
	if len(o.sums) == 0 {
		return f
	}
	h, folded := *f, false
	h.Insts = append([]ptx.Inst(nil), f.Insts...)
	for i := range h.Insts {
		if at := addressed(&h.Insts[i]); at > 0 {
			src := append([]ptx.Operand(nil), h.Insts[i].Src...)
			for k := range src[:at] {
				folded = o.fold(i, &src[k]) || folded
			}
			h.Insts[i].Src = src
		}
	}
	if !folded {
		return f
	}
	return o.without(&h)
}

// offsets is the state of Offsets.
type offsets struct {
	f      *ptx.Func
	sums   map[int]int // additions of a constant to a register, by their result; both are written once in the text
	writer []int       // the last instruction of the text that writes a register
	run    []int       // the straight run of each instruction
	looped []bool
}

// addressed is the number of operands of an instruction, from the first on, that are addresses
// and may take a constant.
func addressed(in *ptx.Inst) int {
	switch {
	case in.Op == "ldmatrix", in.Op == "stmatrix":
		return 1
	case in.Op == "cp" && (in.Has("ca") || in.Has("cg")):
		return 2
	}
	return 0
}

// isSum tells additions of a constant to a register.
func isSum(in *ptx.Inst) bool {
	if in.Op != "add" || in.Guard >= 0 || len(in.Mods) != 1 || len(in.Types) != 1 || in.Types[0].IsFloat() || in.Types[0].Size() < 4 {
		return false
	}
	return len(in.Src) == 2 && in.Src[0].Kind == ptx.Register && in.Src[1].Kind == ptx.Immediate && !in.Types[0].IsPair()
}

// largestOffset is the largest constant of an address: machine code has 24 bits with a sign.
const largestOffset = 1<<23 - 1

// fold puts the constant into an address operand of an instruction. The base must have the
// value that it had when the constant was added: it is written once, outside of loops, or the
// addition is further up in the same straight run.
func (o *offsets) fold(at int, x *ptx.Operand) (folded bool) {
	for x.Kind == ptx.Address && x.Reg >= 0 {
		i, ok := o.sums[x.Reg]
		if !ok || i >= at {
			return folded
		}
		sum := &o.f.Insts[i]
		base, imm := sum.Src[0].Reg, int64(x.Imm)+signed(sum.Src[1].Imm, sum.Types[0])
		if imm > largestOffset || imm < -largestOffset || !o.lasts(base, i, at) {
			return folded
		}
		x.Reg, x.Imm, folded = base, uint64(imm), true
	}
	return folded
}

// signed is a constant of a type as a number with a sign.
func signed(imm uint64, t ptx.Type) int64 {
	if t.Size() == 4 {
		return int64(int32(imm))
	}
	return int64(imm)
}

// lasts reports whether a register that is written once has one value at both instructions,
// of which the first comes earlier in the text.
func (o *offsets) lasts(reg, first, second int) bool {
	w := o.writer[reg]
	if w >= first || o.f.Insts[w].Guard >= 0 {
		return false
	}
	return !o.looped[w] || o.run[first] == o.run[second]
}

// inLoops tells the instructions between a branch that leads back and its target. All loops
// are among them.
func inLoops(f *ptx.Func) []bool {
	looped := make([]bool, len(f.Insts))
	back := func(from, to int) {
		for i := to; to >= 0 && i <= from; i++ {
			looped[i] = true
		}
	}
	for i := range f.Insts {
		back(i, f.Insts[i].Target)
		for _, to := range f.Insts[i].Targets {
			back(i, to)
		}
	}
	return looped
}

// without leaves out the additions that nothing reads any more.
func (o *offsets) without(h *ptx.Func) *ptx.Func {
	left := map[int]bool{}
	for again := true; again; {
		again = false
		read := RegistersRead(h)
		for reg, i := range o.sums {
			if !left[i] && !read.Has(reg) {
				left[i], again = true, true
				h.Insts[i].Src = h.Insts[i].Src[1:] // it reads nothing either
			}
		}
	}
	return rebuilt(h, blocksOf(h), func(_ int, b block) (insts []ptx.Inst) {
		for i := b.first; i < b.end; i++ {
			if !left[i] {
				insts = append(insts, h.Insts[i])
			}
		}
		return insts
	})
}
