package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/workload/ptx/exec"

	"github.com/stretchr/testify/require"
)

func TestThreadBlocksHaveTheSizeThatTheKernelWasCompiledFor(t *testing.T) {
	for c, want := range map[[2]string]string{
		{".maxntid 32", "[32]"}:                   "",
		{".maxntid 8, 4", "[2, 16]"}:              "", // the product counts
		{".maxntid 32", "[64]"}:                   "mine.yaml:5: steps[0].launch has blocks of 64 threads; valid: at most 32, the .maxntid of k",
		{".maxntid 8, 4, 2", "[5, 13]"}:           "mine.yaml:5: steps[0].launch has blocks of 65 threads; valid: at most 64, the .maxntid of k",
		{".reqntid 8, 4", "[8, 4, 1]"}:            "",
		{".reqntid 64", "[128]"}:                  "mine.yaml:5: steps[0].launch has blocks of (128,1,1); valid: (64,1,1), the .reqntid of k",
		{".reqntid 64", "[32, 2]"}:                "mine.yaml:5: steps[0].launch has blocks of (32,2,1); valid: (64,1,1), the .reqntid of k",
		{".minnctapersm 2 .maxnreg 16", "[1024]"}: "",
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, "mine.yaml")
		manifest := "name: mine\nptx: mine.ptx\nkernels: [{name: k, block: BLOCK}]\nsteps:\n  - launch: {kernel: k, grid: [1]}\n"
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(manifest, "BLOCK", c[1], 1)), 0o600))
		code := ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() " + c[0] + " { ret; }\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, "mine.ptx"), []byte(code), 0o600))
		m, err := Load(file)
		require.NoError(t, err)
		i, err := m.New("tiny", "", exec.NewMemory())
		require.NoError(t, err)
		l, err := nextLaunch(i)
		if want != "" {
			require.EqualError(t, err, folder+string(filepath.Separator)+want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, file+":5", l.Origin)
	}
}
