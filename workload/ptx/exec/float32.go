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

func read32(v uint64, ftz bool) float32 {
	u := uint32(v)
	if ftz && u&0x7f800000 == 0 {
		u &= 0x80000000
	}
	return math.Float32frombits(u)
}

func value32(v uint64, ftz bool) float64 { return float64(read32(v, ftz)) }

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
	relu     bool // negative results are 0
	bounded  bool // the greatest number stands for infinity
}

// lane makes a lane's function of a real one.
func lane(t ptx.Type, f real, s style) func(a, b, c uint64) uint64 {
	if small := smallTypes[t]; small != nil {
		return small.lane(f, s)
	}
	if t == ptx.F64 {
		return func(a, b, c uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
		}
	}
	return func(a, b, c uint64) uint64 {
		return finish32(f(value32(a, s.ftz), value32(b, s.ftz), value32(c, s.ftz)), s.round, s.ftz, s.sat)
	}
}

// The operations that have a loop of their own round to nearest, which the
// machine does in one step. Only the fused one may have to round to odd: a sum
// of which float64 keeps just the point halfway between two results.

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
	return vectors && !o.ftz
}

func runAdd32(w *Warp, o *op) {
	d, a, b, ftz := w.stage(o), w.src(o.a), w.src(o.b), o.ftz
	if !o.vectors() || !addLanes32(d, a, b) {
		each2(d, a, b, func(a, b uint64) uint64 { return write32(read32(a, ftz)+read32(b, ftz), ftz) })
	}
	w.unstage(o)
}

func runSub32(w *Warp, o *op) {
	d, a, b, ftz := w.stage(o), w.src(o.a), w.src(o.b), o.ftz
	if !o.vectors() || !subLanes32(d, a, b) {
		each2(d, a, b, func(a, b uint64) uint64 { return write32(read32(a, ftz)-read32(b, ftz), ftz) })
	}
	w.unstage(o)
}

func runMul32(w *Warp, o *op) {
	d, a, b, ftz := w.stage(o), w.src(o.a), w.src(o.b), o.ftz
	if !o.vectors() || !mulLanes32(d, a, b) {
		each2(d, a, b, func(a, b uint64) uint64 { return write32(read32(a, ftz)*read32(b, ftz), ftz) })
	}
	w.unstage(o)
}

func runFma32(w *Warp, o *op) {
	d, a, b, c, ftz := w.stage(o), w.src(o.a), w.src(o.b), w.src(o.c), o.ftz
	if o.vectors() && fmaLanes32(d, a, b, c) {
		w.unstage(o)
		return
	}
	for i := range d {
		product, addend := value32(a[i], ftz)*value32(b[i], ftz), value32(c[i], ftz)
		if sum := product + addend; needsCare(sum) {
			d[i] = finish32(oddAdd(product, addend), toNearest, ftz, false)
		} else {
			d[i] = uint64(math.Float32bits(float32(sum)))
		}
	}
	w.unstage(o)
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

// number is the result of two numbers, or the number if the other is not one.
func number(a, b, result float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return result
}

func realMin(a, b, _ float64) float64    { return number(a, b, min(a, b)) }
func realMax(a, b, _ float64) float64    { return number(a, b, max(a, b)) }
func realMinNaN(a, b, _ float64) float64 { return min(a, b) }
func realMaxNaN(a, b, _ float64) float64 { return max(a, b) }
