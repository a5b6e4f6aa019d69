//go:build unix

package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// whole is a whole simulation to measure.
type whole struct {
	gpu     string
	policy  string
	cycles  uint64 // the window; 0 for each application once
	pages   wiring.PageMode
	apps    []func() *workload.App
	tenants []tenant.Attributes // of the applications; none for the defaults
}

// measure simulates again and again, and reports warp instructions and core cycles
// simulated per second, and the processor time, of all goroutines, for each warp
// instruction and for each packet of the request crossbar. A packet's time is that of all
// that the simulation does between two packets, so a run with few packets has none. Where
// the machine counts cache misses, it also reports those of the goroutine that runs the
// model. The making of the GPU is left out, and so are isolated runs.
func (w *whole) measure(b *testing.B) {
	gpu := preset(b, w.gpu)
	misses := countMisses(b)
	var instructions, packets, simulated uint64
	var elapsed, processor time.Duration
	for b.Loop() {
		p := w.wire(b, gpu)
		start, used := time.Now(), processorTime(b)
		misses.start()
		err := p.Run(b.Context(), w.cycles, nil)
		misses.stop()
		processor += processorTime(b) - used
		elapsed += time.Since(start)
		require.NoError(b, err)
		if w.pages != "" {
			require.Positive(b, p.FillUnit.Stats().Total().Regions, "faults")
		}
		c := p.Counters(p.Cycles(w.cycles))
		instructions += c.SM.Total().WarpInstructions
		packets += c.NoC.Request.Packets
		simulated += p.Cycles(w.cycles)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(instructions)/elapsed.Seconds(), "warp-instructions/s")
	b.ReportMetric(float64(simulated)/elapsed.Seconds(), "cycles/s")
	b.ReportMetric(float64(processor.Nanoseconds())/float64(instructions), "ns/warp-instruction")
	if packets > instructions/100 {
		b.ReportMetric(float64(processor.Nanoseconds())/float64(packets), "ns/packet")
	}
	misses.report(b, instructions)
}

func (w *whole) wire(b *testing.B, gpu *wiring.Config) *wiring.Platform {
	p, err := policy.Parse(w.policy)
	require.NoError(b, err)
	var processes []host.Process
	for i, app := range w.apps {
		process := host.Process{App: app(), Restart: w.cycles > 0}
		if w.tenants != nil {
			process.Attributes = w.tenants[i]
		}
		processes = append(processes, process)
	}
	wired, err := wiring.New(*gpu, p, processes)
	require.NoError(b, err)
	require.NoError(b, wired.SetPages(w.pages))
	return wired
}

func profiled(b *testing.B, names ...string) (apps []func() *workload.App) {
	for _, name := range names {
		apps = append(apps, func() *workload.App { return builtin(b, name) })
	}
	return apps
}

// emulated is an application of real kernels with its input made.
func emulated(b *testing.B, spec string) []func() *workload.App {
	return []func() *workload.App{func() *workload.App {
		app, err := source.Open(spec, source.Options{})
		require.NoError(b, err)
		host := start(b, spec, source.Options{})
		app.Host = func() (workload.Host, error) { return host, nil }
		return app
	}}
}

// Arithmetic from registers with hardly a memory access: mri-q.
func BenchmarkComputeBound(b *testing.B) {
	(&whole{gpu: "plain16", policy: "fcfs", cycles: 100_000, apps: profiled(b, "mri-q")}).measure(b)
}

// A compute-bound and a memory-bound tenant on every SM.
func BenchmarkMixed(b *testing.B) {
	(&whole{gpu: "plain16", policy: "even", cycles: 100_000, apps: profiled(b, "sgemm", "lbm")}).measure(b)
}

// The same on 80 SMs.
func BenchmarkManySMs(b *testing.B) {
	(&whole{gpu: "plain16?sms=80", policy: "even", cycles: 20_000, apps: profiled(b, "sgemm", "lbm")}).measure(b)
}

// A kernel on eight SMs, and compute- and memory-bound kernels on all, by the number of SMs.
func BenchmarkSMs(b *testing.B) {
	for _, kind := range []struct{ name, policy, app string }{
		{"eight-busy", "fixed:sms=8", "sgemm"}, {"compute", "fcfs", "mri-q"}, {"memory", "fcfs", "lbm"},
	} {
		for _, sms := range []int{16, 32, 80, 132} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, sms), func(b *testing.B) {
				(&whole{gpu: fmt.Sprintf("plain16?sms=%d", sms), policy: kind.policy, cycles: 20_000, apps: profiled(b, kind.app)}).measure(b)
			})
		}
	}
}

// Every instruction moves a line to or from DRAM.
func BenchmarkStreaming(b *testing.B) {
	copies := func() *workload.App { return stream(true, 20) }
	(&whole{gpu: "plain16", policy: "fcfs", apps: []func() *workload.App{copies}}).measure(b)
}

// One warp on each SM follows a chain of loads through DRAM, so that every SM
// waits nearly all the time.
func BenchmarkAllSMsWait(b *testing.B) {
	const gpu = "plain16?sm.tbs=1"
	sms := preset(b, gpu).SMs.Count()
	chains := func() *workload.App {
		return script.App("wait", script.Kernel("wait", sms, 32, func(tb, _ int) (list []workload.Inst) {
			for i := range 2000 {
				load := script.Access(workload.Load, workload.Global, array+uint64(tb)<<26+uint64(i)*4224, 0, 4, 1, 1)
				load.Active = 1
				list = append(list, load)
			}
			return list
		}))
	}
	(&whole{gpu: gpu, policy: "fcfs", apps: []func() *workload.App{chains}}).measure(b)
}

// Whole real programs, their traces parsed as they run.
func BenchmarkTrace(b *testing.B) {
	for _, name := range []string{"bfs-rodinia-2.0", "backprop-128", "vectoradd"} {
		b.Run(name, func(b *testing.B) {
			traced := func() *workload.App { return trace(b, name) }
			(&whole{gpu: "plain16", policy: "fcfs", apps: []func() *workload.App{traced}}).measure(b)
		})
	}
}

// The search of a B+ tree, emulated: loads that depend on loads.
func BenchmarkEmulatedBTree(b *testing.B) {
	(&whole{gpu: "plain16", policy: "fcfs", cycles: window, apps: emulated(b, "btree?size=small")}).measure(b)
}

// Every page is in CPU memory at first.
func BenchmarkFaulting(b *testing.B) {
	(&whole{gpu: "pagefault16", policy: "fcfs", cycles: 200_000, pages: wiring.PagesDemand, apps: emulated(b, "backprop?size=small")}).measure(b)
}

// families has a policy of each family, with times short enough for its decisions to fall
// into the window.
var families = []string{
	"ccbp:epoch=1k", "dss", "even", "fcfs", "fixed:tbs=3/3", "green:sms=even", "heterocore:warmup=5k,measure=5k", "mps",
	"npq", "ppq", "qos", "smk-pw", "spart", "timeslice:slice=5k", "ws:warmup=5k,sample=5k",
}

// family is a policy's name up to the variant's part of it.
func family(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	name, _, _ = strings.Cut(name, "-")
	return name
}

// A compute-bound and a memory-bound tenant under each family of policies. The first has
// a goal and the higher priority.
func BenchmarkPolicy(b *testing.B) {
	tenants := []tenant.Attributes{{Priority: 1, Goal: 0.5, IsolatedIPC: 1000}, {}}
	for _, spec := range families {
		b.Run(family(spec), func(b *testing.B) {
			gpu := "plain16"
			if family(spec) == "heterocore" {
				gpu = "heterocore-8b8s"
			}
			name, _, _ := strings.Cut(spec, ":")
			gpu = suiting(policy.Descriptor{Name: name}, gpu)
			(&whole{gpu: gpu, policy: spec, cycles: 30_000, apps: profiled(b, "sgemm", "lbm"), tenants: tenants}).measure(b)
		})
	}
}

func TestEveryFamilyOfPoliciesIsMeasuredOnce(t *testing.T) {
	var registered, measured []string
	for _, d := range policy.All() {
		registered = append(registered, family(d.Name))
	}
	for _, spec := range families {
		measured = append(measured, family(spec))
	}
	slices.Sort(measured)
	require.Equal(t, slices.Compact(registered), measured)
}
