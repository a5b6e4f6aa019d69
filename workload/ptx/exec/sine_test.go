package exec

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func sineAndCosine(x float32, ftz bool) (sin, cos float32) {
	w := &Warp{tb: &TB{}, active: allLanes, regs: make([]slot, 3)}
	w.regs[0] = broadcast(uint64(math.Float32bits(x)))
	runSin32(w, &op{a: 0, dst: 1, ftz: ftz})
	runCos32(w, &op{a: 0, dst: 2, ftz: ftz})
	return math.Float32frombits(uint32(w.regs[1][31])), math.Float32frombits(uint32(w.regs[2][0]))
}

// A sine that is kept for the cosine belongs to the same number, also after a
// subnormal number.
func TestSinesThatAreKeptAreThoseOfTheOperand(t *testing.T) {
	w := &Warp{tb: &TB{}, active: allLanes, regs: make([]slot, 2)}
	at := func(run run, x float32, ftz bool) float32 {
		w.regs[0][7] = uint64(math.Float32bits(x))
		run(w, &op{a: 0, dst: 1, ftz: ftz})
		return math.Float32frombits(uint32(w.regs[1][7]))
	}
	require.Equal(t, float32(math.Sin(2)), at(runSin32, 2, false))
	require.Equal(t, float32(math.Cos(2)), at(runCos32, 2, false))
	require.Equal(t, float32(math.Cos(3)), at(runCos32, 3, false))
	require.Equal(t, float32(math.Sin(2)), at(runSin32, 2, false))
	require.Equal(t, float32(1e-40), at(runSin32, 1e-40, false))
	require.Zero(t, at(runSin32, 1e-40, true))
	in := uint64(math.Float32bits(2))
	w.regs[0] = broadcast(in)
	runSin32(w, &op{a: 0, dst: 0}) // in place
	require.Equal(t, uint64(math.Float32bits(float32(math.Sin(2)))), w.regs[0][0])
	runCos32(w, &op{a: 0, dst: 1})
	require.Equal(t, float32(math.Cos(float64(float32(math.Sin(2))))), math.Float32frombits(uint32(w.regs[1][0])))
}

// The result is the nearest number, or the next one if the exact one is in the
// middle between two.
func TestSineAndCosineAreRoundedToNearest(t *testing.T) {
	near := func(t require.TestingT, want float64, got float32, about ...any) {
		if math.IsNaN(want) {
			require.True(t, got != got, about...)
			return
		}
		if got == float32(want) && math.Signbit(float64(got)) == math.Signbit(want) {
			return
		}
		middle := (float64(got) + float64(float32(want))) / 2
		require.InDelta(t, want, middle, 1e-12*math.Abs(want)+1e-300, about...)
	}
	check := func(t require.TestingT, x float32) {
		sin, cos := sineAndCosine(x, false)
		near(t, math.Sin(float64(x)), sin, "sin %v", x)
		near(t, math.Cos(float64(x)), cos, "cos %v", x)
	}
	for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1e-45, 1e-30, math.Pi / 4, math.Pi / 2, math.Pi, 2 * math.Pi, 65535.9, 65536, 1e30,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
		check(t, x)
		check(t, -x)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(rapid.Float32(), rapid.Float32Range(-7, 7), rapid.Float32Range(-1e5, 1e5)).Draw(t, "x"))
	})
	sin, cos := sineAndCosine(1e-40, true)
	require.Zero(t, sin, "subnormal numbers are flushed")
	require.Equal(t, float32(1), cos)
}
