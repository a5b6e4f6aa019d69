package ews

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestGroupsConsiderTheFirstOneAtTheStart(t *testing.T) {
	g := NewGroups(2)
	require.Equal(t, mask(0, 1), g.Visible(mask(0, 1, 2, 63)))
}

func TestGroupsSwitchForTheNextEdgeWhenNoneIsReadyThere(t *testing.T) {
	first, other, both := mask(0), mask(5), mask(0, 5)
	for _, c := range []struct {
		name              string
		ready, live       uint64
		visible, visible2 uint64 // after an edge, and after another such
	}{
		{"one is ready there", first, both, first, first},
		{"one is ready in both", both, both, first, first},
		{"one is ready in the other one only", other, both, other, other},
		{"none is ready", 0, both, other, first},
		{"none is ready, and no warp in the other one", 0, first, first, first},
		{"none is ready, and no warp but in the other one", 0, other, other, other},
		{"no warp at all", 0, 0, first, first},
	} {
		g := NewGroups(5)
		g.Look(c.ready, c.live)
		require.Equal(t, c.visible, g.Visible(both), c.name)
		g.Look(c.ready, c.live)
		require.Equal(t, c.visible2, g.Visible(both), c.name)
	}
}

// Slept in any parts is Look at each edge.
func TestGroupsThatSleptAreWhereLooksHadLedThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewGroups(rapid.IntRange(1, MaxSlots-1).Draw(t, "slots"))
		slept := g
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			live := rapid.SampledFrom([]uint64{0, 1, 1 << 63, 1 | 1<<63}).Draw(t, "live")
			edges := rapid.Uint64Range(0, 5).Draw(t, "edges")
			for range edges {
				g.Look(0, live)
			}
			slept.Slept(edges, live)
			require.Equal(t, g, slept)
		}
	})
}
