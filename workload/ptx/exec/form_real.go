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
func (b *builder) real(r realOp) {
	s, t := b.style(), b.kind()
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
	case s.round == toNearest && r.nearest32 != nil:
		f = r.nearest32
	case s.round == toMinus && r.minus != nil:
		f = r.minus
	}
	b.lane3(lane(t, f, s))
}

// root builds a reciprocal or root.
func (b *builder) root(r realOp) {
	if b.kind() == ptx.F64 && b.in.Has("approx") {
		b.lane3(lane(ptx.F64, upperHalf(r.nearest64), b.style()))
	} else {
		b.real(r)
	}
}

// approximate is an operation that is computed in float64 and rounded to nearest,
// which is within the error that PTX allows.
func approximate(f real) func(b *builder) {
	return func(b *builder) {
		if b.kind() == ptx.F64 && b.in.Has("ftz") {
			b.lane3(lane(ptx.F64, upperHalf(f), b.style()))
		} else {
			b.lane3(lane(b.kind(), f, b.style()))
		}
	}
}

// leastOrMost builds min or max. withNaN (.NaN) gives NaN if either operand is one.
func (b *builder) leastOrMost(whole run, number, withNaN real) {
	switch t := b.kind(); {
	case !t.IsFloat():
		b.o.run = whole
	case b.in.Has("NaN"):
		b.lane3(lane(t, withNaN, b.style()))
	default:
		b.lane3(lane(t, number, b.style()))
	}
}

// signBit is that of a floating-point type.
func signBit(t ptx.Type) uint64 { return 1 << (8*t.Size() - 1) }

// sign builds abs or neg: of floating-point numbers a bitwise operation with a mask.
func (b *builder) sign(whole, bitwise run, mask uint64, flushed func(a uint64) uint64) {
	switch {
	case !b.kind().IsFloat():
		b.o.run = whole
	case b.o.ftz:
		b.lane1(flushed)
	default:
		b.o.b, b.o.run = b.constant(mask), bitwise
	}
}

func flushedAbs(a uint64) uint64 { return uint64(flush32(uint32(a)) &^ (1 << 31)) }
func flushedNeg(a uint64) uint64 { return uint64(flush32(uint32(a)) ^ 1<<31) }

// buildCopysign gives the second operand the sign of the first.
func buildCopysign(b *builder) {
	sign := signBit(b.kind())
	b.lane2(func(a, b uint64) uint64 { return a&sign | b&^sign })
}

func buildTestp(b *builder) {
	t := b.kind()
	smallest := math.Float64frombits(1 << 52)
	if t == ptx.F32 {
		smallest = math.Ldexp(1, -126)
	}
	test := chosen(b, map[string]func(v float64) bool{
		"finite":     func(v float64) bool { return !math.IsInf(v, 0) && v == v },
		"infinite":   func(v float64) bool { return math.IsInf(v, 0) },
		"number":     func(v float64) bool { return v == v },
		"notanumber": func(v float64) bool { return v != v },
		"normal":     func(v float64) bool { return math.Abs(v) >= smallest && !math.IsInf(v, 0) },
		"subnormal":  func(v float64) bool { return v != 0 && math.Abs(v) < smallest },
	})
	b.o.f1 = func(a uint64) uint64 { return bit(test(value(t, a, false))) }
	b.o.run = runTest
}

func runTest(w *Warp, o *op) {
	a := w.src(o.a)
	var holds uint32
	for i := range a {
		holds |= uint32(o.f1(a[i])) << i
	}
	w.setPred(o.pdst, holds)
}
