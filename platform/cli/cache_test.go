package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCacheIsInvisible(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	run := func(cache string) string {
		got := cotenant(t, "run", "--app", "stencil?size=tiny", "--app", "bfs?size=tiny", "--policy", "even", "--until", "done", "--json", "-", "--cache", cache)
		require.Equal(t, 0, got.status, got.stderr)
		assert.Empty(t, got.stderr)
		return withoutWallTimes(got.stdout)
	}
	want := run("off")
	assert.NoDirExists(t, folder)
	assert.Equal(t, want, run(folder))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "a recording and a verdict")
	assert.Equal(t, want, run(folder))
}

func TestProblemsOfTheCacheAreLinesOnStandardError(t *testing.T) {
	folder := t.TempDir()
	run := func(cache string) outcome {
		got := cotenant(t, "run", "--app", "spmv?size=tiny", "--until", "done", "--json", "-", "--cache", cache)
		require.Equal(t, 0, got.status, got.stderr)
		got.stdout = withoutWallTimes(got.stdout)
		return got
	}
	want := run(folder).stdout
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	path := filepath.Join(folder, entries[0].Name())
	require.NoError(t, os.Truncate(path, 1000))
	for _, told := range []string{"cache: " + path + " is not used: it is damaged; it is removed, and the application emulated\n", ""} {
		got := run(folder)
		assert.Equal(t, told, got.stderr)
		assert.Equal(t, want, got.stdout)
	}

	t.Setenv("XDG_CACHE_HOME", path)
	got := cotenant(t, "run", "--app", "spmv?size=tiny", "--until", "done", "--json", "-")
	assert.Equal(t, 0, got.status)
	assert.Equal(t, "cache: "+filepath.Join(path, "cotenant")+" cannot be made a folder (not a directory); the run goes on without recordings\n", got.stderr)
	assert.Equal(t, want, withoutWallTimes(got.stdout))
}

func TestFaultyCachesAreUsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct{ cache, message string }{
		{file, "--cache: " + file + " cannot be made a folder: not a directory; valid: the path of a folder, or off"},
		{"", "--cache is empty; leave it out or give it a value"},
	} {
		got := cotenant(t, "run", "--app", "sgemm", "--cache", c.cache)
		assert.Equal(t, 2, got.status)
		assert.Contains(t, got.stderr, c.message)
	}
}

// The applications alone run for both seeds at the same time: two processes
// record, or replay, one application.
func TestRunsOfASweepShareTheCache(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	matrix, cache := filepath.Join(folder, "m.yaml"), filepath.Join(folder, "cache")
	require.NoError(t, os.WriteFile(matrix, []byte(`policies: [even, smk-p]
mixes:
  - apps: ["sgemm?size=tiny", "spmv?size=tiny"]
  - apps: ["sgemm?size=tiny", "stencil?size=tiny&arrival=1us"]
cycles: [done]
`), 0o600))
	sweepWith := func(store, cache string) string {
		got := cotenant(t, "sweep", matrix, "--store", filepath.Join(folder, store), "--csv", "-", "--quiet", "--parallel", "2", "--cache", cache)
		require.Equal(t, 0, got.status, got.stderr)
		return got.stdout
	}
	want := sweepWith("off.sqlite", "off")
	assert.Len(t, strings.Split(strings.TrimSpace(want), "\n"), 1+2*2*2)
	assert.NoDirExists(t, cache)
	assert.Equal(t, want, sweepWith("recorded.sqlite", cache))
	recordings := func() map[string]time.Time {
		entries, err := os.ReadDir(cache)
		require.NoError(t, err)
		used := map[string]time.Time{}
		for _, e := range entries {
			info, err := e.Info()
			require.NoError(t, err)
			used[e.Name()] = info.ModTime()
		}
		return used
	}
	before := recordings()
	assert.Len(t, before, 3, "one for each application, and nothing left over")
	assert.Equal(t, want, sweepWith("replayed.sqlite", cache))
	after := recordings()
	assert.Len(t, after, 3)
	for name := range before {
		assert.True(t, after[name].After(before[name]), "it was used again")
	}
	got := cotenant(t, "sweep", matrix, "--cache", matrix)
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--cache: "+matrix+" cannot be made a folder")
}
