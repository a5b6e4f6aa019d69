package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scale is a smallest launch manifest with an array from a file.
const scale = `name: scale
ptx: code/scale.ptx
arrays:
  - {name: data, type: f32, file: data.raw}
kernels:
  - {name: scale, block: [32]}
steps:
  - launch: {kernel: scale, grid: [1], args: [data]}
`

func TestFilesAreAllThatAnApplicationIsMadeOf(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.Mkdir(path("code"), 0o700))
	ptx := ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry scale(.param .u64 p) { ret; }\n"
	for name, text := range map[string]string{
		"kernelslist.g": "MemcpyHtoD,0x10,8\nkernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n", "kernel-1.traceg": trace, "kernel-2.traceg": trace, "kernel-2.registers": "",
		"triad": triad, "scale.yaml": scale, "code/scale.ptx": ptx, "data.raw": "0123",
	} {
		require.NoError(t, os.WriteFile(path(name), []byte(text), 0o600))
	}
	for spec, want := range map[string][]string{
		"sgemm?size=tiny":                 nil,
		"profile:sgemm?arch=k20c":         nil,
		"profile:" + path("triad"):        {path("triad")},
		"ptx:" + path("scale.yaml"):       {path("scale.yaml"), path("code/scale.ptx"), path("data.raw")},
		"traceg:" + folder:                {path("kernel-1.traceg"), path("kernel-2.registers"), path("kernel-2.traceg"), path("kernelslist.g")},
		"traceg:" + path("kernelslist.g"): {path("kernel-1.traceg"), path("kernel-2.registers"), path("kernel-2.traceg"), path("kernelslist.g")},
	} {
		app, err := Open(spec, Options{})
		require.NoError(t, err, spec)
		assert.Equal(t, want, app.Files, spec)
	}
}
