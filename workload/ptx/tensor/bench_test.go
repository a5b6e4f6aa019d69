package tensor

import "testing"

// BenchmarkMultiply is one m16n8k16: of numbers in eight binades, and of small whole numbers,
// of which all sums are exact.
func BenchmarkMultiply(b *testing.B) {
	for name, typ := range map[string]Type{"f16": F16, "bf16": BF16} {
		s, tiles, d := NewShape(16, 16, typ, typ, F32, F32), &Tiles{}, drawn(12345)
		d.tile(s, tiles)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				s.Multiply(tiles, Ampere)
			}
		})
		f := formats[typ]
		whole := &Tiles{}
		for i := range whole.A[:256] {
			whole.A[i], whole.B[i/2] = f.Round(float64(i%17-8), 0, false), f.Round(float64(i%13-6), 0, false)
		}
		b.Run(name+"-whole", func(b *testing.B) {
			for range b.N {
				s.Multiply(whole, Ampere)
			}
		})
	}
}
