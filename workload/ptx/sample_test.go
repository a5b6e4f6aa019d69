package ptx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// readSample parses a compiled program of testdata.
func readSample(t testing.TB, name string) *Module {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	m, err := Parse(name, text)
	require.NoError(t, err)
	return m
}

func TestEverySampleOfACompilerParses(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		m := readSample(t, filepath.Base(f))
		require.NotEmpty(t, m.Funcs, f)
	}
}

func TestSamplesAreWhatTheirSourcesCompileTo(t *testing.T) {
	compiler := need.Program(t, "clang-16", "clang++-16")
	sources, err := filepath.Glob("testdata/*.cu")
	require.NoError(t, err)
	for _, source := range sources {
		got, err := exec.Command(compiler, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_52",
			"-nocudainc", "-nocudalib", "-O3", "-S", "-o", "-", source).Output()
		require.NoError(t, err, source)
		want, err := os.ReadFile(strings.TrimSuffix(source, ".cu") + ".ptx")
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), source)
	}
}
