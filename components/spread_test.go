package components_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"cotenant/components"
)

// Do the slices of modules alike begin at all places of the cache?
func TestSpreadSlicesBeginAtDifferentPlaces(t *testing.T) {
	type three [192]byte // three lines
	begins := map[uintptr]bool{}
	var keep [][]three
	for number := range 42 {
		s := components.Spread[three](64, number)
		require.Len(t, s, 64)
		keep = append(keep, s)
		begins[uintptr(unsafe.Pointer(&s[0]))%4096] = true
	}
	require.Len(t, keep, 42)
	require.GreaterOrEqual(t, len(begins), 21, "places of 21 that hold whole elements")
	require.Len(t, components.Spread[[8192]byte](2, 7), 2, "elements that are larger than the distance")
}
