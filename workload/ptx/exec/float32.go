package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// real is one lane's result from up to three numbers: exact, rounded to odd or,
// for the operations that PTX calls approximate, to nearest in float64.
type real func(a, b, c float64) float64

// flush32 replaces a subnormal number by zero of its sign.
func flush32(u uint32) uint32 {
	if u&0x7f800000 == 0 {
		return u & 0x80000000
	}
	return u
}

func value32(v uint64, ftz bool) float64 {
	u := uint32(v)
	if ftz {
		u = flush32(u)
	}
	return float64(math.Float32frombits(u))
}

// finish32 makes float32 bits of a real result.
func finish32(v float64, r rounding, ftz, sat bool) uint64 {
	if sat {
		v = saturate(v)
	}
	u := round32(v, r)
	if ftz {
		u = uint64(flush32(uint32(u)))
	}
	return u
}

// saturate clamps to 0 to 1, NaN to 0.
func saturate(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// style is what the modifiers of a floating-point instruction ask for.
type style struct {
	round    rounding
	ftz, sat bool
}

// lane makes a lane's function of a real one for F32 or F64; nil for other types.
func lane(t ptx.Type, f real, s style) func(a, b, c uint64) uint64 {
	switch t {
	case ptx.F32:
		return func(a, b, c uint64) uint64 {
			return finish32(f(value32(a, s.ftz), value32(b, s.ftz), value32(c, s.ftz)), s.round, s.ftz, s.sat)
		}
	case ptx.F64:
		return func(a, b, c uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
		}
	}
	return nil
}

// The operations that have a loop of their own round to nearest, which the
// machine does in one step. Only the fused one may have to round to odd: a sum
// of which float64 keeps just the point halfway between two results.

func read32(v uint64, ftz bool) float32 {
	u := uint32(v)
	if ftz && u&0x7f800000 == 0 {
		u &= 0x80000000
	}
	return math.Float32frombits(u)
}

func write32(f float32, ftz bool) uint64 {
	u := math.Float32bits(f)
	if f != f {
		u = nan32
	}
	if ftz && u&0x7f800000 == 0 {
		u &= 0x80000000
	}
	return uint64(u)
}

// vectors reports whether the vector instructions of the processor do the same
// as the loop does.
func (o *op) vectors() bool {
	return vectors && !o.ftz && o.dst != o.a && o.dst != o.b && o.dst != o.c
}

func runAdd32(w *Warp, o *op) {
	d, a, b, ftz := w.out(o), w.src(o.a), w.src(o.b), o.ftz
	if o.vectors() && addLanes32(d, a, b) {
		w.commit(o)
		return
	}
	for i := range d {
		d[i] = write32(read32(a[i], ftz)+read32(b[i], ftz), ftz)
	}
	w.commit(o)
}

func runSub32(w *Warp, o *op) {
	d, a, b, ftz := w.out(o), w.src(o.a), w.src(o.b), o.ftz
	if o.vectors() && subLanes32(d, a, b) {
		w.commit(o)
		return
	}
	for i := range d {
		d[i] = write32(read32(a[i], ftz)-read32(b[i], ftz), ftz)
	}
	w.commit(o)
}

func runMul32(w *Warp, o *op) {
	d, a, b, ftz := w.out(o), w.src(o.a), w.src(o.b), o.ftz
	if o.vectors() && mulLanes32(d, a, b) {
		w.commit(o)
		return
	}
	for i := range d {
		d[i] = write32(read32(a[i], ftz)*read32(b[i], ftz), ftz)
	}
	w.commit(o)
}

func runFma32(w *Warp, o *op) {
	d, a, b, c, ftz := w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), o.ftz
	if o.vectors() && fmaLanes32(d, a, b, c) {
		w.commit(o)
		return
	}
	if ftz {
		for i := range d {
			d[i] = fma32(float64(read32(a[i], true))*float64(read32(b[i], true)), float64(read32(c[i], true)), true)
		}
	} else {
		for i := range d {
			product := float64(math.Float32frombits(uint32(a[i]))) * float64(math.Float32frombits(uint32(b[i])))
			addend := float64(math.Float32frombits(uint32(c[i])))
			sum := product + addend
			if needsCare(sum) {
				d[i] = fma32(product, addend, false)
				continue
			}
			d[i] = uint64(math.Float32bits(float32(sum)))
		}
	}
	w.commit(o)
}

// fma32 rounds a sum that float64 may have rounded already.
func fma32(product, addend float64, ftz bool) uint64 {
	if sum := product + addend; !needsCare(sum) {
		return uint64(math.Float32bits(float32(sum)))
	}
	return finish32(oddAdd(product, addend), toNearest, ftz, false)
}

// needsCare finds sums that float32 can round otherwise than the exact sum: sums
// halfway between two results, sums that are subnormal as float32, since their
// halfway points lie elsewhere, and, because NaN has a single form, sums that are
// no number. Infinity is among them, 0 is not.
func needsCare(sum float64) bool {
	u := math.Float64bits(sum)
	const least, most = 897 << 53, 2047 << 53 // exponents, above a sign shifted out
	return u<<1-least >= most-least && u<<1 != 0 || u&(1<<29-1) == 1<<28
}

func realAdd(a, b, _ float64) float64 { return oddAdd(a, b) }
func realSub(a, b, _ float64) float64 { return oddAdd(a, -b) }
func realMul(a, b, _ float64) float64 { return a * b }
func realFma(a, b, c float64) float64 { return oddAdd(a*b, c) }
func realDiv(a, b, _ float64) float64 { return oddDivide(a, b) }
func realRcp(a, _, _ float64) float64 { return oddDivide(1, a) }

func realSqrt(a, _, _ float64) float64 { return oddSqrt(a) }

// minusZero makes an exact sum of zero from two different signs negative, as
// rounding down asks.
func minusZero(f real, left, right func(a, b, c float64) float64) real {
	return func(a, b, c float64) float64 {
		v := f(a, b, c)
		if v == 0 && math.Signbit(left(a, b, c)) != math.Signbit(right(a, b, c)) {
			return math.Copysign(0, -1)
		}
		return v
	}
}

func first(a, _, _ float64) float64     { return a }
func second(_, b, _ float64) float64    { return b }
func minusTwo(_, b, _ float64) float64  { return -b }
func third(_, _, c float64) float64     { return c }
func product(a, b, _ float64) float64   { return a * b }
func realRsqrt(a, _, _ float64) float64 { return 1 / math.Sqrt(a) }
func realExp2(a, _, _ float64) float64  { return math.Exp2(a) }
func realLog2(a, _, _ float64) float64  { return math.Log2(a) }
func realTanh(a, _, _ float64) float64  { return math.Tanh(a) }

// realMin and realMax take the number if the other is not one.
func realMin(a, b, _ float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func realMax(a, b, _ float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

// realMinNaN and realMaxNaN (.NaN) give NaN if either is.
func realMinNaN(a, b, _ float64) float64 { return min(a, b) }
func realMaxNaN(a, b, _ float64) float64 { return max(a, b) }
