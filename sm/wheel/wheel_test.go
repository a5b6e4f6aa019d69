package wheel

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// taken is what is due at a cycle, in order.
func taken(w *Wheel, cycle uint64) []Due {
	early, late := w.Take(cycle)
	all := append(slices.Clone(early), late...)
	w.Recycle(late)
	return all
}

func TestWheelReturnsEverythingAtItsCycleInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &Wheel{}
		want := map[uint64][]uint32{}
		cycle := rapid.Uint64Range(0, 1<<40).Draw(t, "start")
		for id := range uint32(rapid.IntRange(1, 40).Draw(t, "items")) {
			at := cycle + rapid.Uint64Range(1, Slots-1).Draw(t, "delay")
			w.Add(cycle, at, Due{ID: id})
			want[at] = append(want[at], id)
			next, ok := w.Next(cycle)
			require.True(t, ok)
			for at := range want {
				require.LessOrEqual(t, next, at)
			}
			require.NotEmpty(t, want[next])
			if rapid.Bool().Draw(t, "go on") {
				cycle = next
				var got []uint32
				for _, d := range taken(w, cycle) {
					got = append(got, d.ID)
				}
				require.Equal(t, want[cycle], got)
				delete(want, cycle)
			}
		}
		for len(want) > 0 {
			cycle, _ = w.Next(cycle)
			require.Len(t, taken(w, cycle), len(want[cycle]))
			delete(want, cycle)
		}
		_, ok := w.Next(cycle)
		require.False(t, ok)
	})
}

func TestWheelHasNothingAtOtherCycles(t *testing.T) {
	w := &Wheel{}
	w.Add(0, 5, Due{})
	for _, cycle := range []uint64{4, 6, 5 + nearSlots - 1} {
		require.Empty(t, taken(w, cycle))
	}
	require.Len(t, taken(w, 5), 1)
	require.Empty(t, taken(w, 5))
}

func TestWhatTakesAPlaceComesInItsOrder(t *testing.T) {
	const at = 200
	w := &Wheel{}
	w.Add(0, at, Due{ID: 1}) // beyond the near part
	place := w.Order()
	w.Add(0, at, Due{ID: 3})
	w.Add(190, at, Due{ID: 4})
	w.Add(190, at-1, Due{ID: 9})
	w.AddAt(195, at, Due{Kind: Settled, ID: 2}, place)
	require.Len(t, taken(w, at-1), 1)
	var got []uint32
	for _, d := range taken(w, at) {
		got = append(got, d.ID)
	}
	require.Equal(t, []uint32{1, 2, 3, 4}, got)
	_, ok := w.Next(at)
	require.False(t, ok)
}
