package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// realOp is an arithmetic operation on floating-point numbers, in the forms in
// which it is computed.
type realOp struct {
	run32, run64 run // to nearest, without saturation
	exact        real
	// minus is exact with the sign that rounding down gives to a sum of 0.
	minus     real
	nearest32 real // to nearest as float32, if there is a quicker way than exact
	nearest64 real
	minus64   real
	residue   residue64
}

var realOps = map[string]realOp{
	"add": {run32: runAdd32, run64: runAdd64, exact: realAdd, minus: minusZero(realAdd, first, second),
		nearest64: nearestAdd, minus64: minusZero(nearestAdd, first, second), residue: residueAdd},
	"sub": {run32: runSub32, run64: runSub64, exact: realSub, minus: minusZero(realSub, first, minusTwo),
		nearest64: nearestSub, minus64: minusZero(nearestSub, first, minusTwo), residue: residueSub},
	"mul": {run32: runMul32, run64: runMul64, exact: realMul, nearest64: product, residue: residueMul},
	"fma": {run32: runFma32, run64: runFma64, exact: realFma, minus: minusZero(realFma, product, third),
		nearest64: nearestFma, minus64: minusZero(nearestFma, product, third), residue: residueFma},
	"div":  {exact: realDiv, nearest32: nearestDiv32, nearest64: nearestDiv, residue: residueDiv},
	"rcp":  {exact: realRcp, nearest32: nearestRcp32, nearest64: nearestRcp, residue: residueRcp},
	"sqrt": {exact: realSqrt, nearest32: nearestSqrt32, nearest64: nearestSqrt, residue: residueSqrt},
}

// real builds an arithmetic operation on a floating-point type.
func (b *builder) real(t ptx.Type, r realOp) {
	s := b.style()
	b.o.ftz = s.ftz
	plain := s.round == toNearest && !s.sat
	f := r.exact
	switch {
	case t == ptx.F32 && plain && r.run32 != nil:
		b.o.run = r.run32
		return
	case t == ptx.F64 && plain && r.run64 != nil:
		b.o.run = r.run64
		return
	case t == ptx.F64:
		f = directed64(r.nearest64, r.residue, s.round)
		if s.round == toMinus && r.minus64 != nil {
			f = directed64(r.minus64, r.residue, s.round)
		}
	case t == ptx.F32 && s.round == toNearest && r.nearest32 != nil:
		f = r.nearest32
	case s.round == toMinus && r.minus != nil:
		f = r.minus
	}
	b.lane3(lane(t, f, s))
}

func buildFma(b *builder) {
	t := b.kind()
	b.operands(t)
	if t.IsFloat() {
		b.real(t, realOps["fma"])
	}
}

func buildDiv(b *builder) {
	t := b.kind()
	b.operands(t)
	if t.IsFloat() {
		b.real(t, realOps["div"])
	} else {
		b.lane2(integers[t].divide)
	}
}

func buildRcp(b *builder)  { b.root(realOps["rcp"]) }
func buildSqrt(b *builder) { b.root(realOps["sqrt"]) }

func (b *builder) root(r realOp) {
	t := b.kind()
	b.operands(t)
	switch {
	case t == ptx.F64 && b.in.Has("approx"):
		b.lane3(lane(ptx.F64, upperHalf(r.nearest64), b.style()))
	case t == ptx.F64 || t == ptx.F32:
		b.real(t, r)
	}
}

// approximations are computed in float64 and rounded to nearest, which is
// within the error that PTX allows for each.
var approximations = map[string]real{
	"rsqrt": realRsqrt, "ex2": realExp2, "lg2": realLog2, "tanh": realTanh,
}

func buildApprox(b *builder) {
	t := b.kind()
	b.operands(t)
	f := approximations[b.in.Op]
	switch {
	case t == ptx.F64 && b.in.Op == "rsqrt":
		if b.in.Has("ftz") {
			f = upperHalf(f)
		}
		b.lane3(lane(t, f, b.style()))
	case t == ptx.F32 && b.in.Op == "sin":
		b.o.ftz, b.o.run = b.in.Has("ftz"), runSin32
	case t == ptx.F32 && b.in.Op == "cos":
		b.o.ftz, b.o.run = b.in.Has("ftz"), runCos32
	case t == ptx.F32:
		b.lane3(lane(t, f, b.style()))
	}
}

func buildMinMax(b *builder) {
	t := b.kind()
	b.operands(t)
	least := b.in.Op == "min"
	if !t.IsFloat() {
		b.o.run = integers[t].max
		if least {
			b.o.run = integers[t].min
		}
		return
	}
	f := realMax
	switch {
	case least && b.in.Has("NaN"):
		f = realMinNaN
	case least:
		f = realMin
	case b.in.Has("NaN"):
		f = realMaxNaN
	}
	b.lane3(lane(t, f, b.style()))
}

// signBit is that of a floating-point type.
func signBit(t ptx.Type) uint64 { return 1 << (8*t.Size() - 1) }

func buildAbs(b *builder) {
	t := b.kind()
	b.operands(t)
	switch {
	case !t.IsFloat():
		b.o.run = integers[t].abs
	case b.in.Has("ftz"):
		b.lane1(func(a uint64) uint64 { return uint64(flush32(uint32(a)) &^ (1 << 31)) })
	default:
		b.o.b = b.constant(signBit(t) - 1)
		b.o.run = runAnd
	}
}

func buildNeg(b *builder) {
	t := b.kind()
	b.operands(t)
	switch {
	case !t.IsFloat():
		b.o.run = runNeg
	case b.in.Has("ftz"):
		b.lane1(func(a uint64) uint64 { return uint64(flush32(uint32(a)) ^ 1<<31) })
	default:
		b.o.b = b.constant(signBit(t))
		b.o.run = runXor
	}
}

// buildCopysign gives the second operand the sign of the first.
func buildCopysign(b *builder) {
	t := b.kind()
	b.operands(t)
	sign := signBit(t)
	b.lane2(func(a, b uint64) uint64 { return a&sign | b&^sign })
}

func buildTestp(b *builder) {
	t := b.kind()
	b.o.a = b.value(b.in.Src[0], t)
	b.o.pdst = b.predicateResult(b.in.Dst[0])
	smallest := math.Float64frombits(1 << 52)
	if t == ptx.F32 {
		smallest = math.Ldexp(1, -126)
	}
	tests := map[string]func(v float64) bool{
		"finite":     func(v float64) bool { return !math.IsInf(v, 0) && v == v },
		"infinite":   func(v float64) bool { return math.IsInf(v, 0) },
		"number":     func(v float64) bool { return v == v },
		"notanumber": func(v float64) bool { return v != v },
		"normal":     func(v float64) bool { return math.Abs(v) >= smallest && !math.IsInf(v, 0) },
		"subnormal":  func(v float64) bool { return v != 0 && math.Abs(v) < smallest },
	}
	for _, m := range b.in.Mods {
		if test, ok := tests[m]; ok {
			b.o.f1 = func(a uint64) uint64 { return bit(test(value(t, a, false))) }
			b.o.run = runTest
		}
	}
}

func runTest(w *Warp, o *op) {
	a := w.src(o.a)
	var holds uint32
	for i := range a {
		holds |= uint32(o.f1(a[i])) << i
	}
	w.setPred(o.pdst, holds)
}
