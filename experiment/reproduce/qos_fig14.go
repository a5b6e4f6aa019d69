package reproduce

import (
	"math"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/metrics"
	"cotenant/platform/build"
)

func init() {
	register(&Experiment{
		Name:   "qos-fig14",
		About:  "instructions per watt, pairs",
		Source: "QoS, Figure 14",
		GPU:    "smk16",
		Notes:  qosNotes + " Means over the cases of the ratio of thread instructions per watt, whether the goal is reached or not, and of those that both schemes reach. The paper has GPUWattch; here energy is that of counted events and static power, of which metrics/energy.go has the sources.",
		runs:   func(s Scale) []sweep.Run { return qosRuns(s, qosPairs(s), spartQoS, rollover) },
		rows: func(d *Data) ([]Row, error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			name, pairs := against(rollover, spartQoS), qosPairs(d.Scale)
			gain := func(c qosCase) float64 {
				return metrics.Maxwell.InstructionsPerWatt(eventsOf(d.result(rollover, c), gpu)) /
					metrics.Maxwell.InstructionsPerWatt(eventsOf(d.result(spartQoS, c), gpu))
			}
			more := func(reached ...named) series {
				mean := d.meanOf(gain, reached...)
				return series{name, func(cases []qosCase) float64 { return 100 * (mean(cases) - 1) }}
			}
			rows := pairs.table("instructions per watt", "%", more())
			rows = append(rows, pairs.table("instructions per watt where both reach", "%", more(spartQoS, rollover))...)
			return published{
				"instructions per watt, pairs, all goals, " + name: {9.3, "text 4.7"},
			}.add(rows), nil
		},
	})
}

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
