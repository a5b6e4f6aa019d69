package dispatcher

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/tenant"
)

// ledger holds the kernel status table, the SM status table and the View, which shows
// policies their part of both. Each method is one step of a kernel or an SM and keeps the
// tables in agreement; the thread block table writes its counts into the View.
type ledger struct {
	view     policy.View
	kernels  []*tbtable.Kernel  // KSRT, in the order of view.Kernels
	next     []*tbtable.Kernel  // by tenant: the kernel that places thread blocks next; nil without an active kernel
	reserved []policy.Mechanism // SMST beside the View: by SM, the mechanism of the last reservation
	arrivals int                // of processes
}

func newLedger(sms []SM, tenants int) ledger {
	l := ledger{next: make([]*tbtable.Kernel, tenants), reserved: make([]policy.Mechanism, len(sms))}
	l.view.Tenants = make([]policy.Tenant, tenants)
	for i := range sms {
		l.view.SMs = append(l.view.SMs, policy.SM{Capacity: &sms[i].Capacity, Kind: sms[i].Kind, GPC: sms[i].GPC, Schedulers: sms[i].Schedulers, IssueWidth: sms[i].IssueWidth,
			TBs: make([]int, tenants), Leaving: make([]int, tenants), Tenants: make([]occupancy.Demand, tenants)})
	}
	return l
}

// presence notes that a tenant's process has come or gone.
func (l *ledger) presence(cycle uint64, tenant int, present bool, a tenant.Attributes) {
	v := &l.view.Tenants[tenant]
	if present {
		v.Since = cycle
		v.Rank = l.arrivals
		l.arrivals++
	}
	v.Present, v.Attributes = present, a
}

// reserve keeps an SM free of new thread blocks until it is empty.
func (l *ledger) reserve(sm int, m policy.Mechanism) {
	l.view.SMs[sm].Reserved = true
	l.reserved[sm] = m
}

// emptied ends the reservation of an SM that is empty, and reports whether it did.
func (l *ledger) emptied(sm int) bool {
	s := &l.view.SMs[sm]
	if !s.Reserved || s.Usage.TBs > 0 {
		return false
	}
	s.Reserved = false
	return true
}

// stop leaves nothing to place, so that a policy in the middle of its decision comes to
// an end.
func (l *ledger) stop() {
	for _, k := range l.kernels {
		k.Waiting = 0
		l.view.Tenants[k.Tenant].Waiting = 0
	}
}
