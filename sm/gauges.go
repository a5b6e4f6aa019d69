package sm

import "cotenant/components"

// Gauges are the resident threads, the load-store unit's queue, and the L1's
// outstanding misses and queue of packets to the crossbar.
func (s *SM) Gauges() []components.Gauge {
	return []components.Gauge{
		{Name: "Threads", Max: s.spec.Threads, Level: s.threads},
		{Name: "LSU.Queue", Max: s.spec.LSU.QueueDepth, Level: s.lsu.Queued},
		{Name: "L1.MSHRs", Max: s.spec.L1.MSHRs, Level: s.l1.Outstanding},
		{Name: "L1.MissQueue", Max: s.spec.L1.MissQueue, Level: s.misses.Len},
	}
}

// threads is the number of threads of all tenants.
func (s *SM) threads() (n int) {
	for k := range s.residents {
		n += s.residents[k].threads
	}
	return n
}
