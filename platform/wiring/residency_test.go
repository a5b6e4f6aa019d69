package wiring

import (
	"testing"

	"cotenant/mem/l2"

	"github.com/stretchr/testify/require"
)

// An A100's 40 MB in 80 slices of 16 ways: a way of all sets is 2.5 MB.
func TestSetAsideIsForTheTenantThatAsksForMost(t *testing.T) {
	spec := &l2.Spec{Sets: 256, Ways: 16}
	var r residency
	for _, c := range []struct {
		tenant int
		bytes  uint64
		ways   int
	}{
		{0, 30 << 20, 12}, {0, 5 << 20, 2}, {1, 5<<20 + 1, 3}, {1, 0, 2}, {3, 1, 2}, {3, 40 << 20, 12}, {3, 0, 2}, {0, 0, 0},
	} {
		r.asked[c.tenant] = c.bytes
		require.Equal(t, c.ways, r.ways(spec, 80), "%+v", c)
	}
	spec.SetAsideWays = 4
	require.Equal(t, 4, r.ways(spec, 80), "as from the start")
	r.asked[2] = 20 << 20
	require.Equal(t, 8, r.ways(spec, 80))
}
