package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// realOp is an arithmetic operation on floating-point numbers.
type realOp struct {
	run32, run64 run  // to nearest, without saturation
	nearest64    real // to nearest in float64
	// terms are x, y and z if the result is x*y + z.
	terms func(a, b, c float64) (x, y, z float64)
	// Otherwise the result is a quotient: rounded to odd, to nearest as float32, and
	// its residue (see directed64).
	exact, nearest32 real
	residue          func(a, b, c, q float64) int
}

var realOps = map[string]realOp{
	"add": {run32: runAdd32, run64: runAdd64,
		nearest64: func(a, b, _ float64) float64 { return a + b },
		terms:     func(a, b, _ float64) (x, y, z float64) { return a, 1, b }},
	"sub": {run32: runSub32, run64: runSub64,
		nearest64: func(a, b, _ float64) float64 { return a - b },
		terms:     func(a, b, _ float64) (x, y, z float64) { return a, 1, -b }},
	"mul": {run32: runMul32, run64: runMul64,
		nearest64: func(a, b, _ float64) float64 { return a * b },
		terms:     func(a, b, _ float64) (x, y, z float64) { return a, b, math.Copysign(0, a*b) }},
	"fma": {run32: runFma32, run64: runFma64,
		nearest64: math.FMA,
		terms:     func(a, b, c float64) (x, y, z float64) { return a, b, c }},
	"div": {
		nearest64: func(a, b, _ float64) float64 { return a / b },
		nearest32: func(a, b, _ float64) float64 { return float64(float32(a) / float32(b)) },
		exact:     func(a, b, _ float64) float64 { return oddDivide(a, b) },
		residue:   func(a, b, _, q float64) int { return residueOfQuotient(a, b, q) }},
	"rcp": {
		nearest64: func(a, _, _ float64) float64 { return 1 / a },
		nearest32: func(a, _, _ float64) float64 { return float64(1 / float32(a)) },
		exact:     func(a, _, _ float64) float64 { return oddDivide(1, a) },
		residue:   func(a, _, _, q float64) int { return residueOfQuotient(1, a, q) }},
	"sqrt": {
		nearest64: func(a, _, _ float64) float64 { return math.Sqrt(a) },
		nearest32: func(a, _, _ float64) float64 { return float64(float32(math.Sqrt(a))) },
		exact:     func(a, _, _ float64) float64 { return oddSqrt(a) },
		residue:   func(a, _, _, q float64) int { return residueOfQuotient(a, q, q) }},
}

// real builds an arithmetic operation on a floating-point type.
func (b *builder) real(r realOp) {
	s, t := b.style(), b.kind()
	plain := s.round == toNearest && !s.sat
	if r.terms != nil {
		r.exact = func(a, b, c float64) float64 {
			x, y, z := r.terms(a, b, c)
			return oddAdd(x*y, z)
		}
		r.residue = func(a, b, c, q float64) int {
			x, y, z := r.terms(a, b, c)
			return signOfSum(x, y, z, -q)
		}
	}
	switch {
	case t == ptx.F32x2:
		b.lane3(pair32(lane(ptx.F32, r.minusZero(r.exact, s), s)))
	case smallTypes[t] != nil && !s.sat && !s.ftz && !s.relu:
		b.smallLanes(t)
	case smallTypes[t] != nil:
		b.lane3(lane(t, r.exact, s))
	case t == ptx.F32 && plain && r.run32 != nil:
		o := &b.o
		o.run, o.replaces = r.run32, o.dst == o.a || o.dst == o.b || o.dst == o.c
	case t == ptx.F64 && plain && r.run64 != nil:
		b.o.run = r.run64
	case s.round == toNearest && t == ptx.F64:
		b.lane3(lane(t, r.nearest64, s))
	case s.round == toNearest && r.nearest32 != nil:
		b.lane3(lane(t, r.nearest32, s))
	case t == ptx.F64:
		b.lane3(lane(t, directed64(r.minusZero(r.nearest64, s), r.residue, s.round), s))
	default:
		b.lane3(lane(t, r.minusZero(r.exact, s), s))
	}
}

// minusZero makes an exact sum of zero from two different signs negative, as
// rounding down asks.
func (r *realOp) minusZero(f real, s style) real {
	if s.round != toMinus || r.terms == nil {
		return f
	}
	return func(a, b, c float64) float64 {
		v := f(a, b, c)
		if x, y, z := r.terms(a, b, c); v == 0 && math.Signbit(x*y) != math.Signbit(z) {
			return math.Copysign(0, -1)
		}
		return v
	}
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
		if b.kind() == ptx.F64 && b.o.ftz {
			b.lane3(lane(ptx.F64, upperHalf(f), b.style()))
		} else {
			b.lane3(lane(b.kind(), f, b.style()))
		}
	}
}

// leastOrMost builds min or max. withNaN (.NaN) gives NaN if either operand is one.
func (b *builder) leastOrMost(whole run, number, withNaN real) {
	switch t := b.kind(); {
	case b.in.Has("relu") || t.IsPair() && !t.IsFloat():
		b.integerLimit(t)
	case len(b.in.Src) == 3:
		b.ofThree(number, withNaN)
	case !t.IsFloat():
		b.o.run = whole
	case b.in.Has("NaN"):
		b.lane3(lane(t, withNaN, b.style()))
	default:
		b.lane3(lane(t, number, b.style()))
	}
	if b.in.Has("xorsign") {
		b.xorSign()
	}
}

// xorSign makes min or max compare magnitudes. A result that is a number gets the product
// of the operands' signs.
func (b *builder) xorSign() {
	t, magnitude := b.kind(), b.o.f3
	sign := signBit(t)
	whole := func(x, y, _ uint64) uint64 {
		m, both := magnitude(x&^sign, y&^sign, 0), (x^y)&sign
		if s := smallTypes[t]; s == nil {
			both &^= bit(value32(m, false) != value32(m, false)) << 31
		} else {
			both &^= s.each(func(a, _, _ uint64) uint64 { return bit(s.format.IsNaN(a)) * s.format.Sign() })(m, 0, 0)
		}
		return m | both
	}
	b.lane3(whole)
}

// signBit is that of a floating-point type, or both of a pair.
func signBit(t ptx.Type) uint64 {
	if s := smallTypes[t]; s != nil {
		return s.both(s.format.Sign())
	}
	return 1 << (8*t.Size() - 1)
}

// sign builds abs or neg: of floating-point numbers a bitwise operation with a mask.
func (b *builder) sign(whole, bitwise run, mask uint64, flushed func(t ptx.Type, a uint64) uint64) {
	switch {
	case !b.kind().IsFloat():
		b.o.run = whole
	case b.o.ftz:
		t := b.kind()
		b.lane1(func(a uint64) uint64 { return flushed(t, a) })
	default:
		b.o.b, b.o.run = b.constant(mask), bitwise
	}
}

func flushedAbs(t ptx.Type, a uint64) uint64 { return flush(t, a) &^ signBit(t) }
func flushedNeg(t ptx.Type, a uint64) uint64 { return flush(t, a) ^ signBit(t) }

// flush replaces subnormal numbers by zero of their sign.
func flush(t ptx.Type, a uint64) uint64 {
	if s := smallTypes[t]; s != nil {
		return s.each(func(a, _, _ uint64) uint64 { return s.format.Flush(a) })(a, 0, 0)
	}
	return uint64(flush32(uint32(a)))
}

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
