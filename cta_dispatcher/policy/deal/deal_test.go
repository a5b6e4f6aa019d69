package deal

import (
	"testing"

	"cotenant/components/occupancy"

	"github.com/stretchr/testify/require"
)

// an SM of 8 slots and 1,024 threads, and two kernels, of 128 and 256 threads.
var (
	sm      = &occupancy.Capacity{TBs: 8, Threads: 1024, Warps: 32, Registers: 1, SharedOptions: []int{0}}
	demands = []occupancy.Demand{{TBs: 1, Threads: 128, Warps: 4}, {TBs: 1, Threads: 256, Warps: 8}}
)

func TestInTurnBeginsWithTheFirstAndEndsWhereNothingFits(t *testing.T) {
	for first, want := range [][]int{{4, 2}, {2, 3}} {
		var u occupancy.Usage
		tbs := []int{0, 0}
		require.True(t, InTurn(sm, &u, demands, []int{9, 9}, first, tbs))
		require.Equal(t, want, tbs)
		require.False(t, InTurn(sm, &u, demands, []int{9, 9}, first, tbs), "it is full")
	}
}

func TestInTurnGivesNobodyMoreThanItsMost(t *testing.T) {
	var u occupancy.Usage
	tbs := []int{1, 0}
	u.Take(demands[0])
	require.True(t, InTurn(sm, &u, demands, []int{2, 1}, 0, tbs))
	require.Equal(t, []int{2, 1}, tbs)
	require.Equal(t, 512, u.Threads)
}

func TestLeastGivesToTheKernelThatHasLeast(t *testing.T) {
	tbs := []int{7, 7}
	var got []int
	threads := func(k int) Measure { return Measure{Has: float64(tbs[k] * demands[k].Threads)} }
	Least(sm, demands, []int{1, 0}, tbs, threads, func(k int, u *occupancy.Usage) { got = append(got, k, u.Threads) })
	require.Equal(t, []int{1, 256, 0, 384, 0, 512, 1, 768, 0, 896, 0, 1024}, got, "the first of the order first, and the earlier among equals")
	require.Equal(t, []int{4, 2}, tbs)
	Least(sm, demands, []int{0, 1}, tbs, func(k int) Measure { return Measure{Next: float64(-k)} }, nil)
	require.Equal(t, []int{2, 3}, tbs, "the second measure tells equals apart, but not for the first thread block")
}

func TestRoomIsTakenWholeOrNotAtAll(t *testing.T) {
	var u occupancy.Usage
	require.True(t, Room(sm, &u, demands[1], 3))
	require.False(t, Room(sm, &u, demands[1], 2))
	require.Equal(t, 768, u.Threads)
	require.True(t, Room(sm, &u, demands[1], 1))
}
