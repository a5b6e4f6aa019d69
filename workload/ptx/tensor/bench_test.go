package tensor

import "testing"

// BenchmarkMultiply is one m16n8k16: of numbers in eight binades, and of small whole numbers,
// of which all sums are exact; and an m16n8k32 of bytes.
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
	s, tiles := NewShape(16, 32, S8, S8, S32, S32), &Tiles{}
	for i := range tiles.A {
		tiles.A[i], tiles.B[i/2] = uint64(i*7%256), uint64(i*5%256)
	}
	b.Run("s8", func(b *testing.B) {
		for range b.N {
			s.Multiply(tiles, Ampere)
		}
	})
}
