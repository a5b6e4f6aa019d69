package sm

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Do the SMs of a GPU use all of the processor's cache? Lines that are 64 lines apart compete
// for places: with an odd number of lines from SM to SM, what one has at some place the
// others have elsewhere.
func TestSMsAreAnOddNumberOfLinesApart(t *testing.T) {
	const line = 64
	size := unsafe.Sizeof(SM{})
	require.EqualValues(t, line, size%(2*line), "an SM has %d bytes, %.2f lines: change filling", size, float64(size)/line)
}

// Do SMs that are made together lie together, and SMs beyond their number work too?
func TestSMsAreMadeInOnePiece(t *testing.T) {
	s := &storage{make([]SM, 2)}
	first, second, third := s.take(), s.take(), s.take()
	require.Equal(t, unsafe.Sizeof(SM{}), uintptr(unsafe.Pointer(second))-uintptr(unsafe.Pointer(first)))
	require.NotSame(t, second, third)
	require.NotNil(t, (*storage)(nil).take())
}
