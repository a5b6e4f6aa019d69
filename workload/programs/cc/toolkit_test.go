package cc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// nvcc hands C's compiler a standard of C++, of which that warns. The headers of the CUDA samples that come with
// cc are for programs without their own.
func TestCommandLinesOfNvccSuitEachFile(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	run := func(args ...string) string {
		var out, messages bytes.Buffer
		require.NoError(t, Run(t.Context(), args, &out, &messages), messages.String())
		return out.String()
	}
	run("-c", "-std=c++17", file("old.c", "int new = __NVCC__;\n"), "-o", filepath.Join(folder, "old.o"))
	source := file("a.cpp", "#include <helper_string.h>\n")
	require.Contains(t, run("-E", source), "getCmdLineArgumentInt")
	file("helper_string.h", "int own;\n")
	text := run("-E", "-I", folder, source)
	require.Contains(t, text, "int own;")
	require.NotContains(t, text, "getCmdLineArgumentInt")
}

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
