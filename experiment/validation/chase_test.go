package validation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/presets"
)

// chased is the latency of a chain round a number of lines of a GPU.
func chased(t *testing.T, gpu string, lines int) float64 {
	t.Helper()
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	cycles, err := (&bench{ctx: context.Background(), gpu: config}).chase(lines)
	require.NoError(t, err)
	return cycles
}

// The L1 has 192 lines, the L2 16384.
func TestChaseShowsTheLevelThatHoldsTheFootprint(t *testing.T) {
	l2, _ := shown(t, machine, "l2-chain")
	dram, _ := shown(t, machine, "dram-chain")
	assert.Equal(t, 82.0, chased(t, machine, 8))
	assert.Equal(t, 82.0, chased(t, machine, 150))
	assert.Equal(t, l2, chased(t, machine, 2000))
	assert.Equal(t, l2, chased(t, machine, 14_000))
	// Each round finds none of the lines that the one before has left.
	assert.InEpsilon(t, dram, chased(t, machine, 20_000), 0.01)
	assert.InEpsilon(t, dram, chased(t, machine, 40_000), 0.01)
}

// In halves, lines beyond the near half have left it when their turn comes again: lines
// with a far home are still in the L2, the others in the DRAM.
func TestChaseShowsTheNearHalf(t *testing.T) {
	const halves = machine + "?topology=halves"
	l2, _ := shown(t, machine, "l2-chain")
	assert.Equal(t, l2, chased(t, halves, 7_500))
	far := chased(t, halves, 10_000)
	assert.InEpsilon(t, far, chased(t, halves, 14_000), 0.02)
	all := chased(t, halves, 40_000)
	assert.Greater(t, far, l2+100)
	assert.Greater(t, all, far+50)
	// What the crossbar between slices takes, half of the lines pay twice over, once each way.
	const slower = halves + "&far_noc.latency=44" // 40 more
	assert.Equal(t, l2, chased(t, slower, 7_500))
	assert.InDelta(t, 40, chased(t, slower, 10_000)-far, 2)
	assert.InDelta(t, 40, chased(t, slower, 40_000)-all, 2)
	// The home's lookup for the other half is shorter.
	assert.InDelta(t, -30, chased(t, halves+"&l2.far_hit_latency=60", 10_000)-far, 2)
}
