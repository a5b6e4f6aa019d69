package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Comments give the numbers of the lines.
const lined = `.version 7.8
.target sm_52
.address_size 64
.file 1 "/home/me/add.cu"
.visible .entry first()
{
	.reg .b32 %r<3>;
	mov.u32 %r1, 1; // 8: no .loc yet
	.loc 1 12 5
	mov.u32 %r1, 2; // 10
	.loc 2 7 1, function_name $L__info+4, inlined_at 1 30 2
	mov.u32 %r1, 3; // 12
	mov.u32 %r1, 4; // 13
	.loc 1 0 0
	mov.u32 %r1, 5; // 15
	.loc oops
	ret;
}
.visible .entry second()
{
	ret; // 21
}
.file 2 "include" "math.cuh"
.file 3 "/home/me" "/usr/include/x.h", 1234, 99
`

func TestTheLineTableLeadsToTheProgramsSource(t *testing.T) {
	m, err := Parse("a.ptx", []byte(lined))
	require.NoError(t, err)
	type origin struct {
		file string
		line int
	}
	for line, want := range map[int]origin{8: {}, 10: {"/home/me/add.cu", 12}, 12: {"include/math.cuh", 7}, 13: {"include/math.cuh", 7}, 15: {}} {
		file, from := m.Funcs[0].Origin(line)
		require.Equal(t, want, origin{file, from}, line)
	}
	file, _ := m.Funcs[1].Origin(21)
	require.Empty(t, file, "a .loc holds to the end of its function")
	s := m.Funcs[1].Source
	require.Equal(t, "/usr/include/x.h", s.files[3])
	require.Equal(t, "mov.u32 %r1, 2; // 10", s.Line(10))
	require.Equal(t, `.file 3 "/home/me" "/usr/include/x.h", 1234, 99`, s.Line(24))
	for _, none := range []int{-1, 0, 25, 99} {
		require.Empty(t, s.Line(none))
	}
	var unknown *Source
	require.Empty(t, unknown.Line(1))
	file, _ = (&Func{}).Origin(3)
	require.Empty(t, file)
}
