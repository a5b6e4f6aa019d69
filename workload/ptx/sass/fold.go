package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// fold says that an instruction is part of a later one, as machines have it: a
// product or shift is an operand of the addition that alone uses its result.
type fold struct {
	operand int // index of the product or shift
	steps   []step
}

// addressFolds finds the additions that a product or shift joins, by index of
// the addition.
//
//	mul.wide + add.s64   IMAD.WIDE
//	shl.b64 + add.s64    LEA, LEA.HI.X
//	shl.b32 + add.s32    LEA
func addressFolds(f *ptx.Func, targets []bool, opt Options) map[int]fold {
	if opt.KeepAddresses {
		return nil
	}
	uses, defs := counts(f)
	folds := map[int]fold{}
	for i := range f.Insts {
		in := &f.Insts[i]
		steps := joins(in, opt)
		if steps == nil || uses[in.Dst[0].Reg] != 1 || defs[in.Dst[0].Reg] != 1 {
			continue
		}
		if at := user(f, i, targets); at >= 0 {
			if _, taken := folds[at]; !taken && sameWidth(&f.Insts[at], in) {
				folds[at] = fold{i, steps}
			}
		}
	}
	return folds
}

// joins is what an addition with the result of in becomes, nil if the two stay
// apart.
func joins(in *ptx.Inst, opt Options) []step {
	if in.Guard >= 0 || len(in.Dst) != 1 || in.Dst[0].Kind != ptx.Register {
		return nil
	}
	t := resultType(in)
	switch {
	case in.Op == "mul" && in.Has("wide") && t.Size() == 4:
		return product(workload.MultiplyAdd)
	case in.Op != "shl" || in.Src[1].Kind != ptx.Immediate || in.Src[1].Imm > 31:
		return nil
	case t == ptx.B32 || t == ptx.B64 && opt.Narrow64:
		return one(workload.Int)
	case t == ptx.B64:
		return many(workload.Int, 2)
	}
	return nil
}

// sameWidth reports whether an addition has the width of in's result.
func sameWidth(add, in *ptx.Inst) bool {
	bytes := resultType(in).Size()
	if in.Has("wide") {
		bytes *= 2
	}
	return resultType(add).Size() == bytes
}

// farthest is how far behind an instruction its user is looked for.
const farthest = 2048

// user is the plain integer addition that reads the result of an instruction,
// if it comes in the same straight run and the operands are still what they
// were; -1 otherwise.
func user(f *ptx.Func, index int, targets []bool) int {
	in := &f.Insts[index]
	result := in.Dst[0].Reg
	for at := index + 1; at < min(len(f.Insts), index+farthest) && !targets[at]; at++ {
		next := &f.Insts[at]
		if reads(next.Src, result) {
			t := resultType(next)
			if next.Op == "add" && next.Guard < 0 && !t.IsFloat() && !t.IsPair() && len(next.Mods) == 1 {
				return at
			}
			return -1
		}
		if leavesLine(next) {
			return -1
		}
		for _, o := range in.Src {
			if o.Kind == ptx.Register && reads(next.Dst, o.Reg) {
				return -1
			}
		}
	}
	return -1
}

// reads reports whether a register is among operands.
func reads(operands []ptx.Operand, reg int) (found bool) {
	flow.EachRegister(operands, func(r int) { found = found || r == reg })
	return found
}

// counts is how often each register is read and written in the text.
func counts(f *ptx.Func) (uses, defs []int) {
	uses, defs = make([]int, len(f.Regs)), make([]int, len(f.Regs))
	for i := range f.Insts {
		in := &f.Insts[i]
		flow.EachRegister(in.Src, func(reg int) { uses[reg]++ })
		flow.EachRegister(in.Dst, func(reg int) { defs[reg]++ })
		if in.Guard >= 0 {
			uses[in.Guard]++
		}
	}
	return uses, defs
}
