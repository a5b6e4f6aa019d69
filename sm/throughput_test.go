package sm

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/workload"
)

// BenchmarkBarriers reports warp instructions per second of one SM whose warps
// meet at a barrier after every eight instructions.
func BenchmarkBarriers(b *testing.B) {
	list := program(repeat(8, step), meetAll)
	m := newBench(b, testSpec())
	tb := &workload.TB{}
	for range 16 {
		tb.Warps = append(tb.Warps, &loop{list: list})
	}
	m.driver.queue = append(m.driver.queue, &protocol.PlaceTB{TB: tb, Demand: occupancy.Demand{TBs: 1, Threads: 512, Warps: 16}})
	m.driver.Start()
	b.ReportAllocs()
	b.ResetTimer()
	for cycle := uint64(0); m.sm.Issued() < uint64(b.N); {
		cycle += 1000
		m.engine.RunUntil(m.domain.At(cycle))
	}
	b.ReportMetric(float64(m.sm.Issued())/b.Elapsed().Seconds()/1e6, "Minst/s")
}
