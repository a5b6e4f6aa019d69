package oracle

import (
	"errors"
	"fmt"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/fixed"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ccbp16 is the SM of the CCBP paper (CCBP Table 1).
var ccbp16 = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

// of is the demand of a thread block, registers for each thread.
func of(threads, registers int) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: threads, Warps: threads / 32, Registers: threads * registers}
}

// The paper's best combination of BP and CFD is (7,4), of CFD and FTD (4,7) (CCBP 7):
// both fill the SM's threads if BP and FTD have 256 in a thread block and CFD 64.
func TestThePublishedBestCombinationsAreOnTheFront(t *testing.T) {
	bp, cfd := of(256, 0), of(64, 0)
	require.Equal(t, [][]int{{1, 28}, {2, 24}, {3, 20}, {4, 16}, {5, 12}, {6, 8}, {7, 4}}, Front(&ccbp16, []occupancy.Demand{bp, cfd}))
	require.Contains(t, Front(&ccbp16, []occupancy.Demand{cfd, bp}), []int{4, 7})
	require.Len(t, Combinations(&ccbp16, []occupancy.Demand{bp, cfd}), 28+24+20+16+12+8+4)
	// With the registers of our kernels at most 16 of CFD fit.
	require.Equal(t, [][]int{{1, 15}, {2, 14}, {3, 13}, {4, 12}, {5, 11}, {6, 8}, {7, 4}}, Front(&ccbp16, []occupancy.Demand{of(256, 16), of(64, 61)}))
	require.NotContains(t, Combinations(&ccbp16, []occupancy.Demand{bp, of(192, 0)}), []int{7, 4}, "Rodinia's thread blocks of 192 are too large")
}

func TestNoCombinationWhereOneOfEachDoesNotFit(t *testing.T) {
	require.Empty(t, Combinations(&ccbp16, []occupancy.Demand{of(1056, 0), of(1024, 0)}))
	require.Empty(t, Front(&ccbp16, nil))
	require.Equal(t, [][]int{{2}}, Front(&ccbp16, []occupancy.Demand{of(1024, 0)}))
}

func TestCombinationsAreThoseThatFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var demands []occupancy.Demand
		for range 2 {
			d := of(32*rapid.IntRange(4, 24).Draw(t, "warps"), rapid.IntRange(0, 80).Draw(t, "registers"))
			d.SharedBytes = 1024 * rapid.IntRange(0, 48).Draw(t, "shared")
			demands = append(demands, d)
		}
		fits := func(a, b int) bool {
			all := demands[0].Times(a).Add(demands[1].Times(b))
			return all.TBs <= 32 && all.Threads <= 2048 && all.Warps <= 64 && all.Registers <= 65536 && all.SharedBytes <= 98304
		}
		var combinations, front [][]int
		for a := 1; a <= 32; a++ {
			for b := 1; b <= 32; b++ {
				if fits(a, b) {
					combinations = append(combinations, []int{a, b})
					if !fits(a+1, b) && !fits(a, b+1) {
						front = append(front, []int{a, b})
					}
				}
			}
		}
		require.Equal(t, combinations, Combinations(&ccbp16, demands))
		require.Equal(t, front, Front(&ccbp16, demands))
	})
}

func TestPolicy(t *testing.T) {
	for spec, got := range map[string]string{
		"fixed:tbs=7/4":         Policy([]int{7, 4}, nil),
		"fixed:tbs=7/4,sms=8/8": Policy([]int{7, 4}, []int{8, 8}),
	} {
		require.Equal(t, spec, got)
		_, err := policy.Parse(got)
		require.NoError(t, err)
	}
}

// counted tells how often each of the numbers was tried.
func counted(value func([]int) float64) (tried map[string]int, counting func([]int) (float64, error)) {
	tried = map[string]int{}
	return tried, func(tbs []int) (float64, error) {
		tried[fmt.Sprint(tbs)]++
		return value(tbs), nil
	}
}

func TestAscendFindsTheBestOfKernelsThatDoNotMeet(t *testing.T) {
	tried, value := counted(func(n []int) float64 { return float64(-(n[0]-3)*(n[0]-3) - (n[1]-20)*(n[1]-20)) })
	best, highest, err := Ascend([]int{8, 32}, value)
	require.NoError(t, err)
	require.Equal(t, []int{3, 20}, best)
	require.Zero(t, highest)
	for tbs, n := range tried {
		require.Equal(t, 1, n, tbs)
	}
	require.Len(t, tried, 8+31+7+4, "one number after the other, and the neighbours")
}

func TestAscendLooksAtNeighbours(t *testing.T) {
	// A ridge on which both numbers must change together.
	_, value := counted(func(n []int) float64 { return float64(-n[0]-n[1]) - 100*float64((n[0]-n[1])*(n[0]-n[1])) })
	best, highest, err := Ascend([]int{6, 6}, value)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, best)
	require.Equal(t, -2.0, highest)
}

func TestAscendKeepsTheFirstOfEquals(t *testing.T) {
	_, value := counted(func([]int) float64 { return 1 })
	best, _, err := Ascend([]int{4, 5}, value)
	require.NoError(t, err)
	require.Equal(t, []int{4, 5}, best)
}

func TestAscendEndsWithAnError(t *testing.T) {
	times, failure := 0, errors.New("no result")
	for after := range 5 {
		times = 0
		_, _, err := Ascend([]int{2, 2}, func([]int) (float64, error) {
			if times++; times > after {
				return 0, failure
			}
			return float64(times), nil
		})
		if err != nil {
			require.Equal(t, failure, err)
			require.Equal(t, after+1, times, "nothing is run after it")
		}
	}
}

// TestAscendTriesInOrder lists every trial. The value is best at (2,1). The search finds
// the first kernel's best a step of the second kernel's number away from there.
func TestAscendTriesInOrder(t *testing.T) {
	var tried [][]int
	best, highest, err := Ascend([]int{4, 3}, func(n []int) (float64, error) {
		tried = append(tried, n)
		return float64(-(n[0]-2)*(n[0]-2) - (n[1]-1)*(n[1]-1)), nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, best)
	require.Zero(t, highest)
	require.Equal(t, [][]int{
		{4, 3},                 // the most of all
		{1, 3}, {2, 3}, {3, 3}, // all numbers of the first kernel
		{2, 1}, {2, 2}, // of the second, beside the first's best
		{1, 1}, {3, 1}, {4, 1}, // again the first, as the second has changed
		{1, 2}, {3, 2}, // the neighbours of the best
	}, tried)
}

// Neighbours wait until no number of one kernel alone is better, and the climb goes on
// from the first neighbour that is.
func TestAscendGoesOnFromABetterNeighbour(t *testing.T) {
	values := map[[2]int]float64{{3, 3}: 5, {2, 2}: 6, {2, 1}: 7}
	var tried [][2]int
	best, highest, err := Ascend([]int{3, 3}, func(n []int) (float64, error) {
		tried = append(tried, [2]int(n))
		return values[[2]int(n)], nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, best)
	require.Equal(t, 7.0, highest)
	require.Equal(t, [][2]int{
		{3, 3}, {1, 3}, {2, 3}, {3, 1}, {3, 2}, // one kernel alone: nothing is better than 5
		{2, 2},         // the neighbours of (3,3)
		{1, 2}, {2, 1}, // from (2,2), the first kernel, then the second
		{1, 1}, // beside (2,1)
	}, tried)
}
