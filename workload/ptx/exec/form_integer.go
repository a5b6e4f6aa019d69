package exec

import "cotenant/workload/ptx"

// integerOps are the operations on one integer type for which its sign or
// width matters.
type integerOps struct {
	shr, min, max, abs, mulWide, madWide run
	compare                              run
	carryAdd, carrySub, carryMad         run
	divide, remainder, mulHigh           func(a, b uint64) uint64
	cnot                                 func(a uint64) uint64
	sad                                  func(a, b, c uint64) uint64
}

func operationsOn[T integer](mulHigh func(a, b uint64) uint64) integerOps {
	return integerOps{
		shr: runShr[T], min: runMin[T], max: runMax[T], abs: runAbs[T], mulWide: runMulWide[T], madWide: runMadWide[T],
		compare:  runCompare[T],
		carryAdd: carryAdd[T], carrySub: carrySub[T], carryMad: carryMad[T],
		divide: divide[T], remainder: remainder[T], mulHigh: mulHigh,
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

// carry builds an addition or subtraction with carry, and reports whether the
// instruction is one.
func (b *builder) carry(r run) bool {
	if b.in.Op[len(b.in.Op)-1] == 'c' && b.in.Op != "sub" {
		b.o.mode |= carryReads
	}
	if b.in.Has("cc") {
		b.o.mode |= carryWrites
	}
	if b.o.mode == 0 {
		return false
	}
	b.o.run = r
	return true
}

func buildAdd(b *builder) {
	t := b.kind()
	b.operands(t)
	switch {
	case t.IsFloat():
		b.real(t, realOps["add"])
	case b.carry(integers[t].carryAdd):
	case b.in.Has("sat"):
		b.lane2(addSaturated2)
	default:
		b.o.run = runAdd
	}
}

func buildSub(b *builder) {
	t := b.kind()
	b.operands(t)
	switch {
	case t.IsFloat():
		b.real(t, realOps["sub"])
	case b.carry(integers[t].carrySub):
	case b.in.Has("sat"):
		b.lane2(subSaturated2)
	default:
		b.o.run = runSub
	}
}

func buildMul(b *builder) {
	t := b.kind()
	b.operands(t)
	switch {
	case t.IsFloat():
		b.real(t, realOps["mul"])
	case b.in.Has("wide"):
		b.o.run = integers[t].mulWide
	case b.in.Has("hi"):
		b.lane2(integers[t].mulHigh)
	default:
		b.o.run = runMul
	}
}

func buildMad(b *builder) {
	t := b.kind()
	b.operands(t)
	half := mulLow
	if b.in.Has("hi") {
		half = integers[t].mulHigh
	}
	b.o.f2 = half
	switch {
	case t.IsFloat():
		b.real(t, realOps["fma"])
	case b.carry(integers[t].carryMad):
	case b.in.Has("wide"):
		b.o.run = integers[t].madWide
	case b.in.Has("sat"):
		b.lane3(addSaturated(half))
	case b.in.Has("hi"):
		b.lane3(plus(half))
	default:
		b.o.run = runMad
	}
}

func buildMul24(b *builder) {
	t := b.kind()
	b.operands(t)
	shift := uint(0)
	if b.in.Has("hi") {
		shift = 16
	}
	half := mul24(t.IsSigned(), shift)
	switch {
	case b.in.Op == "mul24":
		b.lane2(half)
	case b.in.Has("sat"):
		b.lane3(addSaturated(half))
	default:
		b.lane3(plus(half))
	}
}

func buildRem(b *builder) {
	t := b.kind()
	b.operands(t)
	b.lane2(integers[t].remainder)
}

func buildSad(b *builder) {
	t := b.kind()
	b.operands(t)
	b.lane3(integers[t].sad)
}

func buildDot(b *builder) {
	signedA, signedB := b.in.Types[0].IsSigned(), b.in.Types[1].IsSigned()
	b.operands(ptx.U32)
	if b.in.Op == "dp4a" {
		b.lane3(dotProduct(signedA, signedB))
	} else {
		b.lane3(dotProduct2(signedA, signedB, b.in.Has("hi")))
	}
}

func buildLogic(b *builder) {
	t := b.kind()
	if t == ptx.Pred {
		b.predicateLogic()
		return
	}
	b.operands(t)
	b.o.run = map[string]run{"and": runAnd, "or": runOr, "xor": runXor, "not": runNot}[b.in.Op]
}

// predicateLogic combines masks. Not is a combination with all ones.
func (b *builder) predicateLogic() {
	b.o.pdst = b.predicateResult(b.in.Dst[0])
	b.o.p, b.o.pFlip = b.predicate(b.in.Src[0])
	b.o.q = alwaysTrue
	if len(b.in.Src) > 1 {
		b.o.q, b.o.qFlip = b.predicate(b.in.Src[1])
	}
	b.o.mode = map[string]uint8{"and": combineAnd, "or": combineOr, "xor": combineXor, "not": combineXor, "mov": combineAnd}[b.in.Op]
	b.o.run = runPredicates
}

func runPredicates(w *Warp, o *op) {
	w.setPred(o.pdst, combine(o.mode, w.preds[o.p]^o.pFlip, w.preds[o.q]^o.qFlip))
}

func buildCnot(b *builder) {
	t := b.kind()
	b.operands(t)
	b.lane1(integers[t].cnot)
}

func buildShift(b *builder) {
	t := b.kind()
	b.o.dst = b.result(b.in.Dst[0])
	b.sources(t, ptx.U32)
	if b.in.Op == "shl" {
		b.o.run = runShl
	} else {
		b.o.run = integers[t].shr
	}
}

func buildFunnel(b *builder) {
	b.operands(ptx.U32)
	b.lane3(funnel(b.in.Has("l"), b.in.Has("wrap")))
}

func buildLop3(b *builder) {
	b.operands(ptx.B32)
	b.lane3(lookup3(b.in.Src[3].Imm))
}

func buildPermute(b *builder) {
	b.operands(ptx.B32)
	b.lane3(permute)
	for _, m := range b.in.Mods {
		if selectors, ok := permuteModes[m]; ok {
			b.lane3(permuteBy(selectors))
		}
	}
}

func buildExtract(b *builder) {
	t := b.kind()
	b.o.dst = b.result(b.in.Dst[0])
	b.sources(t, ptx.U32)
	b.lane3(extractField(uint64(8*t.Size()), t.IsSigned()))
}

func buildInsert(b *builder) {
	t := b.kind()
	b.o.dst = b.result(b.in.Dst[0])
	b.sources(t, t, ptx.U32)
	b.o.list = []int32{b.value(b.in.Src[3], ptx.U32)}
	b.o.imm = uint64(8 * t.Size())
	b.o.run = runInsert
}

func runInsert(w *Warp, o *op) {
	d, a, b, start, length := w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), w.src(o.list[0])
	for i := range d {
		d[i] = insertField(a[i], b[i], start[i], length[i], o.imm)
	}
	w.commit(o)
}

func buildBitCount(b *builder) {
	t := b.kind()
	b.operands(t)
	wide := t.Size() == 8
	switch b.in.Op {
	case "bfind":
		b.lane1(findBit(uint(8*t.Size()), t.IsSigned(), b.in.Has("shiftamt")))
	case "clz":
		b.lane1(leadingZeros32)
		if wide {
			b.lane1(leadingZeros64)
		}
	case "popc":
		b.lane1(populationCount32)
		if wide {
			b.lane1(populationCount64)
		}
	default:
		b.lane1(reverse32)
		if wide {
			b.lane1(reverse64)
		}
	}
}
