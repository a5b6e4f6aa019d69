package sm

import (
	"math/bits"

	"cotenant/components"
	"cotenant/sm/gate"
	"cotenant/tenant"
)

// Gauges are the resident threads, the load-store unit's queue, and the L1's
// outstanding misses and queue of packets to the crossbar; on an SM with an issue queue
// the warps that wait for page faults, too.
func (s *SM) Gauges() []components.Gauge {
	list := []components.Gauge{
		{Name: "Threads", Max: s.spec.Threads, Level: s.threads},
		{Name: "LSU.Queue", Max: s.spec.LSU.QueueDepth, Level: s.lsu.Queued},
		{Name: "L1.MSHRs", Max: s.spec.L1.MSHRs, Level: s.l1.Outstanding},
		{Name: "L1.MissQueue", Max: s.spec.missQueue(), Level: s.egress.Len},
	}
	if s.window != nil {
		list = append(list, components.Gauge{Name: "Warps.Faulted", Max: s.spec.WarpSlots(), Level: s.window.waiting})
	}
	return list
}

// waiting is the number of warps that wait for page faults to be served.
func (w *window) waiting() int { return bits.OnesCount64(uint64(w.faulted | w.holding)) }

// threads is the number of threads of all tenants.
func (s *SM) threads() (n int) {
	for k := range s.residents {
		n += s.residents[k].threads
	}
	return n
}

// QuotaLeft is what a tenant may still issue of its quota on the SM, of all
// schedulers if each has a counter, in the unit of the quota: below 0 if it has had
// more. It is false if there are no quotas.
func (s *SM) QuotaLeft(id tenant.ID) (left int64, ok bool) {
	for _, g := range s.active {
		if m, ok := g.(gate.Metered); ok {
			return m.Left(id), true
		}
	}
	return 0, false
}
