package streamcache_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listening is a store, and what it tells.
func listening(t *testing.T, folder string) (*streamcache.Store, *[]string) {
	t.Helper()
	s, told := store(t, folder), new([]string)
	s.Tell = func(problem string) { *told = append(*told, problem) }
	return s, told
}

func TestRecordingOfAnotherApplicationIsNotReplayed(t *testing.T) {
	folder := t.TempDir()
	want := result(t, store(t, folder), "fcfs", 0, "spmv?size=tiny")
	whole := files(t, folder)
	result(t, store(t, folder), "fcfs", 0, "sgemm?size=tiny")
	names := slices.Sorted(maps.Keys(files(t, folder)))
	require.Len(t, names, 2)
	swapped := files(t, folder)
	for i, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), swapped[names[1-i]], 0o666))
	}
	s, told := listening(t, folder)
	require.Equal(t, want, result(t, s, "fcfs", 0, "spmv?size=tiny"))
	for name, data := range whole {
		require.Equal(t, []string{filepath.Join(folder, name) + " is not used: it is the recording of another application; it is removed, and the application emulated"}, *told)
		require.True(t, bytes.Equal(data, files(t, folder)[name]), "it is recorded anew")
	}
	require.True(t, replayed(t, folder, "spmv?size=tiny"))
	require.False(t, replayed(t, folder, "sgemm?size=tiny"))
}

// A run with a window records nothing, so the file is gone afterwards.
func TestDamagedFileIsToldOfOnce(t *testing.T) {
	folder := t.TempDir()
	const spec = "spmv?size=tiny"
	result(t, store(t, folder), "fcfs", 0, spec)
	for name, data := range files(t, folder) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data[:len(data)-1], 0o666))
	}
	want := result(t, nil, "fcfs", 2_000, spec)
	for _, n := range []int{1, 0} {
		s, told := listening(t, folder)
		s.ReplayOnly = true
		require.Equal(t, want, result(t, s, "fcfs", 2_000, spec))
		require.Len(t, *told, n)
		require.Empty(t, files(t, folder))
	}
}

// A recording is read when its application is opened.
func TestFileThatChangesDuringARunDoesNotMatter(t *testing.T) {
	const spec = "spmv?size=tiny"
	folder := t.TempDir()
	want := result(t, store(t, folder), "fcfs", 0, spec)
	whole := files(t, folder)
	require.Len(t, whole, 1)
	s, told := listening(t, folder)
	app, err := experiment.Open(spec, source.Options{Cache: s})
	require.NoError(t, err)
	for name := range whole {
		require.NoError(t, os.Truncate(filepath.Join(folder, name), 100))
	}
	r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: preset(t, "gtx980"), Apps: []experiment.App{app}}
	out, err := r.Do(context.Background())
	require.NoError(t, err)
	require.Equal(t, want, text(t, out))
	require.Empty(t, *told)
}

func TestRunGoesOnWhenNothingCanBeWritten(t *testing.T) {
	mix := []string{"spmv?size=tiny", "sgemm?size=tiny", "bfs?size=tiny"} // the last leaves a verdict only
	want := result(t, nil, "even", 0, mix...)
	for what, spoil := range map[string]func(t *testing.T, folder string){
		"no folder": func(t *testing.T, folder string) { require.NoError(t, os.Remove(folder)) },
		"a file in its place": func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(folder))
			require.NoError(t, os.WriteFile(folder, nil, 0o600))
		},
		// A file can be made there, and not get its name.
		"folders in the files' places": func(t *testing.T, folder string) {
			result(t, store(t, folder), "fcfs", 0, mix...)
			for name := range files(t, folder) {
				require.NoError(t, os.Remove(filepath.Join(folder, name)))
				require.NoError(t, os.MkdirAll(filepath.Join(folder, name, "x"), 0o700))
			}
		},
	} {
		folder := filepath.Join(t.TempDir(), "cache")
		s, told := listening(t, folder)
		spoil(t, folder)
		require.Equal(t, want, result(t, s, "even", 0, mix...), what)
		lost := slices.DeleteFunc(slices.Clone(*told), func(problem string) bool { return !strings.HasPrefix(problem, folder+" cannot be written to (") })
		require.Len(t, lost, 1, what)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(*told))), len(*told), "%s: nothing is told twice: %q", what, *told)
		assert.Contains(t, lost[0], "; the run goes on without recording", what)
	}
}
