package tensor

import (
	"math"
	"math/bits"

	"cotenant/workload/ptx/smallfloat"
)

// none is the exponent of zero: below that of any product or accumulator.
const none = -1 << 20

// exponentOf is that of a number in a format with a least exponent: a number below it is
// subnormal.
func exponentOf(v float64, least int32) int32 {
	u := math.Float64bits(v) << 1
	if u == 0 {
		return none
	}
	return max(int32(u>>53)-1023, least)
}

func leastExponent(f *smallfloat.Format) int32 {
	exponent, _ := f.Bits()
	return 2 - int32(1)<<(exponent-1)
}

// read takes in the patterns of A or B, row by row, and keeps them by columns if the rows have a width.
func (o *operands) read(typ Type, patterns []uint64, width int) {
	f := formats[typ]
	least := leastExponent(f)
	bad := 0.0
	for i, p := range patterns {
		var v float64
		switch typ {
		case F16: // as in the fields of a float32, of which the bias is greater by 112
			v = float64(math.Float32frombits(uint32(p)&0x7fff<<13|uint32(p)&0x8000<<16)) * 0x1p112
			if p&0x7c00 == 0x7c00 {
				v = f.Value(p)
			}
		case BF16:
			v = float64(math.Float32frombits(uint32(p) << 16))
		case TF32:
			v = float64(math.Float32frombits(uint32(p) &^ 0x1fff))
		default:
			v = f.Value(p)
		}
		at := i
		if width > 0 {
			at = i%width*(len(patterns)/width) + i/width
		}
		o.value[at], o.exponent[at] = v, exponentOf(v, least)
		bad += v - v
	}
	o.special = bad != 0
}

// multiplySmall multiplies elements of at most 19 bits.
func (s *Shape) multiplySmall(t *Tiles, n Numerics) {
	r := ruleOf(n, s.TypeA)
	if s.fast(t, &r) {
		t.Fast++
		return
	}
	s.general(t, &r)
}

// general multiplies any elements.
func (s *Shape) general(t *Tiles, r *rule) {
	t.a.read(s.TypeA, t.A[:s.M*s.K], 0)
	t.b.read(s.TypeB, t.B[:s.K*s.N], s.N)
	for i, p := range t.C[:s.M*s.N] {
		t.c[i] = s.accumulator(p)
	}
	if s.exact(t, r) {
		t.Fast++
		s.sum32(t)
		return
	}
	t.Slow++
	special := t.a.special || t.b.special
	for i := range s.M {
		a, ea := t.a.value[i*s.K:][:s.K], t.a.exponent[i*s.K:][:s.K]
		for j := range s.N {
			b, eb := t.b.value[j*s.K:][:s.K], t.b.exponent[j*s.K:][:s.K]
			c := t.c[i*s.N+j]
			for k := 0; k < s.K; k += r.step {
				end := min(k+r.step, s.K)
				if special || c-c != 0 {
					if v := ordinary(a[k:end], b[k:end], c); v-v != 0 {
						c = v
						continue
					}
				}
				c = s.step(r, a[k:end], b[k:end], ea[k:end], eb[k:end], c)
			}
			t.D[i*s.N+j] = s.result(c)
		}
	}
}

// accumulator is the value of an element of C.
func (s *Shape) accumulator(pattern uint64) float64 {
	if s.TypeC == F16 {
		return smallfloat.F16.Value(pattern)
	}
	return float64(math.Float32frombits(uint32(pattern)))
}

// leastC is the least exponent of normal numbers in the accumulator's type.
func (s *Shape) leastC() int {
	if s.TypeC == F16 {
		return -14
	}
	return -126
}

// result is the pattern of an element of D, which float64 holds.
func (s *Shape) result(v float64) uint64 {
	switch {
	case s.TypeD == F16:
		return smallfloat.F16.Round(v, smallfloat.ToNearest, false)
	case v != v:
		return 0x7fffffff
	}
	return uint64(math.Float32bits(float32(v)))
}

// step adds the products of one step to an accumulator. A conversion to an integer cuts
// off toward zero, so each term is scaled to have its last kept bit at 1.
func (s *Shape) step(r *rule, a, b []float64, ea, eb []int32, c float64) float64 {
	top := exponentOf(c, int32(s.leastC()))
	ea, eb, b = ea[:len(a)], eb[:len(a)], b[:len(a)]
	for k := range a {
		top = max(top, ea[k]+eb[k])
	}
	if top < none/2 { // all terms are zero
		return 0
	}
	scale := math.Float64frombits(uint64(1023+int32(r.kept)-top) << 52)
	sum := int64(c * scale)
	for k := range a {
		sum += int64(a[k] * b[k] * scale)
	}
	return s.cut(float64(sum)/scale, r)
}

// ordinary is the sum in float64, which is infinite or NaN exactly if the step's result is.
func ordinary(a, b []float64, c float64) float64 {
	for k := range a {
		c += a[k] * b[k]
	}
	return c
}

// cut rounds the sum of a step.
func (s *Shape) cut(v float64, r *rule) float64 {
	if s.TypeD == F16 {
		return smallfloat.F16.Value(smallfloat.F16.Round(v, smallfloat.ToNearest, false))
	}
	u := math.Float64bits(v)
	lost := 52 - r.fraction
	if exponent := int(u>>52&0x7ff) - 1023; exponent < -126 {
		lost = min(lost-126-exponent, 63)
	} else if exponent > 127 {
		u = math.Float64bits(math.Copysign(math.MaxFloat32, v))
	}
	if lost > 52 {
		return math.Copysign(0, v)
	}
	return math.Float64frombits(u >> lost << lost)
}

// exact reports whether all sums of all products, in any order, are exact in the result's
// significand, so that no step cuts anything off. It looks at the greatest exponents and at
// the last bits that are set, and gives up early.
func (s *Shape) exact(t *Tiles, r *rule) bool {
	width, least, most := r.fraction+1, -126, 127
	if s.TypeD == F16 {
		width, least, most = 11, -24, 15
	}
	a, b := span{none, -none}, span{none, -none}
	leastA, leastB, leastC := int(leastExponent(formats[s.TypeA])), int(leastExponent(formats[s.TypeB])), s.leastC()
	for _, v := range t.a.value[:s.M*s.K] {
		if a.add(v, leastA); a.high-a.low > width {
			return false
		}
	}
	for _, v := range t.b.value[:s.N*s.K] {
		if b.add(v, leastB); b.high-b.low > width {
			return false
		}
	}
	sum := span{none, -none}
	if a.high != none && b.high != none {
		sum = span{a.high + b.high + 1, a.low + b.low}
	}
	sum.high += bits.Len(uint(s.K)) // with room for a smaller accumulator
	c := span{none, -none}
	for _, v := range t.c[:s.M*s.N] {
		if c.add(v, leastC); c.high-c.low >= width {
			return false
		}
	}
	if c.high >= sum.high {
		sum.high = c.high + 1
	}
	sum.low = min(sum.low, c.low)
	return sum.high-sum.low < width && sum.high < most && sum.low >= least
}

// span is the greatest exponent and that of the lowest bit that is set in some numbers.
type span struct{ high, low int }

// add takes in a number. The exponent of a subnormal one is the least of normal numbers, as
// where terms are cut off.
func (s *span) add(v float64, least int) {
	u := math.Float64bits(v)
	if u<<1 == 0 {
		return
	}
	exponent := int(u>>52&0x7ff) - 1023
	s.high = max(s.high, exponent, least)
	s.low = min(s.low, exponent-52+bits.TrailingZeros64(u|1<<52))
}

// sum32 computes all sums where any way is exact.
func (s *Shape) sum32(t *Tiles) {
	for i := range s.M {
		a := t.a.value[i*s.K:][:s.K]
		for j := range s.N {
			b := t.b.value[j*s.K:][:len(a)]
			sum := t.c[i*s.N+j]
			for k := range a {
				sum += a[k] * b[k]
			}
			t.D[i*s.N+j] = s.result(sum + 0) // -0 becomes 0
		}
	}
}
