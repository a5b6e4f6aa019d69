package ptx

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ptx")
	require.NoError(f, err)
	examples, err := filepath.Glob("../../docs/examples/kernels/*gemm.ptx") // with tensor cores
	require.NoError(f, err)
	for _, name := range append(files, examples...) {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(head + ".global .texref t; .const .u64 a[] = {1, generic(t)+2}; .entry k(.param .u32 n) { .reg .b32 %r<4>; .reg .pred p;" +
		" L: .branchtargets A, B; brx.idx %r1, L; A: @!p bra B; mov.u32 %r2, (1<<3)|-2; B: { .reg .f32 %r1; } ret; }"))
	f.Add([]byte(head + ".global .b128 v; .func a(); .func (.reg .f32 r) f(.reg .u32 x, .param .b8 y[3]) .pragma \"p\"; { @p ret; }" +
		" .entry k() .bogus { call (f), f, (1, v); mma.sync; { ad.u32 r, r; } } .alias a, f;\x00"))
	inputError := func(t *testing.T, err error) {
		var input *workload.InputError
		require.True(t, errors.As(err, &input), "%v", err)
		require.False(t, strings.Contains(err.Error(), "\n"), "%q", err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("f.ptx", text)
		if err != nil {
			inputError(t, err)
			return
		}
		for _, fn := range m.Funcs {
			if fn.Fault != nil {
				inputError(t, fn.Fault)
				require.Empty(t, fn.Insts)
			}
			for i := range fn.Insts {
				in := &fn.Insts[i]
				require.LessOrEqual(t, in.Target, len(fn.Insts))
			}
		}
	})
}
