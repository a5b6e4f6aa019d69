package ptx

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// format is a binary floating-point format, described apart from the code under
// test: numbers are sign, exponent and fraction.
type format struct{ exponent, fraction int }

var formats = map[string]format{"f16": {5, 10}, "f32": {8, 23}, "f64": {11, 52}}

func (f format) bias() int { return 1<<(f.exponent-1) - 1 }

// decode gives a finite number exactly; ok is false for infinity and NaN.
func (f format) decode(v uint64) (r *big.Rat, ok bool) {
	fraction := v & (1<<f.fraction - 1)
	exponent := int(v >> f.fraction & (1<<f.exponent - 1))
	if exponent == 1<<f.exponent-1 {
		return nil, false
	}
	if exponent == 0 {
		exponent = 1
	} else {
		fraction |= 1 << f.fraction
	}
	r = scaled(new(big.Int).SetUint64(fraction), exponent-f.bias()-f.fraction)
	if f.negative(v) {
		r.Neg(r)
	}
	return r, true
}

func scaled(n *big.Int, exponent int) *big.Rat {
	r := new(big.Rat).SetInt(n)
	power := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exponent, -exponent))))
	if exponent < 0 {
		return r.Quo(r, power)
	}
	return r.Mul(r, power)
}

func (f format) sign() uint64           { return 1 << (f.exponent + f.fraction) }
func (f format) negative(v uint64) bool { return v&f.sign() != 0 }
func (f format) infinity() uint64       { return (1<<f.exponent - 1) << f.fraction }
func (f format) isNaN(v uint64) bool    { return v&^f.sign() > f.infinity() }
func (f format) flush(v uint64) uint64 {
	if v&f.infinity() == 0 {
		return v & f.sign()
	}
	return v
}

// encode rounds a number that is not 0: it finds the largest number of the
// format that is not above the magnitude by bisection over the bits, which are
// in the order of the numbers, and takes that or the next.
func (f format) encode(r *big.Rat, mode string) uint64 {
	magnitude := new(big.Rat).Abs(r)
	low, high := uint64(0), f.infinity() // low <= magnitude < high, but for overflow
	if f.fraction > 10 {                 // start close
		x, _ := magnitude.Float64()
		near := math.Float64bits(x)
		if f.fraction == 23 {
			near = uint64(math.Float32bits(float32(x)))
		}
		low, high = max(near, 2)-2, min(near+2, high)
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		if m, _ := f.decode(middle); m.Cmp(magnitude) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	below, _ := f.decode(low)
	above, ok := f.decode(high)
	if !ok { // as if there were one more number
		above = scaled(big.NewInt(1), f.bias()+1)
	}
	away := mode == "rm" && r.Sign() < 0 || mode == "rp" && r.Sign() > 0
	v := low
	if c := magnitude.Cmp(below); c != 0 {
		middle := new(big.Rat).Add(below, above)
		middle.Mul(middle, big.NewRat(1, 2))
		c := magnitude.Cmp(middle)
		if mode == "rn" && (c > 0 || c == 0 && low&1 != 0) || mode != "rn" && away {
			v = high
		}
	}
	if r.Sign() < 0 {
		v |= f.sign()
	}
	return v
}

// realBits draws numbers of a format: all exponents, neighbours of powers of
// two, few bits set, and the special ones.
func realBits(f format) *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		n := rapid.Uint64().Draw(t, "bits")
		fraction := n & (1<<f.fraction - 1)
		exponent := n >> 52 & (1<<f.exponent - 1)
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			exponent = 0
		case 1:
			exponent, fraction = 1<<f.exponent-1, fraction&(fraction>>8)&1
		case 2, 3: // near 1, so that sums overlap
			exponent = uint64(f.bias()) + n>>58 - 32
		case 4:
			fraction &= 7
			exponent = uint64(f.bias()) + n>>60 - 8
		case 5:
			fraction = (1<<f.fraction - 1) &^ (fraction & 3)
		case 6:
			fraction = 0
		}
		exponent &= 1<<f.exponent - 1
		return n>>63<<(f.exponent+f.fraction) | exponent<<f.fraction | fraction
	})
}

// toFloat is a number's value, exact in float64.
func (f format) toFloat(v uint64) float64 {
	r, ok := f.decode(v)
	switch {
	case f.isNaN(v):
		return math.NaN()
	case !ok && f.negative(v):
		return math.Inf(-1)
	case !ok:
		return math.Inf(1)
	}
	x, _ := r.Float64()
	if f.negative(v) && x == 0 {
		return math.Copysign(0, -1)
	}
	return x
}

// special encodes infinities, zeros and NaN.
func (f format) special(v float64) uint64 {
	u := uint64(0)
	switch {
	case v != v:
		return f.sign() - 1 // all ones: the canonical NaN
	case math.IsInf(v, 0):
		u = f.infinity()
	case v != 0:
		panic("not special")
	}
	if math.Signbit(v) {
		u |= f.sign()
	}
	return u
}

// realModel is an operation on exact numbers, and on float64 for operands or
// results that are infinite, NaN or 0.
type realModel struct {
	operands int
	exact    func(a, b, c *big.Rat) *big.Rat
	special  func(a, b, c float64) float64
	// opposite says that the result is a sum of terms of different signs.
	opposite func(a, b, c float64) bool
}

var realModels = map[string]realModel{
	"add": {2, func(a, b, _ *big.Rat) *big.Rat { return a.Add(a, b) },
		func(a, b, _ float64) float64 { return a + b },
		func(a, b, _ float64) bool { return math.Signbit(a) != math.Signbit(b) }},
	"sub": {2, func(a, b, _ *big.Rat) *big.Rat { return a.Sub(a, b) },
		func(a, b, _ float64) float64 { return a - b },
		func(a, b, _ float64) bool { return math.Signbit(a) == math.Signbit(b) }},
	"mul": {2, func(a, b, _ *big.Rat) *big.Rat { return a.Mul(a, b) },
		func(a, b, _ float64) float64 { return a * b }, nil},
	"fma": {3, func(a, b, c *big.Rat) *big.Rat { return a.Add(a.Mul(a, b), c) },
		func(a, b, c float64) float64 { return math.FMA(a, b, c) },
		func(a, b, c float64) bool { return math.Signbit(a) != math.Signbit(b) != math.Signbit(c) }},
	"div": {2, func(a, b, _ *big.Rat) *big.Rat {
		if b.Sign() == 0 {
			return nil
		}
		return a.Quo(a, b)
	}, func(a, b, _ float64) float64 { return a / b }, nil},
	"rcp": {1, func(a, _, _ *big.Rat) *big.Rat {
		if a.Sign() == 0 {
			return nil
		}
		return a.Inv(a)
	}, func(a, _, _ float64) float64 { return 1 / a }, nil},
	"sqrt": {1, func(a, _, _ *big.Rat) *big.Rat {
		if a.Sign() < 0 {
			return nil
		}
		// A root that is not exact is neither a number of the format nor halfway
		// between two, so that 300 bits decide every rounding.
		root := new(big.Float).SetPrec(300).SetRat(a)
		r, _ := root.Sqrt(root).Rat(nil)
		if r == nil {
			return new(big.Rat)
		}
		return r
	}, func(a, _, _ float64) float64 { return math.Sqrt(a) }, nil},
}

// expected computes a model's result for operands in a format.
func (m realModel) expected(f format, mode string, v []uint64) uint64 {
	var x [3]float64
	var r [3]*big.Rat
	finite := true
	for i := range v {
		var ok bool
		x[i] = f.toFloat(v[i])
		r[i], ok = f.decode(v[i])
		finite = finite && ok
	}
	var exact *big.Rat
	if finite {
		exact = m.exact(r[0], r[1], r[2])
	}
	if exact != nil && exact.Sign() != 0 {
		return f.encode(exact, mode)
	}
	if exact != nil && m.opposite != nil {
		if m.opposite(x[0], x[1], x[2]) {
			if mode == "rm" {
				return f.sign()
			}
			return 0
		}
	}
	return f.special(m.special(x[0], x[1], x[2]))
}

func TestArithmeticRoundsTheExactResultOnce(t *testing.T) {
	for op, m := range realModels {
		for _, typ := range []string{"f32", "f64"} {
			for _, mode := range []string{"rn", "rz", "rm", "rp"} {
				f := formats[typ]
				text := fmt.Sprintf("%s.%s.%s $d, %s", op, mode, typ, "$a, $b, $c"[:4*m.operands-2])
				t.Run(text, func(t *testing.T) {
					n := newInstruction(t, text, typ, []string{typ, typ, typ}[:m.operands]...)
					if typ == "f64" { // a NaN keeps the payload of an operand
						n.same = func(got, want uint64) bool { return f.isNaN(got) && f.isNaN(want) }
					}
					agree(t, n, realBits(f), func(v []uint64) uint64 { return m.expected(f, mode, v) })
				})
			}
		}
	}
}

func TestFlushAndSaturation(t *testing.T) {
	f := formats["f32"]
	for op, m := range realModels {
		for _, mods := range []string{"rn.ftz", "rz.ftz", "rn.sat", "rp.ftz.sat"} {
			if m.operands == 1 || op == "div" {
				if strings.Contains(mods, "sat") {
					continue
				}
			}
			text := fmt.Sprintf("%s.%s.f32 $d, %s", op, mods, "$a, $b, $c"[:4*m.operands-2])
			t.Run(text, func(t *testing.T) {
				agree(t, newInstruction(t, text, "f32", []string{"f32", "f32", "f32"}[:m.operands]...), realBits(f), func(v []uint64) uint64 {
					ftz := strings.Contains(mods, "ftz")
					args := append([]uint64(nil), v...)
					for i := range args {
						if ftz {
							args[i] = f.flush(args[i])
						}
					}
					r := m.expected(f, mods[:2], args)
					if strings.Contains(mods, "sat") {
						switch {
						case f.isNaN(r) || f.negative(r):
							r = 0
						case r > 0x3f800000:
							r = 0x3f800000
						}
					}
					if ftz {
						r = f.flush(r)
					}
					return r
				})
			})
		}
	}
}

func TestLeastGreatestAndSigns(t *testing.T) {
	f := formats["f32"]
	order := func(v uint64) int64 { // of the numbers, -0 below 0
		if f.negative(v) {
			return -int64(v&^f.sign()) - 1
		}
		return int64(v)
	}
	pick := func(nan, least bool) func(v []uint64) uint64 {
		return func(v []uint64) uint64 {
			a, b := v[0], v[1]
			switch {
			case f.isNaN(a) && f.isNaN(b), nan && (f.isNaN(a) || f.isNaN(b)):
				return 0x7fffffff
			case f.isNaN(a):
				return b
			case f.isNaN(b):
				return a
			case (order(a) < order(b)) == least:
				return a
			}
			return b
		}
	}
	one := func(g func(a uint64) uint64) func(v []uint64) uint64 {
		return func(v []uint64) uint64 { return g(v[0]) }
	}
	table := []struct {
		text, dst, srcs string
		model           func(v []uint64) uint64
	}{
		{"min.f32 $d, $a, $b", "f32", "f32 f32", pick(false, true)},
		{"max.f32 $d, $a, $b", "f32", "f32 f32", pick(false, false)},
		{"min.NaN.f32 $d, $a, $b", "f32", "f32 f32", pick(true, true)},
		{"max.NaN.f32 $d, $a, $b", "f32", "f32 f32", pick(true, false)},
		{"max.ftz.f32 $d, $a, $b", "f32", "f32 f32", func(v []uint64) uint64 {
			return pick(false, false)([]uint64{f.flush(v[0]), f.flush(v[1])})
		}},
		{"abs.f32 $d, $a", "f32", "f32", one(func(a uint64) uint64 { return a &^ f.sign() })},
		{"abs.ftz.f32 $d, $a", "f32", "f32", one(func(a uint64) uint64 { return f.flush(a) &^ f.sign() })},
		{"neg.f32 $d, $a", "f32", "f32", one(func(a uint64) uint64 { return a ^ f.sign() })},
		{"neg.ftz.f32 $d, $a", "f32", "f32", one(func(a uint64) uint64 { return f.flush(a) ^ f.sign() })},
		{"copysign.f32 $d, $a, $b", "f32", "f32 f32", func(v []uint64) uint64 { return v[0]&f.sign() | v[1]&^f.sign() }},
		{"testp.finite.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(a&^f.sign() < f.infinity()) })},
		{"testp.infinite.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(a&^f.sign() == f.infinity()) })},
		{"testp.number.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(!f.isNaN(a)) })},
		{"testp.notanumber.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(f.isNaN(a)) })},
		{"testp.normal.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(f.flush(a)&^f.sign()-1 < f.infinity()-1) })},
		{"testp.subnormal.f32 $d, $a", "pred", "f32", one(func(a uint64) uint64 { return bit(f.flush(a) != a) })},
		{"slct.b32.f32 $d, $a, $b, $c", "b32", "b32 b32 f32", func(v []uint64) uint64 {
			if !f.isNaN(v[2]) && (!f.negative(v[2]) || v[2] == f.sign()) {
				return v[0]
			}
			return v[1]
		}},
	}
	for _, c := range table {
		t.Run(c.text, func(t *testing.T) {
			agree(t, newInstruction(t, c.text, c.dst, strings.Fields(c.srcs)...), realBits(f), c.model)
		})
	}
}

func TestComparisonsOfRealNumbersOrderedAndNot(t *testing.T) {
	type relation struct{ less, equal, greater, unordered bool }
	table := map[string]relation{
		"eq": {equal: true}, "ne": {less: true, greater: true},
		"lt": {less: true}, "le": {less: true, equal: true}, "gt": {greater: true}, "ge": {greater: true, equal: true},
		"equ": {equal: true, unordered: true}, "neu": {less: true, greater: true, unordered: true},
		"ltu": {less: true, unordered: true}, "leu": {less: true, equal: true, unordered: true},
		"gtu": {greater: true, unordered: true}, "geu": {greater: true, equal: true, unordered: true},
		"num": {less: true, equal: true, greater: true}, "nan": {unordered: true},
	}
	for op, holds := range table {
		for _, typ := range []string{"f32", "f64", "ftz.f32"} {
			f := formats[typ[len(typ)-3:]]
			text := "setp." + op + "." + typ + " $d, $a, $b"
			t.Run(text, func(t *testing.T) {
				agree(t, newInstruction(t, text, "pred", typ[len(typ)-3:], typ[len(typ)-3:]), realBits(f), func(v []uint64) uint64 {
					a, b := v[0], v[1]
					if typ == "ftz.f32" {
						a, b = f.flush(a), f.flush(b)
					}
					x, y := f.toFloat(a), f.toFloat(b)
					return bit(x < y && holds.less || x == y && holds.equal || x > y && holds.greater || (x != x || y != y) && holds.unordered)
				})
			})
		}
	}
}

func TestApproximationsStayWithinTheirDocumentedError(t *testing.T) {
	f := formats["f32"]
	// Errors as in the PTX ISA, in units in the last place of the result, or
	// absolute.
	table := []struct {
		text     string
		ulps     float64
		absolute float64
		exact    func(a, b float64) float64
		low, top float64 // of the operands for which the bound is given
	}{
		{"rcp.approx.f32", 1, 0, func(a, _ float64) float64 { return 1 / a }, 1e-37, 1e37},
		{"sqrt.approx.f32", 1, 0, func(a, _ float64) float64 { return math.Sqrt(a) }, 0, 1e38},
		{"rsqrt.approx.f32", 2, 0, func(a, _ float64) float64 { return 1 / math.Sqrt(a) }, 1e-37, 1e38},
		{"div.approx.f32", 2, 0, func(a, b float64) float64 { return a / b }, 1e-15, 1e15},
		{"div.full.f32", 2, 0, func(a, b float64) float64 { return a / b }, 1e-15, 1e15},
		{"ex2.approx.f32", 2, 0, func(a, _ float64) float64 { return math.Exp2(a) }, -100, 100},
		{"lg2.approx.f32", 1, math.Ldexp(1, -22), func(a, _ float64) float64 { return math.Log2(a) }, 1e-37, 1e37},
		{"sin.approx.f32", 0, math.Exp2(-20.9), func(a, _ float64) float64 { return math.Sin(a) }, -math.Pi, math.Pi},
		{"cos.approx.f32", 0, math.Exp2(-20.9), func(a, _ float64) float64 { return math.Cos(a) }, -math.Pi, math.Pi},
		{"tanh.approx.f32", 0, math.Exp2(-10.9), func(a, _ float64) float64 { return math.Tanh(a) }, -10, 10},
	}
	for _, c := range table {
		operands := 1 + int(bit(strings.HasPrefix(c.text, "div")))
		n := newInstruction(t, c.text+" $d, "+"$a, $b"[:4*operands-2], "f32", []string{"f32", "f32"}[:operands]...)
		rapid.Check(t, func(rt *rapid.T) {
			var in [32][]uint64
			for i := range in {
				for range operands {
					in[i] = append(in[i], uint64(math.Float32bits(float32(rapid.Float64Range(c.low, c.top).Draw(rt, "x")))))
				}
			}
			for i, got := range n.run(t, allLanes, &in) {
				var b float64
				if operands > 1 {
					b = f.toFloat(in[i][1])
				}
				exact := c.exact(f.toFloat(in[i][0]), b)
				ulp := math.Ldexp(1, max(math.Ilogb(exact)-23, -149))
				if e := math.Abs(f.toFloat(got&0xffffffff) - exact); !(e <= c.ulps*ulp+c.absolute) {
					rt.Fatalf("%s of %#x is %#x; exact is %g", c.text, in[i], got, exact)
				}
			}
		})
	}
}
