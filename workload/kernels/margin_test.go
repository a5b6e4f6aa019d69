package kernels

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// slide stores the sum of the words before and behind that of each thread in
// out, at an offset.
const slide = `.version 7.8
.target sm_70
.address_size 64
.visible .entry slide(.param .u64 x, .param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %x<4>;
	ld.param.u64 %x1, [x];
	ld.param.u64 %x2, [out];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x1, %r1, 4, %x1;
	mad.wide.u32 %x2, %r1, 4, %x2;
	ld.global.u32 %r2, [%x1+-4];
	ld.global.u32 %r3, [%x1+4];
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%x2], %r2;
	ret;
}
`

const sliding = `name: mine
ptx: mine.ptx
arrays:
  - {name: x, type: u32, length: 40, formula: i, margin: 1}
  - {name: out, type: u32, length: 40, margin: 3}
kernels: [{name: slide, block: [40]}]
steps:
  - launch: {kernel: slide, grid: [1], args: [x, out]}
`

// stepped runs a launch of one thread block to its end or its first error.
func stepped(t *testing.T, file string) (*Instance, error) {
	t.Helper()
	m, err := Load(file)
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	if err != nil {
		return nil, err
	}
	l, err := nextLaunch(i)
	require.NoError(t, err)
	for _, w := range l.Program.NewTB(&l.Config, 0).Warps {
		for _, ok := w.Next(); ok && err == nil; _, ok = w.Next() {
			_, err = w.Step()
		}
	}
	return i, err
}

func TestAMarginCanBeReadAndNotWritten(t *testing.T) {
	i, err := stepped(t, folderOf(t, map[string]string{"mine.yaml": sliding, "mine.ptx": slide}))
	require.NoError(t, err)
	out := ints(i, "out")
	assert.Equal(t, []int{1, 2, 4, 76, 38}, []int{out[0], out[1], out[2], out[38], out[39]})

	const at = "thread block (0,0,0): address "
	for _, c := range []struct{ old, new, want string }{
		{", margin: 1", "", "ld.global.u32 in kernel slide, thread (0,0,0) of " + at + "0xffffffc in .global is not in any array; 4 bytes in front of x (160 bytes at 0x10000000), which argument 1 points to"},
		{"args: [x, out]", "args: [x + 1, out]", "ld.global.u32 in kernel slide, thread (39,0,0) of " + at + "0x100001a4 in .global is not in any array; directly behind x (168 bytes at 0x100000fc), which argument 1 points to"},
		{"args: [x, out]", "args: [x, out + 1]", "st.global.u32 in kernel slide, thread (39,0,0) of " + at + "0x100003a0 in .global is in the margin of the array of 160 bytes at 0x10000300, which can only be read"},
		{"args: [x, out]", "args: [x, out - 1]", "st.global.u32 in kernel slide, thread (0,0,0) of " + at + "0x100002fc in .global is in the margin of the array of 160 bytes at 0x10000300, which can only be read"},
		{"margin: 3", "margin: -1", `mine.yaml:5: arrays[1].margin "-1" is -1; valid: whole numbers from 0 to 8589934592`},
		{"margin: 3", "margin: 2000000000", "mine.yaml:5: arrays[1].length makes the arrays, with the variables of the PTX, larger than 8 GiB together; make the input smaller"},
	} {
		_, err := stepped(t, folderOf(t, map[string]string{"mine.yaml": strings.Replace(sliding, c.old, c.new, 1), "mine.ptx": slide}))
		assert.ErrorContains(t, err, c.want, c.new)
	}
}

// A vector of which a part lies in the margin is one access.
func TestAVectorReachesIntoTheMargin(t *testing.T) {
	text := strings.NewReplacer("ld.global.u32 %r2, [%x1+-4];", "", "ld.global.u32 %r3, [%x1+4];", "ld.global.v2.u32 {%r2, %r3}, [%x1];").Replace(slide)
	manifest := strings.NewReplacer("length: 40, formula: i, margin: 1", "length: 3, formula: 5 + i, margin: 1", "[40]", "[1]", "[x, out]", "[x + 2, out]").Replace(sliding)
	i, err := stepped(t, folderOf(t, map[string]string{"mine.yaml": manifest, "mine.ptx": text}))
	require.NoError(t, err)
	assert.Equal(t, 7, ints(i, "out")[0])
}
