package tests

import (
	"testing"
	"time"

	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"
)

// The speed of whole simulations on one core: warp instructions and core cycles
// simulated per second, isolated runs and the making of the GPU left out.

func benchmark(b *testing.B, gpu *wiring.Config, policyName string, cycles uint64, apps ...func() *workload.App) {
	var instructions, simulated uint64
	var elapsed time.Duration
	for b.Loop() {
		var made []*workload.App
		for _, a := range apps {
			made = append(made, a())
		}
		p := platform(b, gpu, policyName, cycles > 0, made...)
		start := time.Now()
		if err := p.Run(b.Context(), cycles, nil); err != nil {
			b.Fatal(err)
		}
		elapsed += time.Since(start)
		for _, m := range p.SMs {
			instructions += m.Issued()
		}
		simulated += p.Cycles(cycles)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(instructions)/elapsed.Seconds(), "warp-instructions/s")
	b.ReportMetric(float64(simulated)/elapsed.Seconds(), "cycles/s")
}

func profiled(b *testing.B, name string) func() *workload.App {
	return func() *workload.App { return builtin(b, name) }
}

// Arithmetic from registers with hardly a memory access: mri-q.
func BenchmarkComputeBound(b *testing.B) {
	benchmark(b, preset(b, "plain16"), "fcfs", 100_000, profiled(b, "mri-q"))
}

// A compute-bound and a memory-bound tenant on every SM.
func BenchmarkMixed(b *testing.B) {
	benchmark(b, preset(b, "plain16"), "even", 100_000, profiled(b, "sgemm"), profiled(b, "lbm"))
}

// Every instruction moves a line to or from DRAM.
func BenchmarkStreaming(b *testing.B) {
	benchmark(b, preset(b, "plain16"), "fcfs", 0, func() *workload.App { return stream(true, 20) })
}

// One warp on each SM follows a chain of loads through DRAM, so that every SM
// waits nearly all the time.
func BenchmarkAllSMsWait(b *testing.B) {
	gpu := preset(b, "plain16")
	benchmark(b, gpu, "fcfs", 0, func() *workload.App {
		k := script.Kernel("wait", gpu.SMs.Count(), 32, func(tb, _ int) (list []workload.Inst) {
			for i := range 2000 {
				load := script.Access(workload.Load, workload.Global, array+uint64(tb)<<26+uint64(i)*4224, 0, 4, 1, 1)
				load.Active = 1
				list = append(list, load)
			}
			return list
		})
		k.RegistersPerTB = gpu.SM.Registers // one thread block on each SM
		return script.App("wait", k)
	})
}

// A whole real program, its trace parsed as it runs.
func BenchmarkTraceBFS(b *testing.B) {
	benchmark(b, preset(b, "plain16"), "fcfs", 0, func() *workload.App { return trace(b, "bfs-rodinia-2.0") })
}
