package tensor

import "math"

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
	read := func(typ Type, v uint64) int64 {
		if typ == S8 {
			return int64(int8(v))
		}
		return int64(uint8(v))
	}
	for i := range s.M {
		for j := range s.N {
			sum := int64(int32(t.C[i*s.N+j]))
			for k := range s.K {
				sum += read(s.TypeA, t.A[i*s.K+k]) * read(s.TypeB, t.B[k*s.N+j])
			}
			if s.Saturate {
				sum = min(max(sum, math.MinInt32), math.MaxInt32)
			}
			t.D[i*s.N+j] = uint64(uint32(sum))
		}
	}
}
