package exec

import (
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

func nearestAdd(a, b, _ float64) float64  { return a + b }
func nearestSub(a, b, _ float64) float64  { return a - b }
func nearestFma(a, b, c float64) float64  { return math.FMA(a, b, c) }
func nearestDiv(a, b, _ float64) float64  { return a / b }
func nearestRcp(a, _, _ float64) float64  { return 1 / a }
func nearestSqrt(a, _, _ float64) float64 { return math.Sqrt(a) }

// nearestDiv32 and its kin give float32 results, so that nothing is left to round.
func nearestDiv32(a, b, _ float64) float64  { return float64(float32(a) / float32(b)) }
func nearestRcp32(a, _, _ float64) float64  { return float64(1 / float32(a)) }
func nearestSqrt32(a, _, _ float64) float64 { return float64(float32(math.Sqrt(a))) }

// upperHalf is the precision of rcp.approx.ftz.f64 and its kin: 20 bits of
// significand, the lower half of the register being zero.
func upperHalf(f real) real {
	return func(a, b, c float64) float64 {
		return math.Float64frombits(math.Float64bits(f(a, b, c)) &^ (1<<32 - 1))
	}
}

// residue64 is the sign of exact result less nearest result q.
type residue64 func(a, b, c, q float64) int

func residueAdd(a, b, _, q float64) int { return signOfSum(a, 1, b, -q) }
func residueSub(a, b, _, q float64) int { return signOfSum(a, 1, -b, -q) }
func residueMul(a, b, _, q float64) int { return signOfSum(a, b, 0, -q) }
func residueFma(a, b, c, q float64) int { return signOfSum(a, b, c, -q) }
func residueSqrt(a, _, _, q float64) int {
	return signOfSum(-q, q, a, 0)
}

func residueDiv(a, b, _, q float64) int {
	if b == 0 {
		return 0 // infinity is the exact result
	}
	s := signOfSum(-q, b, a, 0)
	if b < 0 {
		return -s
	}
	return s
}

func residueRcp(a, b, c, q float64) int { return residueDiv(1, a, c, q) }

// signOfSum is the sign of x*y + z + w, computed exactly.
func signOfSum(x, y, z, w float64) int {
	const enough = 5000 // bits from the highest of a product to the lowest of another
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(enough).SetFloat64(v) }
	sum := exact(x)
	sum.Mul(sum, exact(y))
	sum.Add(sum, exact(z))
	return sum.Add(sum, exact(w)).Sign()
}

// directed64 moves a nearest result to the result of a direction.
func directed64(nearest real, residue residue64, r rounding) real {
	if r == toNearest {
		return nearest
	}
	return func(a, b, c float64) float64 {
		q := nearest(a, b, c)
		if q != q || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
			return q
		}
		limited := math.Copysign(min(math.Abs(q), math.MaxFloat64), q)
		s := residue(a, b, c, limited)
		negative := math.Signbit(q)
		if s == 0 {
			return q
		}
		// Infinity exceeds what overflowed to it.
		exceeds := limited != q || s < 0 != negative
		return math.Float64frombits(redirect(math.Float64bits(q), exceeds, negative, r))
	}
}
