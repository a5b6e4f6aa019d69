package dispatcher

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// epoch is where the driver stands with a periodic policy's windows.
type epoch struct {
	cycles  uint64 // length of a window; 0 if the policy is not periodic
	next    uint64 // cycle at which the SMs are asked for their counters
	asked   uint64 // cycle at which they were last asked
	missing int    // SMs that have not answered yet
	// issued is, by SM and tenant, what the last answers said.
	issued [][tenant.Max]uint64
}

// endEpoch asks the SMs for their counters when a window ends.
func (d *Driver) endEpoch() bool {
	e := &d.epoch
	if e.cycles == 0 || e.missing > 0 {
		return false
	}
	if d.cycle < e.next {
		d.WakeAt(e.next)
		return false
	}
	for sm, port := range d.SMs {
		d.post(sm, port, &protocol.Sample{})
	}
	e.missing = len(d.SMs)
	d.ledger.view.Window, e.asked = d.cycle-e.asked, d.cycle
	e.next = d.cycle + e.cycles
	return true
}

// sampled takes an SM's counters. The policy is asked when all have answered.
func (d *Driver) sampled(r *protocol.Window) {
	s, last := &d.ledger.view.SMs[r.SM], &d.epoch.issued[r.SM]
	for tenant := range s.Issued {
		s.Issued[tenant] = r.Issued[tenant] - last[tenant]
	}
	*last = r.Issued
	if d.epoch.missing--; d.epoch.missing == 0 {
		d.stats.Epochs++
		d.ask(policy.Epoch)
	}
}

// SetQuotas sends an SM its tenants' quotas.
func (d *Driver) SetQuotas(sm int, quotas []int) {
	m := &protocol.SetQuotas{On: quotas != nil}
	for tenant, n := range quotas {
		m.Quotas[tenant] = int32(n)
	}
	d.post(sm, d.SMs[sm], m)
	if d.listener.Quotas != nil {
		d.listener.Quotas(d.cycle, sm, quotas)
	}
}
