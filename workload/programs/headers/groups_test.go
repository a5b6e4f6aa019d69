package headers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Groups have the sizes, ranks and results of the programming guide.
func TestCooperativeGroups(t *testing.T) {
	p := compile(t, "groups.cu")
	want := func(i uint32) []uint32 {
		tile := i / 8 * 8
		warpMost := i/32*32 + 31
		// Threads 0, 3, 6, ... of a warp are together.
		together := []uint32{99, 99, 99, 99, 99}
		if i%3 == 0 {
			var list []uint32
			for j := i / 32 * 32; j < i/32*32+32; j++ {
				if j%3 == 0 {
					list = append(list, j)
				}
			}
			var rank, sum, votes uint32
			for r, j := range list {
				sum += j
				if j == i {
					rank = uint32(r)
				}
				if j%2 == 0 {
					votes |= 1 << r
				}
			}
			together = []uint32{rank, uint32(len(list)), list[1], sum, votes}
		}
		any := uint32(0)
		if tile == 8 {
			any = 1
		}
		row := []uint32{i % 8, i / 8, tile + 3, i ^ 1, 4 * (tile + 3), 0x22, any, 8*tile + 28, warpMost}
		return append(append(row, together...), 63-i, i%16, 128)
	}
	columns := len(want(0))
	out := p.array(t, 64*columns*4, nil)
	p.run(t, "groups", 1, 64, out, uint32(columns))
	for i := range 64 {
		require.Equal(t, want(uint32(i)), read[uint32](t, p, out+uint64(4*columns*i), columns), "thread %d", i)
	}
}
