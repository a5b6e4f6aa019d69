package streamcache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"

	"github.com/stretchr/testify/require"
)

func store(t *testing.T, folder string) *streamcache.Store {
	t.Helper()
	s, err := streamcache.Open(folder, streamcache.DefaultLimit)
	require.NoError(t, err)
	return s
}

// result runs a mix on a GTX 980 for a number of cycles, 0 for to its end, and
// returns the result as JSON, without the times that it took.
func result(t *testing.T, cache *streamcache.Store, policy string, cycles uint64, specs ...string) string {
	t.Helper()
	return text(t, simulate(t, cache, preset(t, "gtx980"), policy, cycles, specs...))
}

func preset(t *testing.T, name string) *wiring.Config {
	t.Helper()
	gpu, err := presets.Load(name)
	require.NoError(t, err)
	return gpu
}

func simulate(t *testing.T, cache *streamcache.Store, gpu *wiring.Config, policy string, cycles uint64, specs ...string) *experiment.Result {
	t.Helper()
	r := &experiment.Run{Spec: experiment.Spec{Policy: policy, Cycles: cycles}, GPU: gpu}
	for _, spec := range specs {
		app, err := experiment.Open(spec, source.Options{Cache: cache})
		require.NoError(t, err)
		r.Apps = append(r.Apps, app)
	}
	out, err := r.Do(context.Background())
	require.NoError(t, err)
	return out
}

func text(t *testing.T, out *experiment.Result) string {
	t.Helper()
	out.WallSeconds, out.IsolatedWallSeconds = 0, 0
	bytes, err := json.Marshal(out)
	require.NoError(t, err)
	return string(bytes)
}

// files lists what is in a folder, by name.
func files(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, e := range entries {
		all[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
	}
	return all
}

// replayed reports whether an application would be opened from a recording.
func replayed(t *testing.T, folder, spec string) bool {
	t.Helper()
	s := store(t, folder)
	s.ReplayOnly = true
	app, err := source.Open(spec, source.Options{Cache: s})
	require.NoError(t, err)
	host, err := app.Start()
	require.NoError(t, err)
	_, emulated := host.(streamcache.Watcher)
	return !emulated
}

var independent = []string{"sgemm", "stencil", "spmv", "lbm", "cutcp", "mri-q", "tpacf", "sad"}

// tiny is an application with the smallest inputs. tpacf has fewer points still, whose pairs it
// counts.
func tiny(name string) string {
	if name == "tpacf" {
		return name + "?size=tiny&set=points:128"
	}
	return name + "?size=tiny"
}

func TestResultsAreTheSameWithAndWithoutTheCache(t *testing.T) {
	for _, name := range independent {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			spec := tiny(name)
			want := result(t, nil, "fcfs", 0, spec)
			require.False(t, replayed(t, folder, spec))
			require.Equal(t, want, result(t, store(t, folder), "fcfs", 0, spec), "while it is recorded")
			require.True(t, replayed(t, folder, spec), spec)
			require.Equal(t, want, result(t, store(t, folder), "fcfs", 0, spec), "replayed")
		})
	}
}

// In a mix, and under other policies, warps execute in other orders.
func TestMixesReplayWhatAnotherOrderOfExecutionRecorded(t *testing.T) {
	folder := t.TempDir()
	mix := []string{"sgemm?size=tiny", "stencil?size=tiny", "spmv?size=tiny"}
	for _, policy := range []string{"fcfs", "even", "spart"} {
		require.Equal(t, result(t, nil, policy, 0, mix...), result(t, store(t, folder), policy, 0, mix...), policy)
		for _, spec := range mix {
			require.True(t, replayed(t, folder, spec), spec)
		}
	}
}

// On the K20c the host's operations take time: CPU phases, copies in both
// directions, launches.
func TestOperationsOfTheHostAreReplayed(t *testing.T) {
	for _, name := range []string{"sgemm", "spmv", "cutcp", "tpacf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			spec := tiny(name)
			gpu := preset(t, "k20c")
			plain := simulate(t, nil, gpu, "fcfs", 0, spec)
			did := plain.Kernels[0].Host
			require.NotZero(t, did.BytesToDevice)
			require.NotZero(t, did.BytesToHost)
			require.Equal(t, name == "cutcp" || name == "tpacf", did.CPUCycles > 0)
			require.Equal(t, text(t, plain), text(t, simulate(t, store(t, folder), gpu, "fcfs", 0, spec)), "while it is recorded")
			require.True(t, replayed(t, folder, spec))
			require.Equal(t, text(t, plain), text(t, simulate(t, store(t, folder), gpu, "fcfs", 0, spec)), "replayed")
			require.Equal(t, operations(t, nil, spec), operations(t, store(t, folder), spec))
			require.Equal(t, arrays(t, nil, spec), arrays(t, store(t, folder), spec))
			require.Equal(t, arrays(t, nil, spec), arrays(t, store(t, t.TempDir()), spec), "to be recorded")
		})
	}
}

// arrays lists what the kernels may access.
func arrays(t *testing.T, cache *streamcache.Store, spec string) []workload.Array {
	t.Helper()
	app, err := source.Open(spec, source.Options{Cache: cache})
	require.NoError(t, err)
	require.NotEmpty(t, app.Arrays)
	return app.Arrays
}

// operations lists what a host program does, without the launches' sources.
func operations(t *testing.T, cache *streamcache.Store, spec string) (all []workload.Op) {
	t.Helper()
	app, err := source.Open(spec, source.Options{Cache: cache})
	require.NoError(t, err)
	require.Len(t, app.Ops, 1)
	require.NotNil(t, app.Ops[0].Kernel)
	host, err := app.Start()
	require.NoError(t, err)
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			return all
		}
		if op.Kernel != nil {
			if cache == nil { // what comes next may depend on it
				require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{}))
			}
			shape := *op.Kernel
			shape.Source = nil
			op.Kernel = &shape
		}
		all = append(all, op)
	}
}

// Thread blocks are taken off the SM in the middle of their streams, and go on
// later.
func TestPreemptedStreamsAreRecordedAndReplayed(t *testing.T) {
	folder := t.TempDir()
	mix := []string{"lbm?size=tiny", "spmv?size=tiny&arrival=2us"}
	gpu := preset(t, "gtx980")
	gpu.SMs = wiring.EqualSMs(1) // or a thread block has one to itself
	plain := simulate(t, nil, gpu, "smk-p", 0, mix...)
	require.NotZero(t, plain.Kernels[0].Preemptions)
	for _, when := range []string{"while they are recorded", "replayed"} {
		require.Equal(t, text(t, plain), text(t, simulate(t, store(t, folder), gpu, "smk-p", 0, mix...)), when)
	}
	require.True(t, replayed(t, folder, "lbm?size=tiny"))
	require.True(t, replayed(t, folder, "spmv?size=tiny"))
	want := result(t, nil, "fcfs", 0, mix[0])
	require.Equal(t, want, result(t, store(t, folder), "fcfs", 0, mix[0]), "alone, by the recording of the mix")
}

func TestOrderDependentApplicationIsRememberedAndNotRecorded(t *testing.T) {
	folder := t.TempDir()
	want := result(t, nil, "fcfs", 0, "bfs?size=tiny")
	for range 2 {
		require.Equal(t, want, result(t, store(t, folder), "fcfs", 0, "bfs?size=tiny"))
		require.False(t, replayed(t, folder, "bfs?size=tiny"))
		all := files(t, folder)
		require.Len(t, all, 1)
		for _, data := range all {
			require.Less(t, len(data), 2000, "a verdict, and no streams")
		}
	}
}

func TestRunThatRestartsReplaysItsOwnRecording(t *testing.T) {
	folder := t.TempDir()
	want := result(t, nil, "fcfs", 60_000, "sgemm?size=tiny")
	require.Equal(t, want, result(t, store(t, folder), "fcfs", 60_000, "sgemm?size=tiny"))
	require.True(t, replayed(t, folder, "sgemm?size=tiny"))
}

func TestCallersOfOneRecordingDoNotShareItsApplication(t *testing.T) {
	folder := t.TempDir()
	result(t, store(t, folder), "fcfs", 0, "spmv?size=tiny")
	s := store(t, folder)
	var apps []*workload.App
	for range 2 {
		app, err := source.Open("spmv?size=tiny", source.Options{Cache: s})
		require.NoError(t, err)
		apps = append(apps, app)
	}
	apps[0].Files = []string{"changed"}
	require.Empty(t, apps[1].Files)
}

func TestReplayOnlyRecordsNothing(t *testing.T) {
	folder := t.TempDir()
	s := store(t, folder)
	s.ReplayOnly = true
	require.Equal(t, result(t, nil, "fcfs", 2_000, "lbm?size=tiny"), result(t, s, "fcfs", 2_000, "lbm?size=tiny"))
	require.Empty(t, files(t, folder))
}

func TestInterruptedRecordingLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	s := store(t, folder)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Context = ctx
	require.Equal(t, result(t, nil, "fcfs", 0, "spmv?size=tiny"), result(t, s, "fcfs", 0, "spmv?size=tiny"))
	require.Empty(t, files(t, folder))
}

func TestDamagedFilesAreMadeAgain(t *testing.T) {
	folder := t.TempDir()
	const spec = "spmv?size=tiny"
	want := result(t, store(t, folder), "fcfs", 0, spec)
	whole := files(t, folder)
	require.Len(t, whole, 1)
	for name, data := range whole {
		for what, damaged := range map[string][]byte{
			"cut short":        data[:len(data)/2],
			"cut in the index": data[:len(data)-40],
			"empty":            {},
			"one bit":          append(append(bytes.Clone(data[:len(data)/2]), data[len(data)/2]^4), data[len(data)/2+1:]...),
			"of another kind":  []byte("hello"),
			"longer":           append(bytes.Clone(data), 0),
		} {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), damaged, 0o666))
			require.False(t, replayed(t, folder, spec), what)
			require.Equal(t, want, result(t, store(t, folder), "fcfs", 0, spec), what)
			again := files(t, folder)
			require.Len(t, again, 1, what)
			require.True(t, bytes.Equal(data, again[name]), what)
		}
	}
}

func TestConcurrentStoresShareAFolder(t *testing.T) {
	folder := t.TempDir()
	const spec = "stencil?size=tiny"
	want := result(t, nil, "fcfs", 0, spec)
	got := make(chan string, 4)
	for range cap(got) {
		s := store(t, folder)
		go func() { got <- result(t, s, "fcfs", 0, spec) }()
	}
	for range cap(got) {
		require.Equal(t, want, <-got)
	}
	require.Len(t, files(t, folder), 1)
	require.True(t, replayed(t, folder, spec))
}

func TestLeastRecentlyUsedRecordingsMakeRoom(t *testing.T) {
	folder := t.TempDir()
	specs := []string{"stencil?size=tiny", "spmv?size=tiny", "sgemm?size=tiny"}
	total := int64(0)
	for i, spec := range specs {
		alone := t.TempDir()
		result(t, store(t, alone), "fcfs", 0, spec)
		for name, data := range files(t, alone) {
			total += int64(len(data))
			if i < 2 { // the first has been used more recently
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o666))
				old := time.Now().Add(-time.Hour * time.Duration(i+1))
				require.NoError(t, os.Chtimes(filepath.Join(folder, name), old, old))
			}
		}
	}
	limit := total - 1
	s, err := streamcache.Open(folder, limit)
	require.NoError(t, err)
	result(t, s, "fcfs", 0, specs[2])
	require.True(t, replayed(t, folder, specs[2]))
	require.True(t, replayed(t, folder, specs[0]))
	require.False(t, replayed(t, folder, specs[1]), "it was used before the others")
}

func TestSizeArchitectureAndLoweringAreOfARecording(t *testing.T) {
	folder := t.TempDir()
	result(t, store(t, folder), "fcfs", 0, "sgemm?size=tiny")
	require.False(t, replayed(t, folder, "sgemm?size=small"))
	require.False(t, replayed(t, folder, "sgemm?size=tiny&arch=k20c"))
	require.False(t, replayed(t, folder, "sgemm?size=tiny&lower=-moves"))
	require.True(t, replayed(t, folder, "sgemm?size=tiny&lower=+all"))
}
