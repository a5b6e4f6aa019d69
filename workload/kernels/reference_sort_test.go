package kernels

import (
	"encoding/binary"
	"math"
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
