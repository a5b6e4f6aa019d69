package experiment

import (
	"cotenant/components/stats"
	"cotenant/metrics/latency"
	"cotenant/tenant"
)

// LatencyResult is how long requests took in a stage, in core cycles.
type LatencyResult struct {
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean"`
	// P50, P95 and P99 are latency.Histogram.Quantile.
	P50 uint64 `json:"p50"`
	P95 uint64 `json:"p95"`
	P99 uint64 `json:"p99"`
	Max uint64 `json:"max"`
	// Counts are the numbers of requests in the buckets that begin at From.
	From   []uint64 `json:"from"`
	Counts []uint64 `json:"counts"`
}

// addLatencies puts a recorder's times into the result.
func (s *Result) addLatencies(r *latency.Recorder) {
	for i := range s.Kernels {
		list := map[string]*LatencyResult{}
		for stage := range latency.NumStages {
			h := r.Of(tenant.ID(i), stage)
			l := &LatencyResult{Count: h.Count, Mean: stats.Ratio(h.Sum, h.Count), P50: h.Quantile(0.5), P95: h.Quantile(0.95), P99: h.Quantile(0.99), Max: h.Max,
				From: []uint64{}, Counts: []uint64{}}
			for b, n := range h.Counts {
				if n > 0 {
					l.From, l.Counts = append(l.From, latency.From(b)), append(l.Counts, n)
				}
			}
			list[stage.String()] = l
		}
		s.Kernels[i].Latencies = list
	}
}
