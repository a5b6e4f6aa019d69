package tensor

import (
	"math"
	"math/bits"
)

// multiply64 is a chain of fused products in the order of k.
func (s *Shape) multiply64(t *Tiles) {
	for i := range s.M {
		for j := range s.N {
			sum := math.Float64frombits(t.C[i*s.N+j])
			for k := range s.K {
				sum = math.FMA(math.Float64frombits(t.A[i*s.K+k]), math.Float64frombits(t.B[k*s.N+j]), sum)
			}
			t.D[i*s.N+j] = math.Float64bits(sum)
		}
	}
}

// multiplyIntegers is exact, and the sum modulo 2^32 or clamped.
func (s *Shape) multiplyIntegers(t *Tiles) {
	for i := range s.M {
		for j := range s.N {
			sum := int64(int32(t.C[i*s.N+j]))
			for k := range s.K {
				sum += s.multiplyBytes(uint8(t.A[i*s.K+k]), uint8(t.B[k*s.N+j]))
			}
			if s.Saturate {
				sum = min(max(sum, math.MinInt32), math.MaxInt32)
			}
			t.D[i*s.N+j] = uint64(uint32(sum))
		}
	}
}

// multiplyBytes is the sum of the products of the elements in two bytes.
func (s *Shape) multiplyBytes(a, b uint8) int64 {
	switch {
	case s.TypeA == B1 && s.Xor:
		return int64(bits.OnesCount8(a ^ b))
	case s.TypeA == B1:
		return int64(bits.OnesCount8(a & b))
	case s.TypeA.perByte() == 2:
		return nibble(s.TypeA, a)*nibble(s.TypeB, b) + nibble(s.TypeA, a>>4)*nibble(s.TypeB, b>>4)
	}
	return whole(s.TypeA, a) * whole(s.TypeB, b)
}

// whole is the number in a byte.
func whole(t Type, v uint8) int64 {
	if t == S8 {
		return int64(int8(v))
	}
	return int64(v)
}

// nibble is the number in the lower half of a byte.
func nibble(t Type, v uint8) int64 {
	if t == S4 {
		return int64(int8(v<<4) >> 4)
	}
	return int64(v & 15)
}
