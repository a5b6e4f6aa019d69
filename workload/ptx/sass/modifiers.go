package sass

import "cotenant/workload/ptx"

// absorbed says which instructions are part of the readers of their result: the
// result is a form of an operand that machine instructions take as it is.
func absorbed(f *ptx.Func, opt Options) []bool {
	into := make([]bool, len(f.Insts))
	if opt.KeepModifiers {
		return into
	}
	writers, readers := make([][]int, len(f.Regs)), make([][]int, len(f.Regs))
	for i := range f.Insts {
		note(f.Insts[i].Dst, i, writers)
		note(f.Insts[i].Src, i, readers)
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
			into[i] = float(resultType(in)) && all(readers[to], func(at int) bool { return takesModified(&f.Insts[at], in.Op) })
		case "cvt":
			into[i] = widens(in) && all(writers[from], func(at int) bool {
				w := &f.Insts[at]
				return w.Op == "ld" && signed(w.Types[0]) == signed(in.Types[1]) || into[at] && signed(w.Types[1]) == signed(in.Types[1])
			})
		}
	}
	return into
}

// note enters an instruction at each register of its operands.
func note(operands []ptx.Operand, inst int, at [][]int) {
	for i := range operands {
		o := &operands[i]
		if (o.Kind == ptx.Register || o.Kind == ptx.Address) && o.Reg >= 0 {
			at[o.Reg] = append(at[o.Reg], inst)
		}
		note(o.Elems, inst, at)
	}
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
	if !float(resultType(in)) {
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
	return !float(to) && !float(from) && to.Size() > from.Size() && to.Size() <= 4
}

func signed(t ptx.Type) bool { return t == ptx.S8 || t == ptx.S16 || t == ptx.S32 || t == ptx.S64 }
