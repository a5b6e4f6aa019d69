package sm

import "cotenant/components"

// Gauges are the resident threads, the load-store unit's queue, and the L1's
// outstanding misses and queue of packets to the crossbar.
func (s *SM) Gauges() []components.Gauge {
	return []components.Gauge{
		{Name: "Threads", Max: s.spec.Threads, Level: s.threads},
		s.lsu.queue.Gauge("LSU.Queue"),
		{Name: "L1.MSHRs", Max: s.spec.L1.MSHRs, Level: s.l1.mshrs.Len},
		s.l1.out.Gauge("L1.MissQueue"),
	}
}

// threads is the number of threads of all tenants.
func (s *SM) threads() (n int) {
	for k := range s.residents {
		n += s.residents[k].threads
	}
	return n
}
