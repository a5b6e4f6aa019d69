package reproduce

import (
	"math"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/build"
)

// eventsOf are the events of a run that take energy; not defined if its result
// lacks a counter.
func eventsOf(r *experiment.Result, gpu *build.Config) metrics.Events {
	count := func(of stats.Group, name string) float64 {
		n, ok := of.Total.Get(name)
		if !ok {
			return math.NaN()
		}
		return float64(n)
	}
	sms, requestFlit, replyFlit := r.Stats["sm"], float64(gpu.RequestNoC.FlitBytes), float64(gpu.ReplyNoC.FlitBytes)
	return metrics.Events{
		Seconds:      float64(r.Cycles) / (float64(gpu.Clocks.Core) * 1e6),
		SMs:          float64(len(r.SMs)),
		Instructions: float64(r.ThreadInstructions),
		SharedPasses: count(sms, "lsu_shared_accesses") + count(sms, "lsu_shared_conflicts"),
		L1Accesses:   count(sms, "l1_accesses") + count(sms, "l1_writes") + count(sms, "l1_atomics") + count(sms, "l1_bypasses"),
		// What requests carry are their flits behind the first, which has the header.
		L2Bytes:   count(r.Stats["l2"], "reply_bytes") + requestFlit*float64(r.NoC.RequestFlits-r.NoC.RequestPackets),
		Flits:     (requestFlit*float64(r.NoC.RequestFlits) + replyFlit*float64(r.NoC.ReplyFlits)) / metrics.FlitBytes,
		Activates: float64(r.DRAM.Activates),
		DRAMBytes: float64(r.DRAM.Bytes),
	}
}
