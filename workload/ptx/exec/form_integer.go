package exec

import "cotenant/workload/ptx"

// integerOps are the operations on one integer type for which its sign or
// width matters.
type integerOps struct {
	shr, min, max, abs, mulWide, madWide run
	compare                              run
	divide, remainder, mulHigh           func(a, b uint64) uint64
	cnot                                 func(a uint64) uint64
	sad                                  func(a, b, c uint64) uint64
}

func operationsOn[T integer](mulHigh func(a, b uint64) uint64) integerOps {
	return integerOps{
		shr: runShr[T], min: runMin[T], max: runMax[T], abs: runAbs[T], mulWide: runMulWide[T], madWide: runMadWide[T],
		compare: runCompare[T], divide: divide[T], remainder: remainder[T], mulHigh: mulHigh,
		cnot: conditionalNot[T], sad: sumAbsDiff[T],
	}
}

// numTypes is the number of PTX's types, of which Pred is the last.
const numTypes = ptx.Pred + 1

var integers = func() [numTypes]integerOps {
	var ops [numTypes]integerOps
	ops[ptx.U16] = operationsOn[uint16](mulHigh[uint16](16))
	ops[ptx.U32] = operationsOn[uint32](mulHigh[uint32](32))
	ops[ptx.U64] = operationsOn[uint64](mulHighU64)
	ops[ptx.S16] = operationsOn[int16](mulHigh[int16](16))
	ops[ptx.S32] = operationsOn[int32](mulHigh[int32](32))
	ops[ptx.S64] = operationsOn[int64](mulHighS64)
	ops[ptx.B16], ops[ptx.B32], ops[ptx.B64] = ops[ptx.U16], ops[ptx.U32], ops[ptx.U64]
	return ops
}()

// arithmetic builds what addition, subtraction and products share: floating point
// and carries. It reports whether the instruction has either.
func (b *builder) arithmetic(r realOp) bool {
	if b.kind().IsFloat() {
		b.real(r)
		return true
	}
	switch b.in.Op {
	case "addc", "subc", "madc":
		b.o.mode |= carryReads
	}
	if b.in.Has("cc") {
		b.o.mode |= carryWrites
	}
	if b.o.mode == 0 {
		return false
	}
	if b.in.Op[:3] == "sub" {
		b.o.mode |= carryBorrows
	}
	b.o.shift, b.o.run = cut(b.kind()), runCarry
	return true
}

func buildAdd(b *builder) {
	switch {
	case b.kind() == ptx.U16x2 || b.kind() == ptx.S16x2:
		b.lane2(bothHalves(func(a, b uint64) uint64 { return a + b }))
	case b.arithmetic(realOps["add"]):
	case b.in.Has("sat"):
		b.lane2(func(a, b uint64) uint64 { return saturate32(int64(int32(a)) + int64(int32(b))) })
	default:
		b.o.run = runAdd
	}
}

func buildSub(b *builder) {
	switch {
	case b.arithmetic(realOps["sub"]):
	case b.in.Has("sat"):
		b.lane2(func(a, b uint64) uint64 { return saturate32(int64(int32(a)) - int64(int32(b))) })
	default:
		b.o.run = runSub
	}
}

func buildMul(b *builder) {
	switch {
	case b.arithmetic(realOps["mul"]):
	case b.in.Has("wide"):
		b.o.run = b.integer().mulWide
	case b.in.Has("hi"):
		b.lane2(b.integer().mulHigh)
	default:
		b.o.run = runMul
	}
}

func buildMad(b *builder) {
	b.o.f2 = func(a, b uint64) uint64 { return a * b }
	if b.in.Has("hi") {
		b.o.f2 = b.integer().mulHigh
	}
	switch {
	case b.arithmetic(realOps["fma"]):
	case b.in.Has("wide"):
		b.o.run = b.integer().madWide
	case b.in.Has("hi"):
		b.sumOf(b.o.f2)
	default:
		b.o.run = runMad
	}
}

// sumOf builds the sum of a product and the third operand.
func (b *builder) sumOf(product func(a, b uint64) uint64) {
	if b.in.Has("sat") {
		b.lane3(addSaturated(product))
	} else {
		b.lane3(func(a, b, c uint64) uint64 { return product(a, b) + c })
	}
}

func buildDiv(b *builder) {
	if b.kind().IsFloat() {
		b.real(realOps["div"])
	} else {
		b.lane2(b.integer().divide)
	}
}

func buildMul24(b *builder) {
	shift := uint(0)
	if b.in.Has("hi") {
		shift = 16
	}
	if half := mul24(b.kind().IsSigned(), shift); b.in.Op == "mul24" {
		b.lane2(half)
	} else {
		b.sumOf(half)
	}
}

func buildDot(b *builder) {
	signedA, signedB := b.in.Types[0].IsSigned(), b.in.Types[1].IsSigned()
	if b.in.Op == "dp4a" {
		b.lane3(dotProduct(signedA, signedB))
	} else {
		b.lane3(dotProduct2(signedA, signedB, b.in.Has("hi")))
	}
}

// logic is a bitwise operation, also on predicates.
func logic(r run, combination uint8) func(b *builder) {
	return func(b *builder) {
		if b.o.run = r; b.kind() == ptx.Pred {
			b.o.mode, b.o.run = combination, runPredicates
		}
	}
}

func runPredicates(w *Warp, o *op) {
	w.setPred(o.pdst, combine(o.mode, w.preds[o.p]^o.pFlip, w.preds[o.q]^o.qFlip))
}

func buildPermute(b *builder) {
	b.lane3(permute)
	if selectors := chosen(b, permuteModes); selectors != nil {
		b.lane3(permuteBy(selectors))
	}
}

func runInsert(w *Warp, o *op) {
	d, a, b, start, length := w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), w.src(o.list[0])
	for i := range d {
		d[i] = insertField(a[i], b[i], start[i], length[i], o.imm)
	}
	w.commit(o)
}
