package exec

import "math/bits"

// Integer operations on one lane's values. Arguments carry meaningless bits
// above their width, results may.

func divide[T integer](a, b uint64) uint64 {
	if T(b) == 0 {
		return ^uint64(0) // as the machine's own sequences give
	}
	return uint64(T(a) / T(b))
}

func remainder[T integer](a, b uint64) uint64 {
	if T(b) == 0 {
		return ^uint64(0)
	}
	return uint64(T(a) % T(b))
}

// mulHigh gives the upper half of a product of numbers of up to 32 bits,
// mulHighU64 and mulHighS64 that of numbers of 64 bits.
func mulHigh[T integer](shift uint) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(T(a)) * uint64(T(b)) >> shift }
}

func mulHighU64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

func mulHighS64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

// mul24 multiplies the low 24 bits; shift is 0 for the low half of the 48 bits
// and 16 for the high one.
func mul24(signed bool, shift uint) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return extend(a, 40, signed) * extend(b, 40, signed) >> shift
	}
}

// addSaturated adds c to f(a, b) as signed 32-bit numbers and clamps the sum.
func addSaturated(f func(a, b uint64) uint64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return saturate32(int64(int32(f(a, b))) + int64(int32(c))) }
}

func saturate32(v int64) uint64 { return uint64(min(max(v, -1<<31), 1<<31-1)) }

// sumAbsDiff is sad: c + |a - b|.
func sumAbsDiff[T integer](a, b, c uint64) uint64 {
	if T(a) < T(b) {
		a, b = b, a
	}
	return c + uint64(T(a)) - uint64(T(b))
}

// populationCount, leadingZeros and reverse are of numbers of 32 or 64 bits.

func populationCount(width uint64) func(a uint64) uint64 {
	return func(a uint64) uint64 { return uint64(bits.OnesCount64(a << (64 - width))) }
}

func leadingZeros(width uint64) func(a uint64) uint64 {
	return func(a uint64) uint64 { return min(uint64(bits.LeadingZeros64(a<<(64-width))), width) }
}

func reverse(width uint64) func(a uint64) uint64 {
	return func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - width) }
}

// conditionalNot is cnot: whether a is 0.
func conditionalNot[T integer](a uint64) uint64 { return bit(T(a) == 0) }

// findBit is bfind: the position of the highest bit that is not a copy of the
// sign, all ones if there is none; with shiftAmount the shift that would bring
// it to the top.
func findBit(width uint64, signed, shiftAmount bool) func(a uint64) uint64 {
	return func(a uint64) uint64 {
		v := extend(a, uint8(64-width), signed)
		if signed && int64(v) < 0 {
			v = ^v
		}
		position := uint64(bits.Len64(v)) - 1
		if position != ^uint64(0) && shiftAmount {
			return width - 1 - position
		}
		return position
	}
}

// extractField is bfe: length bits of a from start, extended with the sign of
// the field's highest bit that exists.
func extractField(width uint64, signed bool) func(a, start, length uint64) uint64 {
	return func(a, start, length uint64) uint64 {
		start, length = start&0xff, length&0xff
		a = extend(a, uint8(64-width), signed)
		if length == 0 {
			return 0
		}
		if start >= width {
			if signed {
				return uint64(int64(a) >> 63)
			}
			return 0
		}
		length = min(length, width-start)
		return extend(a>>start, uint8(64-length), signed)
	}
}

// insertField is bfi with its four operands, of which the last two are packed
// as start and length.
func insertField(a, b, start, length, width uint64) uint64 {
	start, length = start&0xff, length&0xff
	mask := uint64(1)<<min(length, 64) - 1
	if length >= 64 {
		mask = ^uint64(0)
	}
	if start >= width {
		return b
	}
	return b&^(mask<<start) | a&mask<<start
}

// extend keeps the low 64-shift bits and fills the rest with zero or sign.
func extend(v uint64, shift uint8, signed bool) uint64 {
	if signed {
		return uint64(int64(v<<(shift&63)) >> (shift & 63))
	}
	return v << (shift & 63) >> (shift & 63)
}

// permute is prmt in its default mode: each nibble of the selector takes a byte
// of b:a, or with its top bit that byte's sign eight times.
func permute(a, b, selector uint64) uint64 {
	pair := uint64(uint32(a)) | b<<32
	var v uint64
	for i := range 4 {
		s := selector >> (4 * i)
		octet := pair >> (s & 7 * 8) & 0xff
		if s&8 != 0 {
			octet = -(octet >> 7) & 0xff
		}
		v |= octet << (8 * i)
	}
	return v
}

// permuteModes are the selectors of prmt's named modes, by the low two bits of
// the third operand.
var permuteModes = map[string][]uint16{
	"f4e":  {0x3210, 0x4321, 0x5432, 0x6543},
	"b4e":  {0x5670, 0x6701, 0x7012, 0x0123},
	"rc8":  {0x0000, 0x1111, 0x2222, 0x3333},
	"ecl":  {0x3210, 0x3211, 0x3222, 0x3333},
	"ecr":  {0x0000, 0x1110, 0x2210, 0x3210},
	"rc16": {0x1010, 0x3232, 0x1010, 0x3232},
}

func permuteBy(selectors []uint16) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return permute(a, b, uint64(selectors[c&3])) }
}

// lookup3 is lop3: bit i of the result is bit (a_i b_i c_i) of the table.
func lookup3(table uint64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		var v uint64
		for i := range uint(8) {
			if table>>i&1 != 0 {
				v |= pick(a, i>>2) & pick(b, i>>1) & pick(c, i)
			}
		}
		return v
	}
}

func pick(v uint64, one uint) uint64 {
	if one&1 != 0 {
		return v
	}
	return ^v
}

// funnel is shf: the upper half of b:a shifted left, or the lower half of it
// shifted right.
func funnel(left, wrap bool) func(a, b, shift uint64) uint64 {
	return func(a, b, shift uint64) uint64 {
		n := uint64(uint32(shift))
		if wrap {
			n &= 31
		}
		n = min(n, 32)
		pair := b<<32 | uint64(uint32(a))
		if left {
			return pair << n >> 32
		}
		return pair >> n
	}
}

// dotProduct is dp4a (bytes, no half) and dp2a (a's 16-bit parts with the low or
// high two bytes of b).
func dotProduct(signedA, signedB bool) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		for i := range 4 {
			c += extend(a>>(8*i), 56, signedA) * extend(b>>(8*i), 56, signedB)
		}
		return c
	}
}

func dotProduct2(signedA, signedB, high bool) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		if high {
			b >>= 16
		}
		for i := range 2 {
			c += extend(a>>(16*i), 48, signedA) * extend(b>>(8*i), 56, signedB)
		}
		return c
	}
}
