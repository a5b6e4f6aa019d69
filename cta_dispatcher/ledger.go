package dispatcher

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
	"cotenant/workload"
)

// ledger is what the SM driver knows of kernels and thread blocks: the View,
// which is the part that policies see, and behind it the kernel status table,
// the SM status table and the queues of preempted thread blocks. A method is one
// step of a kernel's or a thread block's life, and keeps them all in agreement;
// nothing else writes to them.
//
// A thread block waits; is placed on an SM; is told to leave it, or finishes;
// has left it, while its context is on its way to memory; and waits again. One
// that is relocated keeps its resources meanwhile.
type ledger struct {
	view     policy.View
	kernels  []*kernelStatus // KSRT, by tenant; nil while it has no active kernel
	sms      []smStatus      // SMST, by SM
	arrivals int             // of processes
	serial   uint64          // of the next placement
}

func newLedger(sms []SM, tenants int) ledger {
	l := ledger{kernels: make([]*kernelStatus, tenants), sms: make([]smStatus, len(sms))}
	l.view.Tenants = make([]policy.Tenant, tenants)
	for i := range sms {
		l.view.SMs = append(l.view.SMs, policy.SM{Capacity: &sms[i].Capacity, Kind: sms[i].Kind, Schedulers: sms[i].Schedulers,
			TBs: make([]int, tenants), Leaving: make([]int, tenants), Tenants: make([]occupancy.Demand, tenants)})
	}
	return l
}

// presence notes that a tenant's process has come or gone.
func (l *ledger) presence(tenant int, present bool, a tenant.Attributes) {
	v := &l.view.Tenants[tenant]
	if present {
		v.Rank = l.arrivals
		l.arrivals++
	}
	v.Present, v.Attributes = present, a
}

// start makes a tenant's kernel active.
func (l *ledger) start(tenant int, k *kernelStatus) {
	l.kernels[tenant] = k
	l.view.Active = append(l.view.Active, tenant)
	v := &l.view.Tenants[tenant]
	v.Demand, v.Waiting, v.Launch = k.demand, k.kernel.TBs(), k.number
	_, restarts := k.launch.(workload.Restarter)
	v.Idempotent = k.kernel.Idempotent && restarts
}

// retire ends a tenant's active kernel, of which no thread block is left.
func (l *ledger) retire(tenant int) {
	l.kernels[tenant] = nil
	l.view.Active = slices.DeleteFunc(l.view.Active, func(a int) bool { return a == tenant })
	l.view.Tenants[tenant].Demand = occupancy.Demand{}
}

// place takes room on an SM, which has it, for a waiting thread block of a
// tenant's kernel, and enters the placement. The result is valid until the next
// step.
func (l *ledger) place(tenant, sm int, tb preemptedTB) *placement {
	s, v, demand := &l.view.SMs[sm], &l.view.Tenants[tenant], l.kernels[tenant].demand
	s.Usage.Take(demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(demand)
	v.Waiting--
	v.Running++
	return l.enter(tenant, sm, tb)
}

// enter gives a thread block whose room is taken its placement.
func (l *ledger) enter(tenant, sm int, tb preemptedTB) *placement {
	s := &l.sms[sm]
	s.placements = append(s.placements, placement{preemptedTB: tb, serial: l.serial, tenant: tenant, loading: -1})
	l.serial++
	return &s.placements[len(s.placements)-1]
}

// leaves notes that a thread block has been told to leave an SM for good: one
// that runs or is being relocated keeps its room until it is gone, and one that
// is gone already, though it was to come back, gives it up.
func (l *ledger) leaves(p *placement, sm int) {
	if p.state == moved {
		l.gone(p, sm)
		return
	}
	p.state = leaving
	l.view.SMs[sm].Leaving[p.tenant]++
}

// off notes that a thread block that was told to leave has left its SM, and
// reports whether its room is free: not if it is to come back.
func (l *ledger) off(p *placement, sm int) (free bool) {
	if p.state == relocating {
		p.state = moved
		return false
	}
	l.view.SMs[sm].Leaving[p.tenant]--
	l.gone(p, sm)
	return true
}

// gone frees the room of a thread block whose context is on its way to memory.
func (l *ledger) gone(p *placement, sm int) {
	p.state = left
	l.release(p, sm)
	l.view.Tenants[p.tenant].Saving++
}

// release frees what a thread block took of its SM.
func (l *ledger) release(p *placement, sm int) {
	s, demand := &l.view.SMs[sm], l.kernels[p.tenant].demand
	s.Usage.Release(demand)
	s.TBs[p.tenant]--
	s.Tenants[p.tenant] = s.Tenants[p.tenant].Sub(demand)
	l.view.Tenants[p.tenant].Running--
}

// saved notes that a thread block's context is in memory, and takes its
// placement off the SM. It waits from now on; but one that keeps its room, back
// is true for it, has to be entered again.
func (l *ledger) saved(sm int, serial uint64) (p placement, back bool) {
	p = l.remove(sm, serial)
	if p.state == moved {
		return p, true
	}
	l.kernels[p.tenant].preempted.push(p.preemptedTB)
	v := &l.view.Tenants[p.tenant]
	v.Saving--
	v.Waiting++
	return p, false
}

// finish takes a thread block that has finished off its SM, though it may have
// been told to leave it; the slot that was set aside for its context then stays
// so until the kernel ends.
func (l *ledger) finish(sm int, serial uint64) placement {
	p := l.remove(sm, serial)
	k := l.kernels[p.tenant]
	if p.state == leaving {
		l.view.SMs[sm].Leaving[p.tenant]--
	}
	l.release(&p, sm)
	k.done++
	return p
}

// remove takes a placement off an SM's list.
func (l *ledger) remove(sm int, serial uint64) placement {
	s := &l.sms[sm]
	i := s.find(serial)
	p := s.placements[i]
	s.placements = slices.Delete(s.placements, i, i+1)
	return p
}

// find is the placement with a serial number on an SM, nil if there is none.
func (l *ledger) find(sm int, serial uint64) *placement {
	if i := l.sms[sm].find(serial); i >= 0 {
		return &l.sms[sm].placements[i]
	}
	return nil
}

// last is the last placed of a tenant's thread blocks on an SM that are in a
// state, nil if there is none.
func (l *ledger) last(tenant, sm int, state placementState) *placement {
	list := l.sms[sm].placements
	for i := len(list) - 1; i >= 0; i-- {
		if p := &list[i]; p.tenant == tenant && p.state == state {
			return p
		}
	}
	return nil
}

// reserve keeps an SM free of new thread blocks until it is empty.
func (l *ledger) reserve(sm int, m policy.Mechanism) {
	l.view.SMs[sm].Reserved = true
	l.sms[sm].mechanism = m
}

// emptied ends an SM's reservation if it is empty, and reports whether it had
// one.
func (l *ledger) emptied(sm int) bool {
	s := &l.view.SMs[sm]
	if !s.Reserved || s.Usage.TBs > 0 {
		return false
	}
	s.Reserved = false
	return true
}

// stop leaves nothing to place, so that a policy in the middle of its decision
// comes to an end.
func (l *ledger) stop() {
	for i := range l.view.Tenants {
		l.view.Tenants[i].Waiting = 0
	}
}
