package mem

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// near counts the SMs that ask the first of two slices for its lines, and for the other's.
func near(t *testing.T, g Ground) (first int) {
	g.AddressSpec = AddressSpec{Slices: 2, Channels: 2}
	half, err := NewTopology("halves", g)
	require.NoError(t, err)
	for sm := range g.SMs {
		require.Equal(t, half.Near(sm, 0), half.Near(sm, 1))
		if half.Near(sm, 0) == 0 {
			require.Equal(t, sm, first, "the first SMs are near to the first half")
			first++
		}
	}
	return first
}

// GTC 2021, S33322: 46 and 62 SMs of an A100 are at a side.
func TestHalvesDivideByGPC(t *testing.T) {
	require.Equal(t, 46, near(t, Ground{SMs: 108, GPCs: []int{16, 16, 14, 16, 16, 16, 14}}))
	require.Equal(t, 54, near(t, Ground{SMs: 108}))
	require.Equal(t, 0, near(t, Ground{SMs: 14, GPCs: []int{14}}))
}
