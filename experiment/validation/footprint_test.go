package validation

import (
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// A buffer within the L2 comes from there, one much larger at about the rate of the DRAM.
func TestL2BandwidthFallsToTheDRAMsBeyondTheL2(t *testing.T) {
	gpu, err := presets.Load("a100-1g?sms=6&gpcs=[]&address.channels=4&address.slices=4") // an L2 of 2 MB
	require.NoError(t, err)
	b := &bench{ctx: t.Context(), gpu: gpu}
	near, err := b.l2Bandwidth(1024, 1)
	require.NoError(t, err)
	far, err := b.l2Bandwidth(8192, 1)
	require.NoError(t, err)
	const dram = 4 * 8 * 2 * 1.215 // GB/s: channels, bytes, beats a clock, GHz
	require.Less(t, far, 1.15*dram, "8 MB have little of the L2's 2 MB")
	require.Greater(t, far, 0.8*dram)
	require.Greater(t, near, 2*dram)

	same, err := b.sameL2Bandwidth(1024, 1)
	require.NoError(t, err)
	require.InEpsilon(t, near, same, 0.05, "6 SMs are seldom in one another's way")
}

// Of a buffer somewhat larger than a half of the L2 home lines stay, which both halves use, where
// copies serve one. Of a larger one they do not.
func TestHomeLinesStayWhereCopiesDoNotFit(t *testing.T) {
	gpu, err := presets.Load("a100-1g?topology=halves&gpcs=[]") // two halves of 2.5 MB
	require.NoError(t, err)
	b := &bench{ctx: t.Context(), gpu: gpu}
	fits, err := b.l2Bandwidth(2048, 1)
	require.NoError(t, err)
	more, err := b.l2Bandwidth(3072, 1)
	require.NoError(t, err)
	require.InEpsilon(t, fits, more, 0.15)
	far, err := b.l2Bandwidth(5120, 1)
	require.NoError(t, err)
	require.Less(t, far, 0.55*fits)
}
