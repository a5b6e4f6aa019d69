package validation

import (
	"slices"
	"testing"

	"cotenant/platform/presets"
	"cotenant/tests/need"

	"github.com/stretchr/testify/require"
)

// The DRAM bounds a stream of writes. An A100 has 46 SMs in one half, which get more bandwidth each
// and walk through more of the array, so the GPU writes as fast as with 54 SMs in each half.
func TestStreamIsAsFastWithUnequalHalves(t *testing.T) {
	need.Time(t) // all of an A100, twice
	rate := func(gpu string) float64 {
		config, err := presets.Load(gpu)
		require.NoError(t, err)
		write := slices.IndexFunc(streams(), func(m *Microkernel) bool { return m.Figures[0].Name == "dram-write" })
		values, err := streams()[write].measure(&bench{ctx: t.Context(), gpu: config})
		require.NoError(t, err)
		return values[0]
	}
	require.InEpsilon(t, rate("a100?address.interleave_bytes=512&gpcs=[]"), rate("a100?address.interleave_bytes=512"), 0.02)
}
