package sampling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// launches makes launches of kernel k that differ in one count.
func launches(set func(*Launch, uint64), values ...uint64) (list []Launch) {
	for _, x := range values {
		l := Launch{Kernel: "k", TBs: 10, WarpInstructions: 1000, ThreadInstructions: 30_000, FootprintBytes: 3200}
		set(&l, x)
		list = append(list, l)
	}
	return list
}

func instructions(l *Launch, x uint64) { l.WarpInstructions = x }

func TestClustersHoldLaunchesThatAreAlike(t *testing.T) {
	threads := func(l *Launch, x uint64) { l.ThreadInstructions = x }
	tbs := func(l *Launch, x uint64) { l.TBs = int(x) }
	footprint := func(l *Launch, x uint64) { l.FootprintBytes = x }
	fresh := func(l *Launch, x uint64) { l.FreshBytes = x }
	kernel := func(l *Launch, x uint64) { l.Kernel = string(rune('a' + x)) }
	shape := func(l *Launch, x uint64) { l.Shape = string(rune('a' + x)) }
	for _, c := range []struct {
		name     string
		launches []Launch
		clusters [][]int
	}{
		{"equal launches", launches(instructions, 1000, 1000, 1000), [][]int{{0, 1, 2}}},
		{"launches of a loop over kernels", launches(kernel, 0, 1, 0, 1, 0), [][]int{{0, 2, 4}, {1, 3}}},
		{"launches of one kernel with two shapes", launches(shape, 1, 0, 0, 1), [][]int{{0, 3}, {1, 2}}},
		{"a coefficient of variation of 0.1", launches(instructions, 900, 1100), [][]int{{0, 1}}},
		{"more than 0.1", launches(instructions, 899, 1101), [][]int{{0}, {1}}},
		{"two groups in turn", launches(instructions, 1000, 4000, 1010, 4010), [][]int{{0, 2}, {1, 3}}},
		{"three groups", launches(instructions, 100, 1000, 10_000, 101, 1001, 10_001), [][]int{{0, 3}, {1, 4}, {2, 5}}},
		{"growing launches", launches(instructions, 100, 110, 121, 133, 146, 161), [][]int{{0, 1, 2}, {3, 4, 5}}},
		{"lanes", launches(threads, 10_000, 30_000, 10_000), [][]int{{0, 2}, {1}}},
		{"thread blocks", launches(tbs, 10, 20, 10), [][]int{{0, 2}, {1}}},
		{"memory", launches(footprint, 32, 3200, 3200), [][]int{{0}, {1, 2}}},
		{"the launch that touches memory first", launches(fresh, 3200, 0, 0, 0), [][]int{{0}, {1, 2, 3}}},
		{"a little memory that is touched first", launches(fresh, 320, 0, 0, 0), [][]int{{0, 1, 2, 3}}},
		{"no launch", nil, nil},
	} {
		require.Equal(t, c.clusters, Clusters(c.launches, 0.1), c.name)
	}
}

func TestLaunchesWithEqualCountsAreNeverParted(t *testing.T) {
	list := launches(instructions, 1, 2, 1, 2, 3, 3)
	require.Equal(t, [][]int{{0, 2}, {1, 3}, {4, 5}}, Clusters(list, 1e-9))
}

func TestSpreadIsTheLargestCoefficientOfVariation(t *testing.T) {
	list := launches(instructions, 900, 1100)
	list[0].ThreadInstructions = 60_000
	require.InDelta(t, 15_000./45_000, Spread(list, []int{0, 1}), 1e-12)
	require.Zero(t, Spread(list, []int{0}))
}
