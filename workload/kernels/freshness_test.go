package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

func TestCommittedPTXIsWhatTheSourcesCompileTo(t *testing.T) {
	compiler := need.Program(t, "clang-16", "clang++-16")
	if out, err := exec.Command(compiler, "--version").Output(); err != nil || !strings.Contains(string(out), "16.0.6") {
		need.Missing(t, "%s is not version 16.0.6, whose output is committed", compiler)
	}
	fresh := t.TempDir()
	out, err := exec.Command("./compile.sh", fresh).CombinedOutput()
	require.NoError(t, err, string(out))
	sources, err := filepath.Glob("cuda/*.cu")
	require.NoError(t, err)
	committed, err := filepath.Glob("ptx/*.ptx")
	require.NoError(t, err)
	assert.Len(t, committed, len(sources), "a PTX file for each source, and no other; run compile.sh")
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".cu") + ".ptx"
		want, err := os.ReadFile(filepath.Join(fresh, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("ptx", name))
		require.NoError(t, err)
		assert.True(t, string(want) == string(got), "%s is stale; run compile.sh", name)
	}
}

func TestPTXHoldsNoPathsOfTheMachine(t *testing.T) {
	files, err := embedded.ReadDir("ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := file.Name()
		text, err := embedded.ReadFile("ptx/" + name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), ".file", name)
		assert.NotContains(t, string(text), "/home", name)
		assert.NotContains(t, string(text), "/tmp", name)
	}
}
