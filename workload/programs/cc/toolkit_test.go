package cc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// A program in C is compiled without cc: the toolkit's folder gives it headers and libraries.
func TestMakefilesFindTheToolkitsParts(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16", "ar")
	folder := filepath.Join(t.TempDir(), "cuda")
	require.NoError(t, Toolkit(folder))
	require.Error(t, Toolkit(folder), "it is there already")

	source := filepath.Join(t.TempDir(), "old.c")
	require.NoError(t, os.WriteFile(source, []byte("#include <cuda.h>\n#include <cuda_runtime.h>\n"+
		"int main(void) { size_t free, total; cuInit(0); return cudaMemGetInfo(&free, &total); }\n"), 0o666))
	program := source + ".out"
	for _, lib := range []string{"lib64", "lib"} {
		out, err := exec.Command("clang-16", "-I", filepath.Join(folder, "include"), source, "-o", program,
			"-L", filepath.Join(folder, lib), "-lcuda", "-lcudart").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	out, err := exec.Command(program).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "this CUDA program needs the simulator")

	self, err := os.Executable()
	require.NoError(t, err)
	script, err := os.ReadFile(filepath.Join(folder, "bin", "nvcc"))
	require.NoError(t, err)
	require.Equal(t, "#!/bin/sh\nexec '"+self+"' cc \"$@\"\n", string(script))
}
