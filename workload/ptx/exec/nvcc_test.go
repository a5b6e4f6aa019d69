package exec

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAProgramInTheFormsOfNvcc(t *testing.T) {
	s := newSample(t, "nvcc.ptx")
	out, warps := array(s, make([]uint32, 64)), array(s, make([]uint32, 65))
	block := params(out)
	block = binary.LittleEndian.AppendUint32(block, 7)
	block = binary.LittleEndian.AppendUint32(block, 9)
	block = binary.LittleEndian.AppendUint64(block, math.Float64bits(3.5))
	block = binary.LittleEndian.AppendUint64(block, warps)
	s.run("_Z1kPi", line(1, 64), block)
	var wantOut, wantWarps []uint32
	for tid := range uint32(64) {
		// The square of the neighbour, a constant, words[2] and [1], 4.5 as an
		// integer, what printf returns, its upper bits, weakv and cf[1].
		upper := uint32(math.Float64bits(4.5) >> 48)
		wantOut = append(wantOut, (tid^1)*(tid^1)+tid%4+1+30+20+4+0+upper+5-2)

		// The neighbour by shuffle, a vote, a match, a ballot, a sum, all lanes of
		// the warp, and how many of the thread block are above 40.
		var ballot, sum uint32
		for l := tid &^ 31; l < tid&^31+32; l++ {
			ballot |= uint32(bit(l > 40)) << (l % 32)
			sum += l
		}
		wantWarps = append(wantWarps, (tid^1+1+4+ballot+sum)^allLanes+23)
	}
	require.Equal(t, wantOut, contents[uint32](s, out, 64))
	require.Equal(t, append(wantWarps, 3*64), contents[uint32](s, warps, 65))
}
