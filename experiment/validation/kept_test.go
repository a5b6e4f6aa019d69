package validation

import (
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// Data that fit in what is set aside are updated faster, and larger ones only if a part of them is kept.
func TestKeptDataAreUpdatedFaster(t *testing.T) {
	gpu, err := presets.Load("a100?sms=16&gpcs=[]&l2.sets=16&address.slices=16&address.channels=8")
	require.NoError(t, err)
	b := &bench{ctx: t.Context(), gpu: gpu}
	kb := b.l2Lines() / 8
	pass := func(quarters int, aside uint64, share float64) float64 {
		cycles, err := b.kept(kb/4*quarters, aside, share)
		require.NoError(t, err)
		return cycles
	}
	aside := uint64(kb) << 10 / 4 * 3
	require.Less(t, pass(2, aside, 1), 0.9*pass(2, 0, 0))
	usual := pass(6, 0, 0)
	require.InEpsilon(t, usual, pass(6, aside, 1), 0.05)
	require.Less(t, pass(6, aside, 1./3), 0.95*usual)
}
