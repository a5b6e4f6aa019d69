package sass

import (
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// step is a run of instructions of one class, with flags if they multiply
// integers, or convert.
type step struct {
	class workload.Class
	count int
	flags workload.Flags
}

// Common sequences. Divisions and roots are as long as nvcc's code for them, to
// within a few instructions.
var (
	intDivision  = []step{{class: workload.SFU, count: 3}, {class: workload.Int, count: 15}} // I2F, RCP, F2I, then multiplications and corrections
	longDivision = []step{{class: workload.SFU, count: 4}, {class: workload.Int, count: 66}}
	division     = []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 8}} // reciprocal, Newton steps, correction
	root         = []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 7}}
	reciprocal   = []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 4}}
	division64   = []step{{class: workload.SFU, count: 1}, {class: workload.FP64, count: 10}}
)

func one(c workload.Class) []step         { return many(c, 1) }
func many(c workload.Class, n int) []step { return []step{{class: c, count: n}} }

// product is a multiplication of integers, with or without an addition to the
// product, in a single instruction.
func product(f workload.Flags) []step { return []step{{workload.Int, 1, f}} }

// longProduct is a product of 64 bits: products of halves (IMAD, IMAD.WIDE), and n
// additions.
func longProduct(products, n int) []step {
	return []step{{workload.Int, products, workload.MultiplyAdd}, {class: workload.Int, count: n}}
}

// multiplies are the flags of an integer instruction that multiplies, 0 of
// another.
func multiplies(in *ptx.Inst) workload.Flags {
	switch in.Op {
	case "mul", "mul24":
		return workload.Multiply
	case "mad", "madc", "mad24", "dp2a", "dp4a":
		return workload.MultiplyAdd
	}
	return 0
}

// sequence is what an instruction that is not free becomes.
func sequence(f *ptx.Func, in *ptx.Inst, opt Options) []step {
	t := resultType(in)
	switch in.Op {
	case "ld", "ldu":
		if in.Space == ptx.Param && !ofKernel(f, in) {
			return one(workload.Int) // an argument or result of a call, in a register
		}
		if in.Space == ptx.Const || in.Space == ptx.Param {
			return one(workload.Constant)
		}
		return one(workload.Load)
	case "tex":
		return one(workload.Load)
	case "st":
		if in.Space == ptx.Param {
			return one(workload.Int)
		}
		return one(workload.Store)
	case "atom":
		return one(workload.Atomic)
	case "red":
		return one(workload.Reduction)
	case "bra", "brx", "call":
		return one(workload.Branch)
	case "ret":
		if !f.Entry {
			return one(workload.Branch)
		}
		return one(workload.Exit)
	case "exit", "trap":
		return one(workload.Exit)
	case "bar", "barrier":
		if in.Has("warp") {
			return one(workload.Nop)
		}
		return one(workload.Barrier)
	case "membar", "fence":
		return one(workload.Fence)
	case "nanosleep":
		return one(workload.Nop)
	case "shfl", "vote", "match", "redux":
		return one(workload.SFU)
	case "popc", "clz", "brev", "bfind":
		if wide(t) && !opt.Narrow64 { // both halves, then joined
			return []step{{class: workload.SFU, count: 2}, {class: workload.Int, count: 1}}
		}
		return one(workload.SFU)
	case "cvt":
		return conversion(in)
	case "div", "rem":
		return divide(in, t, opt)
	case "sqrt", "rcp", "rsqrt":
		return rootOrReciprocal(in, t, opt)
	case "sin", "cos":
		return []step{{class: workload.FP32, count: 1}, {class: workload.SFU, count: 1}} // into revolutions first
	case "ex2", "lg2", "tanh":
		return one(workload.SFU)
	}
	return arithmetic(in, t, opt)
}

// resultType is the type that decides how wide an instruction works: of its
// operands, which for setp and the like is the last one named.
func resultType(in *ptx.Inst) ptx.Type {
	if len(in.Types) == 0 {
		return ptx.B32
	}
	return in.Types[len(in.Types)-1]
}

func wide(t ptx.Type) bool  { return t == ptx.B64 || t == ptx.U64 || t == ptx.S64 }
func float(t ptx.Type) bool { return t == ptx.F16 || t == ptx.F32 || t == ptx.F64 }

func arithmetic(in *ptx.Inst, t ptx.Type, opt Options) []step {
	switch {
	case in.Op == "mov" || in.Op == "selp": // of bits, whatever they mean
		if t.Size() == 8 && !opt.Narrow64 {
			return many(workload.Int, 2)
		}
		return one(workload.Int)
	case t == ptx.F64:
		return one(workload.FP64)
	case float(t):
		return one(workload.FP32)
	case !wide(t) || opt.Narrow64 || in.Has("wide"):
		return product(multiplies(in))
	}
	switch in.Op {
	case "mul", "mad":
		if in.Has("hi") {
			return longProduct(4, 4)
		}
		return longProduct(3, 1)
	case "shl", "shr", "bfe", "bfi", "abs":
		return many(workload.Int, 3)
	case "min", "max":
		return many(workload.Int, 4) // compare, choose
	}
	return many(workload.Int, 2)
}

func conversion(in *ptx.Inst) []step {
	if len(in.Types) < 2 {
		return one(workload.Int)
	}
	to, from := in.Types[0], in.Types[1]
	switch {
	case to == ptx.F64 || from == ptx.F64:
		return one(workload.FP64)
	case float(to) != float(from), to == ptx.F16 && from != ptx.F16, float(to) && integral(in):
		return []step{{workload.SFU, 1, workload.Convert}} // the quarter-rate pipe
	case float(to):
		return one(workload.FP32)
	}
	return one(workload.Int)
}

// integral reports whether a conversion rounds to a whole number.
func integral(in *ptx.Inst) bool {
	return in.Has("rni") || in.Has("rzi") || in.Has("rmi") || in.Has("rpi")
}

// ofKernel reports whether a load reads a parameter of the kernel.
func ofKernel(f *ptx.Func, in *ptx.Inst) bool {
	v := in.Src[0].Var
	return f.Entry && (v == nil || slices.Contains(f.Params, v))
}

func divide(in *ptx.Inst, t ptx.Type, opt Options) []step {
	switch {
	case opt.KeepDivisions && t == ptx.F64:
		return one(workload.FP64)
	case opt.KeepDivisions && float(t):
		return one(workload.FP32)
	case opt.KeepDivisions:
		return one(workload.Int)
	case t == ptx.F64:
		return division64
	case float(t) && (in.Has("approx") || in.Has("full")):
		return []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 1}}
	case float(t):
		return division
	case wide(t):
		return longDivision
	}
	return intDivision
}

func rootOrReciprocal(in *ptx.Inst, t ptx.Type, opt Options) []step {
	switch {
	case t == ptx.F64 && !opt.KeepDivisions:
		return division64
	case t == ptx.F64:
		return one(workload.FP64)
	case in.Op == "sqrt" && in.Has("approx") && !opt.KeepDivisions:
		return []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 1}} // reciprocal root, times the operand
	case opt.KeepDivisions || in.Has("approx"):
		return one(workload.SFU)
	case in.Op == "sqrt":
		return root
	}
	return reciprocal
}
