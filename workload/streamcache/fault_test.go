package streamcache_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
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
	s.Tell(func(problem string) { *told = append(*told, problem) })
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
		s.ReplayOnly()
		require.Equal(t, want, result(t, s, "fcfs", 2_000, spec))
		require.Len(t, *told, n)
		require.Empty(t, files(t, folder))
	}
}

// What changes between opening and replaying was not seen when the file was
// opened.
func TestFileThatChangesDuringARunEndsIt(t *testing.T) {
	const spec = "spmv?size=tiny"
	for what, change := range map[string]func(data []byte) []byte{
		"one bit": func(data []byte) []byte { data[len(data)/4] ^= 16; return data },
		"shorter": func(data []byte) []byte { return data[:len(data)/4] },
		"empty":   func([]byte) []byte { return nil },
	} {
		folder := t.TempDir()
		want := result(t, store(t, folder), "fcfs", 0, spec)
		whole := files(t, folder)
		require.Len(t, whole, 1)
		app, err := experiment.Open(spec, source.Options{Cache: store(t, folder)})
		require.NoError(t, err)
		for name, data := range whole {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), change(bytes.Clone(data)), 0o666))
			r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: preset(t, "gtx980"), Apps: []experiment.App{app}}
			_, err := r.Do(context.Background())
			require.ErrorContains(t, err, filepath.Join(folder, name)+": kernel spmvjds cannot be replayed further: it is damaged, since the run began; the same command again replaces the file", what)
			s, told := listening(t, folder)
			require.Equal(t, want, result(t, s, "fcfs", 0, spec), what)
			require.Len(t, *told, 1, what)
			require.True(t, bytes.Equal(data, files(t, folder)[name]), what)
		}
	}
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

// What is kept of a launch while it is recorded follows the thread blocks that
// have run.
func TestRecordingTakesNoMemoryForThreadBlocksThatDoNotRun(t *testing.T) {
	manifest := strings.TrimPrefix(timed(t, "%tid.x"), "ptx:")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.ReplaceAll(text, []byte("grid: [16]"), []byte("grid: [2147483647]")), 0o600))
	app, err := source.Open("ptx:"+manifest, source.Options{Cache: store(t, t.TempDir())})
	require.NoError(t, err)
	host, err := app.Start()
	require.NoError(t, err)
	op, ok, err := host.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 1<<31-1, op.Kernel.TBs())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	launch, err := op.Kernel.Source.Open()
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	require.NoError(t, launch.Close())
}
