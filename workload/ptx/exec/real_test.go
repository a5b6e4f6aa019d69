package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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

// A sign that is sure is the sign of the exact sum, and most are sure: of results less their rounding, as directed rounding asks
// for them, and of numbers that cancel in part.
func TestLikelySignsAreExact(t *testing.T) {
	sure, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		number := func(label string) float64 {
			v := math.Ldexp(float64(rapid.Int64Range(-1<<53, 1<<53).Draw(t, label)), rapid.IntRange(-60, 60).Draw(t, label))
			switch rapid.IntRange(0, 9).Draw(t, label) {
			case 0:
				return math.Ldexp(v, rapid.IntRange(-1100, 900).Draw(t, label))
			case 1:
				return math.Trunc(v)
			}
			return v
		}
		x, y, z := number("x"), number("y"), number("z")
		if rapid.IntRange(0, 3).Draw(t, "tiny") == 0 { // the product's error is no float64
			x, y, z = math.Ldexp(x, -540), math.Ldexp(y, -540), math.Ldexp(z, -1080)
		}
		for _, c := range [][4]float64{{x, y, z, -math.FMA(x, y, z)}, {x, 1, z, -(x + z)}, {x, y, 0, -(x * y)}, {-(x / y), y, x, 0},
			{x, y, -math.FMA(x, y, 0), z}, {x, y, z, number("w")}} {
			if slices.ContainsFunc(c[:], func(v float64) bool { return v != v || math.IsInf(v, 0) }) {
				continue
			}
			all++
			if s, ok := likelySign(c[0], c[1], c[2], c[3]); ok {
				sure++
				require.Equal(t, exactSign(c[0], c[1], c[2], c[3]), s, c)
			}
		}
	})
	assert.Greater(t, float64(sure), 0.6*float64(all))
}
