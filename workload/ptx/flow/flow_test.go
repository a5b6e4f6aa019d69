package flow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

const top = ".version 7.8\n.target sm_52\n.address_size 64\n"

// function parses a kernel k(.u64 in) that has a body, in which registers are
// declared.
func function(t testing.TB, body string) *ptx.Func {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(top+".visible .entry k(.param .u64 in)\n{ .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"+
		body+"\n}\n"))
	require.NoError(t, err, body)
	return m.Funcs[0]
}

// FuzzAnalyses lets every analysis see whatever parses.
func FuzzAnalyses(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.ptx")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Parse("f.ptx", text)
		if err != nil {
			return
		}
		for _, fn := range m.Funcs {
			n := len(fn.Insts)
			for i, at := range Reconvergence(fn) {
				in := &fn.Insts[i]
				branches := in.Op == "brx" || in.Op == "bra" && in.Guard >= 0
				require.Equal(t, branches, at >= 0)
				require.LessOrEqual(t, at, n)
			}
			optimized := Merge(Rename(fn), func(*ptx.Var) (uint64, int) { return 0, 8 }, 0)
			require.LessOrEqual(t, MaxLive(optimized), MaxLive(fn))
			require.LessOrEqual(t, MaxLive(Schedule(optimized, machine(optimized, 0))), MaxLive(fn))
			slots, count, _ := ShareSlots(fn)
			for r, slot := range slots {
				require.True(t, fn.Regs[r] == ptx.Pred || int(slot) < max(count, 1))
			}
			require.Len(t, QuietFrom(fn, []int{0, n}), 2)
			RegistersRead(fn)
			GlobalAccesses(fn, make([]int, len(fn.Params)))
		}
	})
}
