package sass

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// FuzzLower makes sure that whatever parses can be optimized and lowered and, if
// it compiles, has an instruction for each that is executed.
func FuzzLower(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.ptx")
	require.NoError(f, err)
	examples, err := filepath.Glob("../../../docs/examples/kernels/*gemm.ptx") // with tensor cores
	require.NoError(f, err)
	require.NotEmpty(f, examples)
	files = append(files, examples...)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	all := For(workload.Target{ISA: workload.PTX})
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Parse("f.ptx", text)
		if err != nil {
			return
		}
		for _, fn := range m.Funcs {
			for _, opt := range []Options{{}, all} {
				fn := Optimize(fn, 24, func(*ptx.Var) (uint64, int) { return 0, 3 }, &Maxwell, opt)
				c := Lower(fn, opt)
				for i := range fn.Insts {
					for _, inst := range c.At(i) {
						require.Less(t, inst.Class, workload.NumClasses)
						require.Equal(t, fn.Insts[i].Op == "bar" && !fn.Insts[i].Has("warp") || fn.Insts[i].Op == "barrier" && !fn.Insts[i].Has("cluster"),
							inst.Class == workload.Barrier)
					}
					if skipped := c.Skipped(i); skipped != nil {
						require.Empty(t, c.At(i))
						require.Greater(t, fn.Insts[i].Target, i)
					}
				}
			}
			if fn.Entry {
				// This may fail, and not otherwise than by an error.
				p, err := exec.Compile(m, fn.Name)
				if err == nil {
					_, err = p.With(Optimize(fn, 24, p.Place, &Maxwell, Options{}))
					require.NoError(t, err)
				}
			}
		}
	})
}
