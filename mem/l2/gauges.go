package l2

import "cotenant/components"

// Gauges are the requests on their way to the lookup, the outstanding misses,
// and the queues for the reply crossbar and the DRAM.
func (s *Slice) Gauges() []components.Gauge {
	return []components.Gauge{
		s.lookups.Gauge("Lookups"),
		{Name: "MSHRs", Max: s.spec.MSHRs, Level: s.mshrs.Len},
		s.replies.Gauge("Reply.Queue"),
		s.memory.Gauge("DRAM.Queue"),
	}
}
