package sm

import (
	"slices"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// used runs a warp for each line, on a scheduler of its own, that loads and uses
// the line, and returns when the uses issue, relative to the earliest load.
func used(t *testing.T, returns int, lines ...uint64) (at []uint64) {
	spec := testSpec()
	spec.Schedulers, spec.L1.ReturnsPerCycle = 4, returns
	b := newBench(t, spec)
	var lists [][]workload.Inst
	for _, line := range lines {
		lists = append(lists, program(load(1, line*128), use(1)))
	}
	warps := b.place(0, lists...)
	b.run()
	for _, w := range warps {
		at = append(at, w.issued[1]-min(warps[0].issued[0], w.issued[0]))
	}
	return at
}

func TestReturnPortLetsOneAccessGoACycle(t *testing.T) {
	for returns, want := range map[int][]uint64{
		0: {0, 0, 0, 0},
		1: {0, 1, 2, 3},
		3: {0, 0, 0, 1},
		4: {0, 0, 0, 0},
	} {
		for i := range want {
			want[i] += missToUse
		}
		require.ElementsMatch(t, want, used(t, returns, 0, 0, 0, 0), "%d a cycle", returns)
	}
}

func TestFillsWaitBehindOneAnotherAtTheReturnPort(t *testing.T) {
	// The unit looks up the single line before the three of the other instruction or
	// after them, and the fills come as far apart.
	without := used(t, 0, 0, 0, 0, 1)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(without))), 2)
	at := used(t, 1, 0, 0, 0, 1)
	require.ElementsMatch(t, []uint64{missToUse, missToUse + 1, missToUse + 2, missToUse + 3}, at)
}

// A second load joins a miss a few cycles before its data come.
func TestLoadThatJoinsAMissTakesAHitsTimeIfToldSo(t *testing.T) {
	spec := oneScheduler()
	spec.Pipes.ALU.Latency = missToUse - 10
	list := program(load(1, 0), use(9), use(209), load(2, 0), use(2), use(1))
	_, at := ran(t, spec, list...)
	require.Equal(t, []uint64{missToUse - 8, missToUse, missToUse + 1}, at[3:], "the data serve both")
	spec.L1.MissesTakeHitLatency = true
	b, at := ran(t, spec, list...)
	require.Equal(t, []uint64{missToUse - 8, missToUse - 8 + 30, missToUse - 8 + 31}, at[3:])
	require.Equal(t, uint64(1), b.kernel(0).L1.Merges)
}
