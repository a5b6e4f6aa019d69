package journey

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstLoadOfEachTenantInEachSpanIsFollowed(t *testing.T) {
	r := New(100, 1, func(*Journey) {})
	var followed []uint64
	for cycle := uint64(30); cycle < 400; cycle += 20 {
		if id := r.Begin(0, 0, 0, cycle, 0); id != 0 {
			followed = append(followed, cycle)
			r.Perform(id, 0)
		}
	}
	require.Equal(t, []uint64{30, 110, 210, 310}, followed)
	require.NotZero(t, r.Begin(1, 0, 0, 395, 0), "another tenant's")
}

func TestTimesAreCoreCyclesAndNumbersComeBack(t *testing.T) {
	var seen []Journey
	r := New(1, 10, func(j *Journey) { seen = append(seen, *j) })
	first := r.Begin(2, 3, 0x40, 7, 70)
	second := r.Begin(2, 3, 0x48, 8, 80)
	require.NotEqual(t, first, second)
	r.Access(first, 0x1000, true, 89)
	r.Perform(first, 120)
	require.Len(t, seen, 1)
	cycle, ok := seen[0].Cycle(Accessed)
	require.Equal(t, []any{uint64(8), true, true, 3, 0}, []any{cycle, ok, seen[0].Missed, seen[0].SM, seen[0].Lane})
	_, ok = seen[0].Cycle(Left)
	require.False(t, ok)
	r.Abandon(second)
	third := r.Begin(2, 3, 0x50, 9, 90)
	require.Equal(t, first, third, "the abandoned one's number may still be on its way")
	_, ok = r.open[third].Cycle(Accessed)
	require.False(t, ok, "nothing is left of the load before")
}

func TestNoMoreLoadsThanNumbers(t *testing.T) {
	r := New(1, 1, func(*Journey) {})
	for cycle := range uint64(most) {
		require.NotZero(t, r.Begin(0, 0, 0, cycle, 0))
	}
	require.Zero(t, r.Begin(0, 0, 0, most, 0))
}
