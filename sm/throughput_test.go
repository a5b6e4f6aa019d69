package sm

import (
	"testing"

	"cotenant/workload"
)

// BenchmarkBarriers reports warp instructions per second of one SM whose warps
// meet at a barrier after every eight instructions.
func BenchmarkBarriers(b *testing.B) {
	list := program(repeat(8, step), meetAll)
	m := newBench(b, testSpec())
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
