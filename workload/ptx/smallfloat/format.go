package smallfloat

import "math"

// Format is a binary format: a sign, exponent bits and fraction bits, from the top. Numbers
// with an exponent field of zero are subnormal.
type Format struct {
	exponent, fraction int
	// below is the number of bits of a pattern under the fraction, which are zero.
	below int
	// finite says that the format has no infinity: the greatest exponent holds numbers too,
	// except that all ones is NaN.
	finite bool
	// NaN is the pattern of a result that is no number.
	NaN uint64
}

// The formats of PTX ISA 8.6, "Fundamental Types" and "Alternate Floating-Point Data
// Formats". A TF32 is the upper 19 bits of a register of 32.
var (
	F16  = &Format{exponent: 5, fraction: 10, NaN: 0x7fff}
	BF16 = &Format{exponent: 8, fraction: 7, NaN: 0x7fff}
	TF32 = &Format{exponent: 8, fraction: 10, below: 13, NaN: 0x7fffffff}
	E4M3 = &Format{exponent: 4, fraction: 3, finite: true, NaN: 0x7f}
	E5M2 = &Format{exponent: 5, fraction: 2, NaN: 0x7f}
)

// Rounding is a direction.
type Rounding uint8

// The directions. Of two numbers equally near, ToNearest chooses the one with an even last
// bit, and ToNearestAway the greater in magnitude.
const (
	ToNearest Rounding = iota
	ToZero
	ToMinus
	ToPlus
	ToNearestAway
)

// Sign is the pattern of the sign bit.
func (f *Format) Sign() uint64 { return 1 << (f.exponent + f.fraction + f.below) }

// One is the pattern of 1.
func (f *Format) One() uint64 { return uint64(f.bias()) << (f.fraction + f.below) }

// Bytes is the size of a pattern in memory.
func (f *Format) Bytes() int { return (f.exponent + f.fraction + f.below + 8) / 8 }

// Bits are the numbers of exponent and fraction bits.
func (f *Format) Bits() (exponent, fraction int) { return f.exponent, f.fraction }

// Digits is how many decimal digits tell each number from its neighbours.
func (f *Format) Digits() int { return 2 + (f.fraction+1)*30103/100000 }

func (f *Format) bias() int { return 1<<(f.exponent-1) - 1 }

// infinity is the pattern behind the greatest number, without the bits below the fraction.
func (f *Format) infinity() uint64 {
	if f.finite {
		return 1<<(f.exponent+f.fraction) - 1
	}
	return (1<<f.exponent - 1) << f.fraction
}

// Round gives the pattern of a number. The number is exact, or has its last bit set where
// bits below float64's were lost (see oddly in package exec); that is far enough down to
// round once. Beyond the greatest number lies infinity; in a format without one, or if
// bounded is set (.satfinite), the greatest number.
func (f *Format) Round(v float64, r Rounding, bounded bool) uint64 {
	u := math.Float64bits(v)
	sign := u >> 63 << (f.exponent + f.fraction)
	exponent := int(u>>52&0x7ff) - 1023
	greatest := f.infinity() - 1
	switch {
	case v != v:
		return f.NaN
	case exponent == 1024 && (bounded || f.finite):
		return (sign | greatest) << f.below
	case exponent == 1024:
		return (sign | f.infinity()) << f.below
	}
	least := 1 - f.bias()
	// drop is the number of significand bits below the result's last bit.
	drop := 52 - f.fraction
	if exponent < least {
		drop = min(drop+least-exponent, 54)
	}
	significand := u&(1<<52-1) | 1<<52
	if exponent == -1023 {
		significand = 0
		if v != 0 {
			significand = 1 // far below the smallest number: only that it is not 0 counts
		}
	}
	kept, lost, half := significand>>drop, significand&(1<<drop-1), uint64(1)<<(drop-1)
	outward := false // a direction away from zero
	switch r {
	case ToMinus:
		outward = sign != 0
	case ToPlus:
		outward = sign == 0
	case ToNearest:
		if lost > half || lost == half && kept&1 != 0 {
			kept++
		}
	case ToNearestAway:
		if lost >= half {
			kept++
		}
	}
	if outward && lost != 0 {
		kept++
	}
	if exponent >= least {
		kept += uint64(exponent-least) << f.fraction
	}
	if kept > greatest {
		kept = greatest
		if !bounded && !f.finite && (outward || r == ToNearest || r == ToNearestAway) {
			kept++
		}
	}
	return (sign | kept) << f.below
}

// Value is the number of a pattern; bits above and below it do not matter.
func (f *Format) Value(pattern uint64) float64 {
	pattern >>= f.below
	magnitude := pattern & (1<<(f.exponent+f.fraction) - 1)
	sign := pattern >> (f.exponent + f.fraction) << 63
	switch exponent := magnitude >> f.fraction; {
	case magnitude > f.infinity() || magnitude == f.infinity() && f.finite:
		return math.NaN()
	case magnitude == f.infinity():
		return math.Float64frombits(sign | 0x7ff<<52)
	case exponent == 0:
		v := float64(magnitude) * math.Float64frombits(uint64(1023+1-f.bias()-f.fraction)<<52)
		return math.Float64frombits(sign | math.Float64bits(v))
	default:
		return math.Float64frombits(sign | (exponent+uint64(1023-f.bias()))<<52 | magnitude<<(52-f.fraction)&(1<<52-1))
	}
}

// IsNaN reports whether a pattern is no number.
func (f *Format) IsNaN(pattern uint64) bool {
	magnitude := pattern >> f.below & (1<<(f.exponent+f.fraction) - 1)
	return magnitude > f.infinity() || magnitude == f.infinity() && f.finite
}

// Flush replaces a subnormal number by zero of its sign.
func (f *Format) Flush(pattern uint64) uint64 {
	if pattern>>(f.fraction+f.below)&(1<<f.exponent-1) == 0 {
		return pattern & f.Sign()
	}
	return pattern
}
