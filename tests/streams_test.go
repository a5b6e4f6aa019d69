package tests

import (
	"context"
	"testing"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/export"
	"cotenant/workload/script"
	"cotenant/workload/source"
	"cotenant/workload/traceg"

	"github.com/stretchr/testify/require"
)

// streaming is a kernel of a CUDA stream: each thread block, of one warp, loads
// lines of its own, some at a time, and works on what it has got.
func streaming(name string, stream, tbs, loads, work int) *workload.Kernel {
	k := script.Kernel(name, tbs, 32, func(tb, _ int) (list []workload.Inst) {
		for n := range loads {
			list = append(list, script.Access(workload.Load, workload.Global, uint64(stream<<30+(tb*loads+n)*128), 4, 4, 1))
			for range work {
				list = append(list, script.Op(workload.FP32, 2, 1, 2))
			}
		}
		return append(list, script.Access(workload.Store, workload.Global, uint64(stream<<30+1<<29+tb*128), 4, 4, workload.NoReg, 2),
			script.Op(workload.Exit, workload.NoReg))
	})
	k.Stream = stream
	return k
}

// twoStreams is an application with a kernel on each of two streams, and one
// after both on the default stream.
func twoStreams() *workload.App {
	app := script.App("app", streaming("first", 1, 24, 20, 10), streaming("second", 2, 12, 40, 3), streaming("last", 0, 4, 5, 5))
	for i := range app.Ops {
		app.Ops[i].Async = true
	}
	return app
}

// written is an application as it comes back from a trace.
func written(t *testing.T, app *workload.App) *workload.App {
	t.Helper()
	folder := t.TempDir() + "/trace"
	_, err := export.Trace(context.Background(), app, folder, export.Options{})
	require.NoError(t, err)
	read, err := traceg.Open(folder, traceg.Options{})
	require.NoError(t, err)
	return read
}

// requireSums asserts that the launches of a tenant add up to the tenant's counts, except
// write-backs after a launch has ended.
func requireSums(t *testing.T, k *experiment.KernelResult) {
	t.Helper()
	var sum experiment.LaunchResult
	stalls := map[string]uint64{}
	for _, l := range k.Launches {
		sum.WarpInstructions += l.WarpInstructions
		sum.ThreadInstructions += l.ThreadInstructions
		sum.L1.Accesses += l.L1.Accesses
		sum.L1.Hits += l.L1.Hits
		sum.L1.Writes += l.L1.Writes
		sum.L2.Accesses += l.L2.Accesses
		sum.L2.Misses += l.L2.Misses
		sum.DRAM.Reads += l.DRAM.Reads
		for cause, n := range l.Stalls {
			stalls[cause] += n
		}
	}
	require.Equal(t, k.WarpInstructions, sum.WarpInstructions)
	require.Equal(t, k.ThreadInstructions, sum.ThreadInstructions)
	require.Equal(t, []uint64{k.L1.Accesses, k.L1.Hits, k.L1.Writes}, []uint64{sum.L1.Accesses, sum.L1.Hits, sum.L1.Writes})
	require.Equal(t, []uint64{k.L2.Accesses, k.L2.Misses, k.DRAM.Reads}, []uint64{sum.L2.Accesses, sum.L2.Misses, sum.DRAM.Reads})
	require.Equal(t, k.Stalls, stalls)
}

func TestKernelsOfTwoStreamsOverlap(t *testing.T) {
	gpu := preset(t, "plain16?sms=2")
	for name, app := range map[string]*workload.App{"script": twoStreams(), "trace": written(t, twoStreams())} {
		together := run(t, gpu, "fcfs", 0, app).Kernels[0]
		require.Len(t, together.Launches, 3, name)
		first, second, last := together.Launches[0], together.Launches[1], together.Launches[2]
		require.Equal(t, []int{1, 2, 0}, []int{first.Stream, second.Stream, last.Stream})
		require.Less(t, second.StartCycle, first.EndCycle, name)
		require.Less(t, first.StartCycle, second.EndCycle, name)
		require.Greater(t, last.StartCycle, max(first.EndCycle, second.EndCycle), "%s: the default stream waits for both", name)
		requireSums(t, &together)

		apart := run(t, gpu, "smk", 0, app).Kernels[0]
		require.Greater(t, apart.Launches[1].StartCycle, apart.Launches[0].EndCycle, "%s: one kernel of a tenant at a time", name)
		requireSums(t, &apart)
		require.Less(t, together.Cycles, apart.Cycles, name)

		queue := run(t, preset(t, "plain16?sms=2&host.hardware_queues=1"), "fcfs", 0, app).Kernels[0]
		require.Equal(t, apart.Cycles, queue.Cycles, "%s: streams that share a hardware queue wait for each other", name)

		// Each does the same work, however long it takes.
		for i := range together.Launches {
			require.Equal(t, apart.Launches[i].WarpInstructions, together.Launches[i].WarpInstructions)
			require.Equal(t, apart.Launches[i].L1.Accesses, together.Launches[i].L1.Accesses)
			require.Equal(t, apart.Launches[i].DRAM.Reads, together.Launches[i].DRAM.Reads)
		}
	}
}

func TestLaunchCutOffByTheWindowSaysWhatItHasDone(t *testing.T) {
	k := run(t, preset(t, "plain16?sms=2"), "fcfs", 2000, twoStreams()).Kernels[0]
	require.Len(t, k.Launches, 2)
	for _, l := range k.Launches {
		require.Zero(t, l.EndCycle)
		require.Positive(t, l.WarpInstructions)
		require.InDelta(t, float64(l.ThreadInstructions)/float64(2000-l.StartCycle), l.IPC, 1e-9)
	}
	requireSums(t, &k)
}

func TestOrderOfTicksChangesNothingForStreams(t *testing.T) {
	for _, gpu := range []string{crowded, "k20c?sms=2"} {
		once := func(seed uint64) string {
			r := &experiment.Run{Spec: experiment.Spec{Policy: "spart:epoch=1k", Cycles: 8000, Isolated: make([]experiment.Isolated, 2)}, GPU: preset(t, gpu)}
			for i := range r.Isolated {
				r.Isolated[i].IPC = 1
				r.Apps = append(r.Apps, experiment.App{Spec: "app", Workload: twoStreams()})
			}
			r.Apps[1].Arrival.Cycles = 1000
			r.Started = func(p *wiring.Platform) error {
				if seed > 0 {
					p.Engine().Shuffle(seed)
				}
				return nil
			}
			result, err := r.Do(context.Background())
			require.NoError(t, err)
			require.Positive(t, result.Kernels[0].Preemptions)
			return encoded(t, result)
		}
		want := once(0)
		for seed := range uint64(3) {
			require.Equal(t, want, once(seed+1))
		}
	}
}

// The manifest is an example of the guide to kernels.
func TestLaunchesOfAManifestsStreamsOverlapAndComputeTheSame(t *testing.T) {
	for _, c := range []struct {
		gpu, policy string
		overlap     bool
	}{
		{"plain16?sms=2", "fcfs", true}, {"plain16?sms=2", "spart", true}, {"plain16?sms=2&host.hardware_queues=1", "fcfs", false},
		{"plain16?sms=2", "dss", false}, {"k20c?sms=2", "even", true},
	} {
		app, err := source.Open("ptx:../docs/examples/kernels/halves.yaml?size=tiny", source.Options{})
		require.NoError(t, err)
		result := run(t, preset(t, c.gpu), c.policy, 0, app)
		require.NoError(t, result.Unexpected(), c)
		k := result.Kernels[0]
		require.Equal(t, uint64(1), k.Expects.Passed, c)
		require.Len(t, k.Launches, 3)
		require.ElementsMatch(t, []int{1, 2}, []int{k.Launches[0].Stream, k.Launches[1].Stream}) // one may wait for its copy
		require.Equal(t, c.overlap, k.Launches[1].StartCycle < k.Launches[0].EndCycle, "%+v", c)
		require.Greater(t, k.Launches[2].StartCycle, max(k.Launches[0].EndCycle, k.Launches[1].EndCycle))
		requireSums(t, &k)
	}
}

// What an application achieves alone does not depend on the policy of the mix,
// nor on whether it has company.
func TestIsolatedFiguresOfStreamsAreThoseWithoutOtherLimits(t *testing.T) {
	gpu := preset(t, "plain16?sms=2")
	alone := run(t, gpu, "fcfs", 0, twoStreams()).Kernels[0].IPC
	for _, policyName := range []string{"fcfs", "smk", "npq"} {
		one := run(t, gpu, policyName, 0, twoStreams()).Kernels[0]
		require.InDelta(t, alone, one.IsolatedIPC, 1e-9, policyName)
		two := run(t, gpu, policyName, 0, twoStreams(), script.App("other", streaming("other", 0, 8, 8, 1))).Kernels[0]
		require.InDelta(t, alone, two.IsolatedIPC, 1e-9, policyName)
	}
}

func TestWriteBacksAreNoLaunchsButTheTenants(t *testing.T) {
	writer := script.Kernel("writer", 64, 32, func(tb, _ int) (list []workload.Inst) {
		for n := range 64 {
			list = append(list, script.Access(workload.Store, workload.Global, uint64(tb*64+n)*128, 4, 4, workload.NoReg))
		}
		return list
	})
	reader := streaming("reader", 1, 64, 64, 0)
	k := run(t, preset(t, "plain16?sms=2&address.slices=2&address.channels=2"), "fcfs", 0, script.App("app", writer, reader)).Kernels[0]
	require.Positive(t, k.DRAM.Writes, "the reader displaces what the writer has left")
	for _, l := range k.Launches {
		require.Zero(t, l.DRAM.Writes, l.Kernel)
	}
	requireSums(t, &k)
}
