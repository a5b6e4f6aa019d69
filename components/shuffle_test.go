package components_test

import (
	"fmt"
	"slices"
	"testing"

	"cotenant/components"

	"github.com/stretchr/testify/require"
)

// ticksOf makes modules, several to each clock in turn, wakes them last first,
// and returns their numbers in the order in which they ticked, by instant.
// Every module ticks at edges 3, 4 and 2000 of its clock.
func ticksOf(t *testing.T, modules int, seed uint64, hz ...uint64) [][]int {
	e, d := engineWith(t, hz...)
	if seed != 0 {
		e.Shuffle(seed)
	}
	var order [][]int
	var last components.Time
	list := make([]*recorder, modules)
	for i := range list {
		m := &recorder{tick: func(c uint64) bool {
			if order == nil || e.Now() != last {
				order, last = append(order, nil), e.Now()
			}
			order[len(order)-1] = append(order[len(order)-1], i)
			return c == 3
		}}
		m.Init(fmt.Sprintf("M[%d]", i), d[i%len(d)], m)
		list[i] = m
	}
	for _, m := range slices.Backward(list) {
		m.WakeAt(2000) // beyond the clock's ring
		m.WakeAt(3)
	}
	require.NoError(t, e.Run())
	return order
}

func TestModulesOfAnEdgeTickInTheOrderInWhichTheyWereMade(t *testing.T) {
	all := make([]int, 150)
	for i := range all {
		all[i] = i
	}
	require.Equal(t, [][]int{all, all, all}, ticksOf(t, len(all), 0, 1e9))
}

func TestShuffleDrawsTheOrderOfEveryEdgeFromItsSeed(t *testing.T) {
	const modules = 150
	first := ticksOf(t, modules, 1, 1e9)
	require.Equal(t, first, ticksOf(t, modules, 1, 1e9))
	require.NotEqual(t, first, ticksOf(t, modules, 2, 1e9))
	require.NotEqual(t, first[0], first[1])
	require.Len(t, first, 3)
	for _, edge := range first {
		require.Len(t, edge, modules)
		slices.Sort(edge)
		require.Len(t, slices.Compact(edge), modules, "each ticks once")
	}
}

func TestShuffleDrawsTheOrderOfTheClocksOfAnInstant(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(20) {
		for _, instant := range ticksOf(t, 2, seed+1, 1e9, 1e9) {
			seen[instant[0]] = true
		}
	}
	require.Len(t, seen, 2, "either clock is first now and then")
	require.Equal(t, [][]int{{0, 1}, {0, 1}, {0, 1}}, ticksOf(t, 2, 0, 1e9, 1e9))
}
