package sm

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// taken is what is due at a cycle, in order.
func taken(w *wheel, cycle uint64) []due {
	early, late := w.take(cycle)
	all := append(slices.Clone(early), late...)
	w.recycle(late)
	return all
}

func TestWheelReturnsEverythingAtItsCycleInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &wheel{}
		want := map[uint64][]uint32{}
		cycle := rapid.Uint64Range(0, 1<<40).Draw(t, "start")
		for id := range uint32(rapid.IntRange(1, 40).Draw(t, "items")) {
			at := cycle + rapid.Uint64Range(1, maxLatency).Draw(t, "delay")
			w.add(cycle, at, due{id: id})
			want[at] = append(want[at], id)
			next, ok := w.next(cycle)
			require.True(t, ok)
			for at := range want {
				require.LessOrEqual(t, next, at)
			}
			require.NotEmpty(t, want[next])
			if rapid.Bool().Draw(t, "go on") {
				cycle = next
				var got []uint32
				for _, d := range taken(w, cycle) {
					got = append(got, d.id)
				}
				require.Equal(t, want[cycle], got)
				delete(want, cycle)
			}
		}
		for len(want) > 0 {
			cycle, _ = w.next(cycle)
			require.Len(t, taken(w, cycle), len(want[cycle]))
			delete(want, cycle)
		}
		_, ok := w.next(cycle)
		require.False(t, ok)
	})
}

func TestWheelHasNothingAtOtherCycles(t *testing.T) {
	w := &wheel{}
	w.add(0, 5, due{})
	for _, cycle := range []uint64{4, 6, 5 + nearSlots - 1} {
		require.Empty(t, taken(w, cycle))
	}
	require.Len(t, taken(w, 5), 1)
	require.Empty(t, taken(w, 5))
}
