package exec

import (
	"cmp"
	"math"
	"math/big"
)

// Double precision rounds to nearest as the machine does. The other directions
// are rare (interval arithmetic): they start from the nearest result and move
// to its neighbour if the exact one, in big numbers, lies beyond.

func runAdd64(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b)) })
	w.commit(o)
}

func runSub64(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return math.Float64bits(math.Float64frombits(a) - math.Float64frombits(b)) })
	w.commit(o)
}

func runMul64(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return math.Float64bits(math.Float64frombits(a) * math.Float64frombits(b)) })
	w.commit(o)
}

func runFma64(w *Warp, o *op) {
	each3(w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), func(a, b, c uint64) uint64 {
		return math.Float64bits(math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
	})
	w.commit(o)
}

// upperHalf is the precision of rcp.approx.ftz.f64 and its kin: 20 bits of
// significand, the lower half of the register being zero.
func upperHalf(f real) real {
	return func(a, b, c float64) float64 {
		return math.Float64frombits(math.Float64bits(f(a, b, c)) &^ (1<<32 - 1))
	}
}

// signOfSum is the sign of x*y + z + w, computed exactly.
func signOfSum(x, y, z, w float64) int {
	if s, sure := likelySign(x, y, z, w); sure {
		return s
	}
	return exactSign(x, y, z, w)
}

// likelySign is signOfSum if it is sure. It splits the sum into four numbers without error (a product and its
// rounding error, and the rounding errors of two additions), of which three are small.
func likelySign(x, y, z, w float64) (s int, sure bool) {
	const least, most = 0x1p-900, 0x1p1000 // between them a product's error is a float64
	p := x * y
	if size := math.Abs(p); size < least && (x != 0 && y != 0) || !(max(size, math.Abs(z), math.Abs(w)) < most) {
		return 0, false
	}
	a := math.FMA(x, y, -p)
	sum, b := twoSum(p, z)
	sum, c := twoSum(sum, w)
	total := sum + (a + (b + c))
	size := math.Abs(sum) + (math.Abs(a) + (math.Abs(b) + math.Abs(c)))
	// The three additions are off by less than 2^-51 of the size.
	if math.Abs(total) <= 0x1p-50*size && size != 0 {
		return 0, false
	}
	return cmp.Compare(total, 0), true
}

// twoSum is a sum, rounded, and what the rounding has left out, exactly.
func twoSum(a, b float64) (sum, missing float64) {
	sum = a + b
	back := sum - a
	return sum, (a - (sum - back)) + (b - back)
}

// exactSign is signOfSum with numbers of many bits.
func exactSign(x, y, z, w float64) int {
	const enough = 5000 // bits from the highest of a product to the lowest of another
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(enough).SetFloat64(v) }
	sum := exact(x)
	sum.Mul(sum, exact(y))
	sum.Add(sum, exact(z))
	return sum.Add(sum, exact(w)).Sign()
}

// residueOfQuotient is the sign of an exact quotient less its nearest result q.
func residueOfQuotient(x, y, q float64) int {
	if y == 0 {
		return 0 // infinity is the exact result
	}
	s := signOfSum(-q, y, x, 0)
	if y < 0 {
		return -s
	}
	return s
}

// directed64 moves a nearest result to the result of a direction. residue is the
// sign of the exact result less q, which is near it.
func directed64(nearest real, residue func(a, b, c, q float64) int, r rounding) real {
	return func(a, b, c float64) float64 {
		q := nearest(a, b, c)
		if q != q || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
			return q
		}
		limited := math.Copysign(min(math.Abs(q), math.MaxFloat64), q)
		s := residue(a, b, c, limited)
		if s == 0 {
			return q
		}
		// Infinity exceeds what overflowed to it.
		negative := math.Signbit(q)
		exceeds := limited != q || s < 0 != negative
		return math.Float64frombits(redirect(math.Float64bits(q), exceeds, negative, r))
	}
}
