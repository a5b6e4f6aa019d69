package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"
)

// BenchmarkBarriers reports warp instructions per second of one SM. Its warps meet at a
// barrier after every eight instructions.
func BenchmarkBarriers(b *testing.B) { benchmarkLoop(b, program(repeat(8, step), meetAll)) }

// BenchmarkLoads is the same for warps that load a line, which is in the L1, use
// it, store it, and load a word by each lane of eight other lines and of shared
// memory.
func BenchmarkLoads(b *testing.B) {
	eight := scattered(2, 8)
	eight.Active = 0xff
	benchmarkLoop(b, program(load(1, 0), use(1), store(1<<20), eight, use(2),
		script.Access(workload.Load, workload.Shared, 0, 8, 4, 3), use(3)))
}

// BenchmarkQueued and BenchmarkInOrder report the same of one scheduler's warps: the
// first with an issue queue and a TLB that holds all pages, the second without.
func BenchmarkQueued(b *testing.B) { benchmarkSpec(b, queuedSpec("replay-queue", 2), mixed()) }

// BenchmarkInOrder is what BenchmarkQueued is compared with.
func BenchmarkInOrder(b *testing.B) { benchmarkSpec(b, oneScheduler(), mixed()) }

// mixed is independent arithmetic between loads that hit.
func mixed() []workload.Inst {
	return program(load(1, 0), independent(6), use(1), load(2, 0x80), independent(6), use(2), script.Op(workload.SFU, 5, 2))
}

func benchmarkLoop(b *testing.B, list []workload.Inst) { benchmarkSpec(b, testSpec(), list) }

func benchmarkSpec(b *testing.B, spec Spec, list []workload.Inst) {
	m := newBench(b, spec)
	var streams []workload.Stream
	for range 16 {
		streams = append(streams, &loop{list: list})
	}
	m.placeStreams(0, streams...)
	b.ReportAllocs()
	b.ResetTimer()
	for cycle := uint64(0); m.sm.Issued() < uint64(b.N); {
		cycle += 1000
		m.RunTo(cycle)
	}
	b.ReportMetric(float64(m.sm.Issued())/b.Elapsed().Seconds()/1e6, "Minst/s")
}
