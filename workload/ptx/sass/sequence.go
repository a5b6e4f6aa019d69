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
	corrected    = []step{{class: workload.SFU, count: 1}, {class: workload.FP32, count: 1}}
	revolutions  = []step{{class: workload.FP32, count: 1}, {class: workload.SFU, count: 1}} // angles into revolutions first
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

// multiplies are the flags of integer instructions that multiply.
var multiplies = map[string]workload.Flags{
	"mul": workload.Multiply, "mul24": workload.Multiply,
	"mad": workload.MultiplyAdd, "madc": workload.MultiplyAdd, "mad24": workload.MultiplyAdd,
	"dp2a": workload.MultiplyAdd, "dp4a": workload.MultiplyAdd,
}

// sequences are the sequences of operations that are the same for all types.
var sequences = map[string][]step{
	"tex": one(workload.Load), "atom": one(workload.Atomic), "red": one(workload.Reduction),
	"ldmatrix": one(workload.Load), "stmatrix": one(workload.Store), "movmatrix": one(workload.SFU), "mma": one(workload.Tensor),
	"createpolicy": one(workload.Int), "fns": many(workload.Int, 8),
	"bra": one(workload.Branch), "brx": one(workload.Branch), "call": one(workload.Branch),
	"exit": one(workload.Exit), "trap": one(workload.Exit),
	"mapa": one(workload.Int), "getctarank": one(workload.Int), "elect": one(workload.Int),
	"setmaxnreg": one(workload.Nop), "griddepcontrol": one(workload.Nop),
	"membar": one(workload.Fence), "fence": one(workload.Fence), "nanosleep": one(workload.Nop),
	"shfl": one(workload.SFU), "vote": one(workload.SFU), "match": one(workload.SFU), "redux": one(workload.SFU),
	"ex2": one(workload.SFU), "lg2": one(workload.SFU), "tanh": one(workload.SFU),
	"sin": revolutions, "cos": revolutions,
}

// sequence is what an instruction that is not free becomes.
func sequence(f *ptx.Func, in *ptx.Inst, opt Options) []step {
	t := resultType(in)
	switch in.Op {
	case "ld", "ldu":
		switch {
		case in.Space == ptx.Param && !ofKernel(f, in):
			return one(workload.Int) // an argument or result of a call, in a register
		case in.Space == ptx.Const || in.Space == ptx.Param:
			return one(workload.Constant)
		}
		return one(workload.Load)
	case "st":
		if in.Space == ptx.Param {
			return one(workload.Int)
		}
		return one(workload.Store)
	case "ret":
		if !f.Entry {
			return one(workload.Branch)
		}
		return one(workload.Exit)
	case "bar", "barrier":
		if in.Has("cluster") && in.Has("wait") {
			return one(workload.Await)
		}
		if in.Has("warp") || in.Has("cluster") {
			return one(workload.Nop)
		}
		return one(workload.Barrier)
	case "mbarrier", "wgmma":
		return hopper(in)
	case "popc", "clz", "brev", "bfind":
		if wide(t) && !opt.Narrow64 { // both halves, then joined
			return []step{{class: workload.SFU, count: 2}, {class: workload.Int, count: 1}}
		}
		return one(workload.SFU)
	case "cp":
		switch {
		case in.Has("bulk") || in.Has("mbarrier"):
			return hopper(in)
		case in.Has("global"):
			return one(workload.Copy)
		case in.Has("commit_group"):
			return one(workload.Commit)
		case in.Has("wait_group"):
			return one(workload.Await)
		case in.Has("wait_all"):
			return []step{{class: workload.Commit, count: 1}, {class: workload.Await, count: 1}}
		}
		return one(workload.Fence)
	case "cvt":
		return conversion(in)
	case "ex2", "tanh":
		if t.IsPair() {
			return many(workload.SFU, 2)
		}
	case "div", "rem":
		return divide(in, t, opt)
	case "sqrt", "rcp", "rsqrt":
		return rootOrReciprocal(in, t, opt)
	}
	if s, ok := sequences[in.Op]; ok {
		return s
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

func wide(t ptx.Type) bool { return t.Size() == 8 && !t.IsFloat() }

// plain is one instruction of the pipe of a type.
func plain(t ptx.Type) []step {
	switch {
	case t == ptx.F64:
		return one(workload.FP64)
	case t == ptx.F16 || t == ptx.F16x2 || t == ptx.BF16 || t == ptx.BF16x2:
		return []step{{workload.FP32, 1, workload.Half}}
	case t.IsFloat():
		return one(workload.FP32)
	}
	return one(workload.Int)
}

// long are the sequences for integers of 64 bits, others being of two instructions.
var long = map[string][]step{
	"mul": longProduct(3, 1), "mad": longProduct(3, 1),
	"shl": many(workload.Int, 3), "shr": many(workload.Int, 3),
	"bfe": many(workload.Int, 3), "bfi": many(workload.Int, 3), "abs": many(workload.Int, 3),
	"min": many(workload.Int, 4), "max": many(workload.Int, 4), // compare, choose
}

func arithmetic(in *ptx.Inst, t ptx.Type, opt Options) []step {
	switch {
	case in.Op == "mov" || in.Op == "selp": // of bits, whatever they mean
		if t.Size() == 8 && !opt.Narrow64 {
			return many(workload.Int, 2)
		}
		return one(workload.Int)
	case t.IsFloat():
		return plain(t)
	case !wide(t) || opt.Narrow64 || in.Has("wide"):
		return product(multiplies[in.Op])
	case in.Has("hi") && (in.Op == "mul" || in.Op == "mad"):
		return longProduct(4, 4)
	}
	if s, ok := long[in.Op]; ok {
		return s
	}
	return many(workload.Int, 2)
}

func conversion(in *ptx.Inst) []step {
	to, from := in.Types[0], in.Types[1]
	switch {
	case to == ptx.F64 || from == ptx.F64:
		return one(workload.FP64)
	case to.IsFloat() && from.IsFloat() && (packs(to) || packs(from)):
		return one(workload.Int)
	case to.IsFloat() != from.IsFloat(), to == ptx.F16 && from != ptx.F16, to.IsFloat() && integral(in):
		return []step{{workload.SFU, 1, workload.Convert}} // the quarter-rate pipe
	}
	return plain(to)
}

// packs tells the types that the pipe of integers converts to and from (F2FP, and shifts for
// bf16 to f32).
func packs(t ptx.Type) bool { return t.IsPair() || t == ptx.BF16 || t == ptx.TF32 }

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
	case opt.KeepDivisions:
		return plain(t)
	case t == ptx.F64:
		return division64
	case t.IsFloat() && (in.Has("approx") || in.Has("full")):
		return corrected
	case t.IsFloat():
		return division
	case wide(t):
		return longDivision
	}
	return intDivision
}

func rootOrReciprocal(in *ptx.Inst, t ptx.Type, opt Options) []step {
	switch {
	case t == ptx.F64 && opt.KeepDivisions:
		return plain(t)
	case t == ptx.F64:
		return division64
	case in.Op == "sqrt" && in.Has("approx") && !opt.KeepDivisions:
		return corrected // reciprocal root, times the operand
	case opt.KeepDivisions || in.Has("approx"):
		return one(workload.SFU)
	case in.Op == "sqrt":
		return root
	}
	return reciprocal
}
