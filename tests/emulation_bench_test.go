//go:build unix

package tests

import (
	"syscall"
	"testing"
	"time"

	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"
)

// window is how long each simulation of the benchmark is, in core cycles.
const window = 30_000

// The speed of whole simulations of real kernels, emulated as they run and
// replayed from the stream cache, by turns in one run. emulated/replayed is the
// ratio of the processor time that they take; 1.33, a quarter off the speed, is
// the goal.
func BenchmarkEmulatedAgainstReplayed(b *testing.B) {
	for _, name := range []string{"sgemm", "cutcp", "tpacf", "mri-q", "lbm", "stencil", "spmv", "sad", "mri-gridding"} {
		b.Run(name, func(b *testing.B) {
			store, err := streamcache.Open(b.TempDir(), streamcache.DefaultLimit)
			if err != nil {
				b.Fatal(err)
			}
			spec := name + "?size=small"
			start(b, spec, source.Options{Cache: store}) // records
			var instructions uint64
			var emulated, replayed time.Duration
			for b.Loop() {
				n, took := simulate(b, spec, source.Options{})
				instructions += n
				emulated += took
				_, took = simulate(b, spec, source.Options{Cache: store})
				replayed += took
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(instructions)/emulated.Seconds(), "emulated-instructions/s")
			b.ReportMetric(float64(instructions)/replayed.Seconds(), "replayed-instructions/s")
			b.ReportMetric(emulated.Seconds()/replayed.Seconds(), "emulated/replayed")
		})
	}
}

func start(b *testing.B, spec string, o source.Options) workload.Host {
	b.Helper()
	app, err := source.Open(spec, o)
	if err != nil {
		b.Fatal(err)
	}
	host, err := app.Start()
	if err != nil {
		b.Fatal(err)
	}
	return host
}

// simulate runs an application for the window on a GTX 980. Its input has been
// made before.
func simulate(b *testing.B, spec string, o source.Options) (instructions uint64, took time.Duration) {
	b.Helper()
	host := start(b, spec, o)
	app, err := source.Open(spec, o)
	if err != nil {
		b.Fatal(err)
	}
	app.Host = func() (workload.Host, error) { return host, nil }
	p := platform(b, preset(b, "plain16"), "fcfs", true, app)
	before := processorTime(b)
	if err := p.Run(b.Context(), window, nil); err != nil {
		b.Fatal(err)
	}
	took = processorTime(b) - before
	for _, m := range p.SMs {
		instructions += m.Issued()
	}
	return instructions, took
}

// processorTime is what this process has used, which other processes change
// less than the time that passes.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
