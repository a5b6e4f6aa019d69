package exec

import (
	"math"
	"math/big"

	"pgregory.net/rapid"
)

// format is a binary floating-point format, described apart from the code under
// test: numbers are sign, exponent and fraction.
type format struct{ exponent, fraction int }

var formats = map[string]format{"f16": {5, 10}, "bf16": {8, 7}, "f32": {8, 23}, "f64": {11, 52}}

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
