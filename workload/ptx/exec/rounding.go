package exec

import (
	"math"
	"math/bits"

	"cotenant/workload/ptx/smallfloat"
)

// Rounding of real results. A result that float64 cannot hold is first rounded
// to odd: cut off, with the last bit set if anything was lost. That bit is far
// enough below a float32's or float16's last bit for a second rounding, in
// any direction, to give what a single rounding of the exact result would.

// rounding is a direction.
type rounding = smallfloat.Rounding

const (
	toNearest = smallfloat.ToNearest
	toZero    = smallfloat.ToZero
	toMinus   = smallfloat.ToMinus
	toPlus    = smallfloat.ToPlus
)

var roundings = map[string]rounding{"rn": toNearest, "rz": toZero, "rm": toMinus, "rp": toPlus, "rna": smallfloat.ToNearestAway}

// nan32 is the canonical NaN of float32 results.
const nan32 = 0x7fffffff

// oddly corrects a result rounded to nearest, given the sign of what is missing.
func oddly(rounded, missing float64) float64 {
	u := math.Float64bits(rounded)
	if missing == 0 || u&1 != 0 || missing != missing {
		return rounded
	}
	if (missing > 0) == (rounded > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// oddAdd adds numbers that are far from overflow.
func oddAdd(a, b float64) float64 {
	return oddly(twoSum(a, b))
}

func oddDivide(a, b float64) float64 {
	q := a / b
	if math.IsInf(q, 0) || math.IsInf(b, 0) || q == 0 {
		return q
	}
	missing := math.FMA(-q, b, a)
	if b < 0 {
		missing = -missing
	}
	return oddly(q, missing)
}

func oddSqrt(a float64) float64 {
	s := math.Sqrt(a)
	if math.IsInf(s, 0) {
		return s
	}
	return oddly(s, math.FMA(-s, s, a))
}

// round32 rounds a number that is exact or rounded to odd, as float32 bits.
func round32(v float64, r rounding) uint64 {
	f := float32(v)
	u := math.Float32bits(f)
	switch {
	case f != f:
		return nan32
	case r != toNearest && float64(f) != v:
		u = uint32(redirect(uint64(u), math.Abs(float64(f)) > math.Abs(v), v < 0, r))
	}
	return uint64(u)
}

// redirect moves the bits of a number to its neighbour if the direction asks for
// it. The number was rounded to nearest from an exact one, which it exceeds in
// magnitude or not.
func redirect(u uint64, exceeds, negative bool, r rounding) uint64 {
	away := r == toMinus && negative || r == toPlus && !negative
	switch {
	case exceeds && !away:
		return u - 1
	case !exceeds && away:
		return u + 1
	}
	return u
}

// oddInteger rounds an unsigned number to odd.
func oddInteger(magnitude uint64) float64 {
	shift := max(bits.Len64(magnitude)-53, 0)
	kept := magnitude >> shift
	if kept<<shift != magnitude {
		kept |= 1
	}
	return math.Ldexp(float64(kept), shift)
}

// round64Integer rounds an unsigned number, negated or not, as float64 bits.
func round64Integer(magnitude uint64, negative bool, r rounding) uint64 {
	f := float64(magnitude)
	u := math.Float64bits(f)
	// 2^64 is the only result that does not fit an integer.
	exceeds := f == 1<<64 || uint64(f) > magnitude
	if r != toNearest && (exceeds || uint64(f) != magnitude) {
		u = redirect(u, exceeds, negative, r)
	}
	return u | bit(negative)<<63
}
