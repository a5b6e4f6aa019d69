package exec

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// So does the one for sines and cosines, of numbers up to far.
func TestVectorSinesAreThoseOfTheLoop(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2 and FMA")
	}
	rapid.Check(t, func(t *rapid.T) {
		var got, want sines
		most := rapid.SampledFrom([]float32{1e-30, 1, 100, farTurn - 1, 2 * farTurn}).Draw(t, "most")
		able := true
		for i := range got.of {
			x := rapid.Float32Range(-most, most).Draw(t, "x")
			got.of[i] = rapid.Uint64().Draw(t, "upper")<<32 | uint64(math.Float32bits(x))
			able = able && x != 0 && math.Abs(float64(x)) < farTurn
		}
		want.of = got.of
		want.loop()
		require.Equal(t, able, sineLanes(&got.sin, &got.cos, &got.of, &sineConstants))
		if able {
			require.Equal(t, want.sin, got.sin)
			require.Equal(t, want.cos, got.cos)
		}
	})
}

// The vector instructions give what the loops give, bit for bit, and leave to
// them what has a result that is no number.
func TestVectorInstructionsDoWhatTheLoopsDo(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2 and FMA")
	}
	special := []uint32{0, 1 << 31, 1, 1<<31 | 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x33800000}
	number := rapid.OneOf(rapid.Uint32Range(0, 0xff800000), rapid.SampledFrom(special), rapid.Uint32Range(0x3f000000, 0x40000000))
	// The upper half of an element means nothing.
	value := rapid.Custom(func(t *rapid.T) uint64 {
		return uint64(rapid.Uint32().Draw(t, "upper"))<<32 | uint64(number.Draw(t, "value"))
	})
	ops := map[string]struct {
		vector func(d, a, b, c *slot) bool
		loop   func(a, b, c float32) uint64
	}{
		"add": {func(d, a, b, _ *slot) bool { return addLanes32(d, a, b) }, func(a, b, _ float32) uint64 { return write32(a+b, false) }},
		"sub": {func(d, a, b, _ *slot) bool { return subLanes32(d, a, b) }, func(a, b, _ float32) uint64 { return write32(a-b, false) }},
		"mul": {func(d, a, b, _ *slot) bool { return mulLanes32(d, a, b) }, func(a, b, _ float32) uint64 { return write32(a*b, false) }},
		"fma": {fmaLanes32, func(a, b, c float32) uint64 {
			return finish32(oddAdd(float64(a)*float64(b), float64(c)), toNearest, false, false)
		}},
	}
	for name, op := range ops {
		rapid.Check(t, func(t *rapid.T) {
			var a, b, c, got, want slot
			// Few lanes are drawn, so that some warps have numbers only.
			drawn := rapid.SliceOfN(value, 3, 12).Draw(t, "values")
			numbers := true
			for i := range a {
				a[i], b[i], c[i] = drawn[i%len(drawn)], drawn[(i/2+1)%len(drawn)], drawn[(i/3+2)%len(drawn)]
				f := func(v uint64) float32 { return math.Float32frombits(uint32(v)) }
				want[i] = op.loop(f(a[i]), f(b[i]), f(c[i]))
				numbers = numbers && want[i] != nan32
			}
			ok := op.vector(&got, &a, &b, &c)
			require.Equal(t, numbers, ok, name)
			if ok {
				require.Equal(t, want, got, name)
			}
		})
	}
}
