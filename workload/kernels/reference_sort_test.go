package kernels

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHistogram1024CountsEveryNumber(t *testing.T) {
	before, after := run(t, "histogram1024")
	want := make([]int, 1024)
	for i := range parameter(before, "length") {
		x := math.Float32frombits(binary.LittleEndian.Uint32(before.Array("data").Bytes[4*i:]))
		want[min(int((x+100)*4), 1023)]++ // a quarter for each bin
	}
	assert.Equal(t, want, ints(after, "result"))
}

// The numbers of a bucket may have any order.
func TestHybridsortPutsTheNumbersIntoTheirBuckets(t *testing.T) {
	before, after := run(t, "hybridsort")
	want, got := floats(before, "list"), floats(after, "sorted")
	sizes := make([]int, 1024)
	for _, x := range want {
		sizes[min(int(x), 1023)]++ // pivots are 1, 2, 3 and so on
	}
	assert.Equal(t, sizes, ints(after, "sizes"))
	assert.True(t, slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(int(a), int(b)) }))
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}
