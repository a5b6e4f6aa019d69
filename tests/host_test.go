package tests

import (
	"context"
	"strings"
	"testing"
	"time"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// replayed runs applications, as a user writes them, until each has completed
// so often; 0: once.
func replayed(t *testing.T, gpu *wiring.Config, replays uint64, specs ...string) *experiment.Result {
	t.Helper()
	r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Until: experiment.Until(replays)}, GPU: gpu}
	for _, spec := range specs {
		a, err := experiment.Open(spec, source.Options{Seed: 1})
		require.NoError(t, err)
		r.Apps = append(r.Apps, a)
	}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	return result
}

func TestWholeApplicationTakesTheSumOfItsParts(t *testing.T) {
	for spec, copied := range map[string][2]uint64{
		"sgemm?size=tiny&arch=k20c": {12288 + 3072, 16384}, // 128x24 and 32x24 floats in, 128x32 out
		"tpacf?size=tiny":           {10800 + 84, 400},
		"histo?size=tiny":           {12288 + 8, 8 + 98304},
	} {
		k := replayed(t, preset(t, "k20c"), 0, spec).Kernels[0]
		h := k.Host
		require.Equal(t, copied, [2]uint64{h.BytesToDevice, h.BytesToHost}, spec)
		// Its host program waits for each command: nothing overlaps.
		require.Equal(t, k.TurnaroundCycles[0], h.CPUCycles+h.CopyCycles+h.KernelCycles, spec)
		require.Zero(t, h.QueueCycles)
		require.Equal(t, k.Cycles, k.TurnaroundCycles[0])
		// 32 bytes a cycle of 500 MHz, in cycles of 706 MHz; beside that each
		// copy has a few cycles of the links and the bus' next edge.
		bus := float64(copied[0]+copied[1]) / 32 * 706 / 500
		require.InDelta(t, bus, float64(h.CopyCycles), 8*float64(h.Copies), spec)
		if spec == "tpacf?size=tiny" {
			require.Equal(t, uint64(71), h.CPUCycles, "100 ns")
		}
	}
}

func TestIdealHostKeepsKernelsBackToBack(t *testing.T) {
	gpu := preset(t, "k20c")
	gpu.Host.Ideal = true
	k := replayed(t, gpu, 0, "histo?size=tiny").Kernels[0]
	require.Equal(t, experiment.HostShare{KernelCycles: k.TurnaroundCycles[0]}, k.Host)
	for i := 1; i < len(k.Launches); i++ {
		require.Equal(t, k.Launches[i-1].EndCycle+2, k.Launches[i].StartCycle, "a cycle to the host and one back")
	}
	for _, name := range []string{"plain16", "ccbp16", "fermi16"} {
		require.True(t, preset(t, name).Host.Ideal, name)
	}
}

func TestCopiesOfAnotherStreamHideBehindKernels(t *testing.T) {
	gpu := preset(t, "k20c")
	work := func(stream int) workload.Op {
		k := script.Kernel("work", 13, 256, func(int, int) []workload.Inst {
			list := make([]workload.Inst, 3000)
			for i := range list {
				list[i] = script.Op(workload.FP32, 1, 1)
			}
			return list
		})
		k.Stream = stream
		return workload.Op{Kernel: k, Async: true}
	}
	in := func(stream int) workload.Op { return workload.Op{Stream: stream, Bytes: 256 << 10, Async: true} }
	result := func(second int) experiment.KernelResult {
		app := &workload.App{Name: "streams", Ops: []workload.Op{in(1), work(1), in(second), work(second)}}
		return run(t, gpu, "npq", 0, app).Kernels[0] // one kernel at a time
	}
	one, two := result(1), result(2)
	// The second copy starts when the first has ended, and not when the first
	// kernel has.
	require.Equal(t, one.Host.Copies, two.Host.Copies)
	copyCycles := one.Host.CopyCycles / 2
	kernelCycles := one.Host.KernelCycles / 2
	require.Greater(t, kernelCycles, copyCycles, "the test needs a kernel that is longer than a copy")
	require.InDelta(t, float64(2*copyCycles+2*kernelCycles), float64(one.TurnaroundCycles[0]), 50)
	require.InDelta(t, float64(copyCycles+2*kernelCycles), float64(two.TurnaroundCycles[0]), 0.02*float64(kernelCycles))
}

func TestProcessThatArrivesLateIsMeasuredFromThenOn(t *testing.T) {
	gpu := preset(t, "plain16")
	r := &experiment.Run{Spec: experiment.Spec{Policy: "even", Cycles: 12_000}, GPU: gpu}
	late := experiment.App{Spec: "late", Workload: builtin(t, "lbm"), Attributes: tenant.Attributes{Arrival: tenant.Moment{Time: 5 * time.Microsecond}, Priority: 4}}
	r.Apps = []experiment.App{{Spec: "early", Workload: builtin(t, "sgemm")}, late}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	k := result.Kernels[1]
	require.Equal(t, []uint64{6_080, 12_000 - 6_080}, []uint64{k.ArrivalCycle, k.Cycles})
	require.Equal(t, 4, k.Priority)
	require.Equal(t, uint64(6_081), k.Launches[0].StartCycle)
	require.Equal(t, uint64(1), result.Kernels[0].Launches[0].StartCycle)
	// Alone it has as many cycles as it had in the mix.
	alone := run(t, gpu, "fcfs", 12_000-6_080, builtin(t, "lbm")).Kernels[0]
	require.Equal(t, alone.IPC, k.IsolatedIPC)

	r.Apps[1].Arrival = tenant.Moment{Cycles: 12_000}
	_, err = r.Do(context.Background())
	require.EqualError(t, err, `application "late": arrival is cycle 12000; valid: below 12000, the end of the run`)
}

func TestReplaysCompareTurnaroundTimes(t *testing.T) {
	r := replayed(t, preset(t, "k20c"), 3, "mri-q?size=tiny", "sgemm?size=tiny&arch=k20c&arrival=3us")
	require.Equal(t, []any{"replays", uint64(3)}, []any{r.Mode, r.Replays})
	last := uint64(0)
	for _, k := range r.Kernels {
		require.GreaterOrEqual(t, k.Completions, uint64(3), k.App)
		require.Len(t, k.TurnaroundCycles, int(k.Completions))
		sum := uint64(0)
		for _, n := range k.TurnaroundCycles {
			sum += n
		}
		require.InDelta(t, float64(sum)/float64(k.Completions), float64(k.MeanTurnaroundCycles), 1e-9)
		require.InDelta(t, float64(k.MeanTurnaroundCycles/706), float64(k.MeanTurnaroundUS), 1e-9)
		require.InDelta(t, float64(k.MeanTurnaroundCycles/k.IsolatedTurnaroundCycles), float64(k.NTT), 1e-12)
		require.InDelta(t, float64(1/k.NTT), float64(k.NormalizedIPC), 1e-12)
		if k.Completions == 3 {
			last = max(last, k.ArrivalCycle+sum)
		}
	}
	// The last third run ends at the last edge.
	require.Equal(t, last+1, r.Cycles)
	require.Equal(t, uint64(2118), r.Kernels[1].ArrivalCycle)
}

func TestCopiesOfAHighPriorityGoFirstUnderNPQ(t *testing.T) {
	last := func(scheduler string) uint64 {
		gpu := preset(t, "k20c")
		gpu.Host.PCIe.Scheduler = scheduler
		r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: gpu}
		for i, name := range []string{"a", "b", "c"} {
			r.Apps = append(r.Apps, experiment.App{Spec: name, Workload: copies(name, 1<<20), Attributes: tenant.Attributes{Priority: i}})
		}
		result, err := r.Do(context.Background())
		require.NoError(t, err)
		return result.Kernels[2].TurnaroundCycles[0]
	}
	// 2^20 bytes take 32,768 cycles of the bus, 46,268 of the core. The copies of
	// all three come at once: the last goes third, or first.
	require.InDelta(t, 3*46_268, float64(last("fcfs")), 1000)
	require.InDelta(t, 46_268, float64(last("npq")), 1000)
}

// tiny is a kernel of one warp with one instruction.
func tiny() workload.Op {
	return workload.Op{Kernel: script.Kernel("k", 1, 32, func(int, int) []workload.Inst { return []workload.Inst{script.Op(workload.FP32, 1)} })}
}

// copies is an application that copies, one after the other, and then has a tiny kernel.
func copies(name string, bytes ...uint64) *workload.App {
	app := &workload.App{Name: name}
	for _, n := range bytes {
		app.Ops = append(app.Ops, workload.Op{Bytes: n})
	}
	app.Ops = append(app.Ops, tiny())
	return app
}

// RRZE-HPC/gpu-benches at 1038c5d, README, cuda-memcpy on a V100 PCIe: KB, and GB/s by time from the
// call to its end. The rows of 1 to 8 KB have two digits at most and are left out.
func TestCopiesOfAV100TakeThePublishedTimes(t *testing.T) {
	gpu := preset(t, "v100?sms=1&gpcs=[]&host.ideal=false")
	for _, p := range []struct{ kb, gbPerS float64 }{
		{16, 0.44}, {32, 0.93}, {64, 1.77}, {128, 3.46}, {256, 5.27}, {512, 7.53}, {1024, 9.25}, {2048, 10.50}, {4096, 11.41},
		{8192, 11.86}, {16384, 12.11}, {32768, 12.23}, {65536, 12.29}, {131072, 12.32}, {262144, 12.34}, {524288, 12.35}, {1048576, 12.35},
	} {
		bytes := p.kb * 1024
		h := run(t, gpu, "fcfs", 0, copies("copy", uint64(bytes))).Kernels[0].Host
		ns := float64(h.CopyCycles+h.QueueCycles-uint64(gpu.Host.LaunchLatency)) / float64(gpu.Clocks.Core) * 1000
		within := 0.10
		if p.kb == 16 {
			within = 0.16 // the published time is longer than that of 64 KB
		}
		require.InEpsilon(t, p.gbPerS, bytes/ns, within, p)
	}
}

// A copy waits for the copies of its own instance, and shares the bus with copies of another one.
func TestInstancesHaveCopyEnginesOfTheirOwn(t *testing.T) {
	turnaround := func(gpu string) uint64 {
		config := preset(t, gpu+"&host.ideal=false")
		p, err := config.Divide(func() (policy.Policy, error) { return policy.Parse("fcfs") })
		require.NoError(t, err)
		small := copies("small", 26<<10)
		small.Ops[0].ToHost = strings.Contains(gpu, "2g")
		w := built(t, *config, p, false, copies("large", 64<<20, 64<<20), small)
		require.NoError(t, w.Run(t.Context(), 20_000_000, nil))
		return w.Host.Stats(0).Processes[1].Turnarounds[0]
	}
	// The small copy and the kernel wait 6 us and 2.14 for their launches. 26 KB are seven bursts of up to
	// 310 cycles of the bus, 222 of the core; with another copy under way there are two of each.
	const launches, burst = 8460 + 3019, 222
	require.InDelta(t, launches+13*burst, turnaround("a100?mig=[1g.5gb,1g.5gb]"), 2*burst)
	// The large copies take 2.6 ms each, one after the other.
	require.InDelta(t, launches+2.58e-3*1410e6, turnaround("a100?mig=[{profile: 1g.5gb, tenants: [0, 1]}]"), 1000)
	// A copy to the host has an engine and a direction of its own.
	require.InDelta(t, launches+7*burst, turnaround("a100?mig=[{profile: 2g.10gb, tenants: [0, 1]}]"), 2*burst)
}

// The stream of a long CPU phase, a long copy or a late arrival is no deadlock.
func TestGPUThatWaitsForItsHostIsNotStuck(t *testing.T) {
	app := &workload.App{Name: "slow", Ops: []workload.Op{{CPU: 20 * time.Millisecond}, tiny(), {Bytes: 200 << 20}, tiny()}}
	r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: preset(t, "k20c"),
		Apps: []experiment.App{{Spec: "slow", Workload: app, Attributes: tenant.Attributes{Arrival: tenant.Moment{Time: 10 * time.Millisecond}}}}}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	// 20 ms and 200 MiB at 16 GB/s, 13.1 ms.
	require.InDelta(t, 33_107, float64(result.Kernels[0].MeanTurnaroundUS), 5)
}
