package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/tests/need"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// The manifests that your-own-kernels.md quotes, on a GPU.
func TestExampleKernelsComputeWhatTheirManifestsExpect(t *testing.T) {
	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	manifests, err := filepath.Glob("examples/kernels/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, manifests)
	guide := read(t, "your-own-kernels.md")
	for _, file := range manifests {
		require.Contains(t, guide, "```yaml docs/"+file+"\n", "no guide quotes it")
		app, err := experiment.Open("ptx:"+file, source.Options{})
		require.NoError(t, err)
		run := experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: gpu, Apps: []experiment.App{app}}
		result, err := run.Do(t.Context())
		require.NoError(t, err)
		require.NoError(t, result.Unexpected())
		expects := result.Kernels[0].Expects
		require.NotNil(t, expects, file)
		require.Empty(t, expects.Unreached, file)
		require.Positive(t, expects.Passed, file)
	}
}

func TestExampleKernelsAreWhatTheirSourcesCompileTo(t *testing.T) {
	compiler := need.Program(t, "clang-16", "clang++-16")
	if out, err := exec.Command(compiler, "--version").Output(); err != nil || !strings.Contains(string(out), "16.0.6") {
		need.Missing(t, "%s is not version 16.0.6, whose output is committed", compiler)
	}
	folder, err := filepath.Abs("examples/kernels")
	require.NoError(t, err)
	sources, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, source := range sources {
		fresh := filepath.Join(t.TempDir(), "fresh.ptx")
		command := exec.Command("../../../workload/kernels/compile.sh", "--one", filepath.Base(source), fresh)
		command.Dir = folder
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		want, err := os.ReadFile(fresh)
		require.NoError(t, err)
		require.Equal(t, string(want), read(t, strings.TrimSuffix(source, ".cu")+".ptx"), "%s is stale", source)
	}
}
