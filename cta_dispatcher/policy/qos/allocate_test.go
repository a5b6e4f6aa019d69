package qos

import (
	"testing"

	"cotenant/components/occupancy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// gtx980 is an SM of it (QoS Table 1).
var gtx980 = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

func TestEqualThreadsOfTheVectors(t *testing.T) {
	list := load(t).TB.EqualThreads
	require.Len(t, list, 3)
	for _, c := range list {
		var demands []occupancy.Demand
		for _, d := range c.Demands {
			demands = append(demands, occupancy.Demand{TBs: 1, Threads: d.Threads, Warps: (d.Threads + 31) / 32, Registers: d.Registers, SharedBytes: d.Shared})
		}
		tbs := make([]int, len(demands))
		equalThreads(&gtx980, demands, []int{0, 1}, make([]int, len(demands)), tbs)
		require.Equal(t, c.TBs, tbs)
		// The first in order matters only for ties: here the other tenant's thread blocks have
		// room too.
		everybody(&gtx980, demands, []int{0, 1}, make([]int, len(demands)), tbs, 1)
		require.Equal(t, c.TBs, tbs, "nobody has none")
	}
}

// of is a thread block of some threads.
func of(threads int) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32}
}

func TestTiesGoToTheFirstToArriveAndTheRestToWhoFits(t *testing.T) {
	c := occupancy.Capacity{TBs: 5, Threads: 2048, Warps: 64, SharedOptions: []int{0}}
	tbs := make([]int, 3)
	equalThreads(&c, []occupancy.Demand{of(64), {}, of(64)}, []int{2, 0}, make([]int, 3), tbs)
	require.Equal(t, []int{2, 0, 3}, tbs)
	equalThreads(&c, []occupancy.Demand{of(1500), {}, of(64)}, []int{0, 2}, make([]int, 3), tbs)
	require.Equal(t, []int{1, 0, 4}, tbs, "a second one of the large does not fit; the other goes on")
}

func TestSwapsOutliveANewKernelsSize(t *testing.T) {
	tbs := make([]int, 2)
	gained := []int{512, -512}
	equalThreads(&gtx980, []occupancy.Demand{of(256), of(256)}, []int{0, 1}, gained, tbs)
	require.Equal(t, []int{6, 2}, tbs, "two thread blocks were swapped")
	equalThreads(&gtx980, []occupancy.Demand{of(256), of(128)}, []int{0, 1}, gained, tbs)
	require.Equal(t, []int{6, 4}, tbs, "the threads stay when the loser's next kernel has smaller thread blocks")
	everybody(&gtx980, []occupancy.Demand{of(256), of(1024)}, []int{0, 1}, gained, tbs, 1)
	require.Equal(t, []int{8, 0}, tbs, "a loser has no right to a thread block on each SM")
}

func TestLargeThreadBlocksTakeTurns(t *testing.T) {
	demands, tbs := []occupancy.Demand{of(1200), of(1300), of(100)}, make([]int, 3)
	for turn, want := range [][]int{{1, 0, 6}, {0, 1, 5}, {1, 0, 6}, {1, 0, 6}} {
		everybody(&gtx980, demands, []int{0, 1, 2}, make([]int, 3), tbs, turn)
		require.Equal(t, want, tbs, "turn %d", turn)
	}
}

func TestSomebodyIsFirstInEachTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var demands []occupancy.Demand
		var order []int
		n := rapid.IntRange(1, 16).Draw(t, "tenants")
		for i := range n {
			demands = append(demands, of(rapid.IntRange(1, 2048).Draw(t, "threads")))
			order = append(order, i)
		}
		tbs, ever := make([]int, n), make([]int, n)
		for turn := range n {
			everybody(&gtx980, demands, order, make([]int, n), tbs, turn)
			all := occupancy.Demand{}
			for i, k := range tbs {
				ever[i] += k
				all = all.Add(demands[i].Times(k))
			}
			require.LessOrEqual(t, all.Threads, gtx980.Threads)
			require.LessOrEqual(t, all.TBs, gtx980.TBs)
		}
		require.NotContains(t, ever, 0, "%v", demands)
	})
}

// sms lists the SMs on which each tenant may have thread blocks.
func sms(home [][]bool) (list [][]int) {
	for _, on := range home {
		var has []int
		for i, ok := range on {
			if ok {
				has = append(has, i)
			}
		}
		list = append(list, has)
	}
	return list
}

func TestHomes(t *testing.T) {
	everywhere := func(int, int) bool { return true }
	run := func(kinds []int, tenants []int, holds func(int, int) bool) [][]int {
		home := make([][]bool, 4)
		for i := range home {
			home[i] = make([]bool, len(kinds))
			home[i][0] = true // of before
		}
		homes(kinds, tenants, holds, home)
		return sms(home)
	}
	want := load(t).TB.Partition.SMsOf
	require.Equal(t, [][]int{nil, want["N0"], want["N1"], nil}, run(make([]int, 16), []int{1, 2}, everywhere))
	require.Equal(t, [][]int{{3, 4}, {0, 1, 2}, nil, nil}, run(make([]int, 5), []int{1, 0}, everywhere), "what is left over is the first's")
	require.Equal(t, [][]int{{0}, {1}, {0}, {1}}, run(make([]int, 2), []int{0, 1, 2, 3}, everywhere), "more tenants than SMs")
	require.Equal(t, [][]int{nil, nil, nil, nil}, run(make([]int, 2), nil, everywhere))

	// Three of one kind and two of another.
	kinds := []int{0, 1, 0, 1, 0}
	require.Equal(t, [][]int{{0, 2, 1}, {4, 3}, nil, nil}, order(run(kinds, []int{0, 1}, everywhere), kinds))
	require.Equal(t, [][]int{{0, 2, 4}, {1, 3}, nil, nil}, order(run(kinds, []int{0, 1}, func(tenant, sm int) bool { return tenant == kinds[sm] }), kinds),
		"each kind to those whom it holds")
	require.Equal(t, [][]int{{4}, {0, 1}, {2, 3}, nil}, order(run(kinds, []int{1, 2, 0}, everywhere), kinds))
	kinds = []int{0, 1, 0, 1, 0, 1}
	require.Equal(t, [][]int{{0, 2, 1}, {4, 3, 5}, nil, nil}, order(run(kinds, []int{0, 1}, everywhere), kinds), "the second's turn for what is left over")
}

// order puts SMs of the first kind first.
func order(list [][]int, kinds []int) [][]int {
	for i, sms := range list {
		var sorted []int
		for kind := range 2 {
			for _, sm := range sms {
				if kinds[sm] == kind {
					sorted = append(sorted, sm)
				}
			}
		}
		list[i] = sorted
	}
	return list
}

func TestATenantThatOnlyATakenSMHoldsSharesIt(t *testing.T) {
	home := [][]bool{make([]bool, 2), make([]bool, 2), make([]bool, 2)}
	homes([]int{0, 1}, []int{0, 1, 2}, func(tenant, sm int) bool { return tenant < 2 || sm == 1 }, home)
	require.Equal(t, [][]int{{0}, {1}, {1}}, sms(home))
	homes([]int{0, 1}, []int{0}, func(int, int) bool { return false }, home)
	require.Equal(t, [][]int{nil, nil, nil}, sms(home), "and one that none holds has none")
}
