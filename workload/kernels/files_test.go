package kernels

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// Two files: the kernel stores what a function of the other file returns, which
// reads a variable that the first file has too.
const (
	caller = `.version 7.8
.target sm_70
.address_size 64
.global .u32 own = 1;
.extern .func (.param .b32 r) answer (.param .b64 from);
.visible .entry ask(.param .u64 out, .param .u64 from)
{
	.reg .b32 %r<3>;
	.reg .b64 %x<3>;
	ld.param.u64 %x1, [out];
	ld.param.u64 %x2, [from];
	.param .b64 a;
	.param .b32 b;
	st.param.b64 [a], %x2;
	call (b), answer, (a);
	ld.param.u32 %r1, [b];
	st.global.u32 [%x1], %r1;
	ret;
}
`
	answerer = `.version 7.8
.target sm_70
.address_size 64
.global .u32 own = 42;
.visible .func (.param .b32 r) answer (.param .b64 from)
{
	.reg .b32 %r<3>;
	.reg .b64 %x<3>;
	ld.param.u64 %x1, [from];
	ld.global.u32 %r1, [%x1];
	ld.global.u32 %r2, [own];
	add.u32 %r1, %r1, %r2;
	st.param.b32 [r], %r1;
	ret;
}
`
	asking = `name: mine
ptx: [mine.ptx, other.ptx]
arrays: [{name: data, type: u32, values: [7, 0]}]
kernels: [{name: ask, block: [1]}]
steps:
  - launch: {kernel: ask, grid: [1], args: [data + 1, data]}
  - expect: {array: data, values: [7, 49]}
`
)

func TestAProgramOfSeveralFilesIsLinked(t *testing.T) {
	files := map[string]string{"mine.yaml": asking, "mine.ptx": caller, "other.ptx": answerer}
	file := folderOf(t, files)
	f, err := inspect(t, file)
	require.NoError(t, err)
	assert.Equal(t, []string{""}, f.differences)
	m, err := Load(file)
	require.NoError(t, err)
	assert.Len(t, m.Files(), 3)
	contents, err := m.Contents()
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(asking), []byte(caller), []byte(answerer)}, contents)
}

func TestFaultsOfSeveralFilesNameTheRightOne(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"[mine.ptx, other.ptx]", "[mine.ptx, none.ptx]", "mine.yaml:2: ptx[1] names none.ptx, which cannot be read: no such file or directory; give the path of a PTX file, relative to the manifest"},
		{"[mine.ptx, other.ptx]", "[mine.ptx, mine.ptx]", `mine.yaml:2: ptx[1] is "mine.ptx"; valid: the path of a PTX file, once`},
		{"[mine.ptx, other.ptx]", "mine.ptx", `mine.ptx:15: function "answer" is called and has no body; valid are functions with one, vprintf, __assertfail and __assert_fail`},
		{"[mine.ptx, other.ptx]", "{a: 1}", "mine.yaml:2: ptx is a mapping; it takes one text, or a list of texts"},
		{"[mine.ptx, other.ptx]", "[]", "mine.yaml:2: ptx is missing; give the path of a PTX file"},
		{"kernels: [{name: ask", "kernels: [{name: answer, block: [1]}, {name: ask", `mine.yaml:4: kernels[0].name is "answer", which mine.ptx, other.ptx does not have; valid: ask`},
		{"  - expect", "  - copy: {from: own, to: data, count: 1}\n  - expect", `mine.yaml:7: steps[1].copy.from is "own", no array: mine.ptx: 2 global or constant variables are called own; valid: a name that only one has`},
	} {
		text := strings.Replace(asking, c.old, c.new, 1)
		_, err := inspect(t, folderOf(t, map[string]string{"mine.yaml": text, "mine.ptx": caller, "other.ptx": answerer}))
		if assert.Error(t, err, c.new) {
			assert.Equal(t, c.want, base(err), c.new)
		}
	}
	m, err := Load(folderOf(t, map[string]string{"mine.yaml": strings.Replace(asking, "1, data]", "1, 0]", 1), "mine.ptx": caller, "other.ptx": answerer}))
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	l, err := nextLaunch(i)
	require.NoError(t, err)
	w := l.Program.NewTB(&l.Config, 0).Warps[0]
	for _, ok := w.Next(); ok && err == nil; _, ok = w.Next() {
		_, err = w.Step()
	}
	assert.ErrorContains(t, err, "other.ptx:10: ld.global.u32 in kernel ask, thread (0,0,0)")
}
