package sm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAccessIsTriedAgainWhenWaysAreDividedAnew has a tenant's load wait for the way
// of another's line, which it may take from the end of the period on in which that one
// has loaded nothing.
func TestAccessIsTriedAgainWhenWaysAreDividedAnew(t *testing.T) {
	spec := oneScheduler()
	spec.L1.Sets, spec.L1.Ways, spec.L1.Victim, spec.L1.UCPPeriod = 1, 4, "ucp", 1000
	b := newBench(t, spec)
	b.placeAt(0, 0, program(load(1, 0)))
	b.placeAt(0, 1, program(load(1, 1<<30)))
	b.RunTo(1400)
	require.Len(t, b.memory.seen, 2)
	b.memory.latency = 5000
	b.placeAt(1500, 0, program(scattered(1, 1<<20)))
	b.RunTo(1990)
	require.Len(t, b.memory.seen, 2+3, "one way is the other's")
	b.RunTo(2100)
	require.Len(t, b.memory.seen, 2+4)
	const toMemory = 10 + 1 // until the packet leaves, and on the link
	require.Equal(t, uint64(2000+toMemory), b.memory.at[5])
	b.run()
}
