package sass

import (
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// absorbed says which instructions are part of the readers of their result: the
// result is a form of an operand that machine instructions take as it is.
func absorbed(f *ptx.Func, opt Options) []bool {
	into := make([]bool, len(f.Insts))
	if opt.KeepModifiers {
		return into
	}
	writers, readers := make([][]int, len(f.Regs)), make([][]int, len(f.Regs))
	for i := range f.Insts {
		flow.EachRegister(f.Insts[i].Dst, func(reg int) { writers[reg] = append(writers[reg], i) })
		flow.EachRegister(f.Insts[i].Src, func(reg int) { readers[reg] = append(readers[reg], i) })
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Guard >= 0 || len(in.Dst) != 1 || in.Dst[0].Kind != ptx.Register || len(in.Src) == 0 || in.Src[0].Kind != ptx.Register {
			continue
		}
		to, from := in.Dst[0].Reg, in.Src[0].Reg
		if len(writers[to]) != 1 {
			continue
		}
		switch in.Op {
		case "neg", "abs":
			into[i] = resultType(in).IsFloat() && all(readers[to], func(at int) bool { return takesModified(&f.Insts[at], in.Op) })
		case "cvt":
			into[i] = widens(in) && all(writers[from], func(at int) bool {
				w := &f.Insts[at]
				return w.Op == "ld" && w.Types[0].IsSigned() == in.Types[1].IsSigned() || into[at] && w.Types[1].IsSigned() == in.Types[1].IsSigned()
			})
		}
	}
	return into
}

func all(insts []int, ok func(int) bool) bool {
	for _, i := range insts {
		if !ok(i) {
			return false
		}
	}
	return len(insts) > 0
}

// takesModified reports whether an instruction negates its floating-point
// operands, or takes their absolute value, by itself. FMUL and FFMA do the
// former only.
func takesModified(in *ptx.Inst, how string) bool {
	if !resultType(in).IsFloat() {
		return false
	}
	switch in.Op {
	case "add", "sub", "min", "max", "setp":
		return true
	case "mul", "fma", "mad":
		return how == "neg"
	}
	return false
}

// widens tells conversions of an integer to a wider integer of at most 32 bits: a
// load of few bits leaves 32 in its register already.
func widens(in *ptx.Inst) bool {
	if len(in.Types) != 2 || in.Has("sat") {
		return false
	}
	to, from := in.Types[0], in.Types[1]
	return !to.IsFloat() && !from.IsFloat() && to.Size() > from.Size() && to.Size() <= 4
}
