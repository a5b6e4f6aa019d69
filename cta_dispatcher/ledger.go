package dispatcher

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
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
	kernels  []*kernelStatus // KSRT, in the order of view.Kernels
	next     []*kernelStatus // by tenant: whose thread blocks are placed next; nil while it has no active kernel
	sms      []smStatus      // SMST, by SM
	arrivals int             // of processes
	serial   uint64          // of the next placement
}

func newLedger(sms []SM, tenants int) ledger {
	l := ledger{next: make([]*kernelStatus, tenants), sms: make([]smStatus, len(sms))}
	l.view.Tenants = make([]policy.Tenant, tenants)
	for i := range sms {
		l.view.SMs = append(l.view.SMs, policy.SM{Capacity: &sms[i].Capacity, Kind: sms[i].Kind, Schedulers: sms[i].Schedulers, IssueWidth: sms[i].IssueWidth,
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

// place takes room on an SM, which has it, for a waiting thread block of a
// kernel, and enters the placement. The result is valid until the next step.
func (l *ledger) place(k *kernelStatus, sm int, tb preemptedTB) *placement {
	s := &l.view.SMs[sm]
	s.Usage.Take(k.Demand)
	s.TBs[k.Tenant]++
	s.Tenants[k.Tenant] = s.Tenants[k.Tenant].Add(k.Demand)
	l.wait(k, -1)
	l.run(k, 1)
	return l.enter(k, sm, tb)
}

// enter gives a thread block whose room is taken its placement.
func (l *ledger) enter(k *kernelStatus, sm int, tb preemptedTB) *placement {
	s := &l.sms[sm]
	s.placements = append(s.placements, placement{preemptedTB: tb, kernel: k, serial: l.serial, loading: -1})
	l.serial++
	return &s.placements[len(s.placements)-1]
}

// loads notes that the context of a thread block is on its way back from its slot.
func (l *ledger) loads(p *placement) {
	p.loading = p.slot
	l.view.Tenants[p.kernel.Tenant].Loading++
}

// loaded notes that it has arrived, if it was on its way, and returns its slot;
// -1 if there was none.
func (l *ledger) loaded(p *placement) (slot int32) {
	slot = p.loading
	l.loadsNoMore(p)
	p.loading = -1
	return slot
}

// loadsNoMore takes a thread block that is there out of those that are being
// loaded.
func (l *ledger) loadsNoMore(p *placement) {
	if p.loading >= 0 && p.state != left && p.state != moved {
		l.view.Tenants[p.kernel.Tenant].Loading--
	}
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
	l.view.SMs[sm].Leaving[p.kernel.Tenant]++
}

// off notes that a thread block that was told to leave has left its SM, and
// reports whether its room is free: not if it is to come back.
func (l *ledger) off(p *placement, sm int) (free bool) {
	l.loadsNoMore(p)
	if p.state == relocating {
		p.state = moved
		return false
	}
	l.view.SMs[sm].Leaving[p.kernel.Tenant]--
	l.gone(p, sm)
	return true
}

// gone frees the room of a thread block whose context is on its way to memory.
func (l *ledger) gone(p *placement, sm int) {
	p.state = left
	l.release(p, sm)
	l.save(p.kernel, 1)
}

// release frees what a thread block took of its SM.
func (l *ledger) release(p *placement, sm int) {
	s, k := &l.view.SMs[sm], p.kernel
	s.Usage.Release(k.Demand)
	s.TBs[k.Tenant]--
	s.Tenants[k.Tenant] = s.Tenants[k.Tenant].Sub(k.Demand)
	l.run(k, -1)
}

// saved notes that a thread block's context is in memory, and takes its
// placement off the SM. It waits from now on; but one that keeps its room, back
// is true for it, has to be entered again.
func (l *ledger) saved(sm int, serial uint64) (p placement, back bool) {
	p = l.remove(sm, serial)
	if p.state == moved {
		return p, true
	}
	p.kernel.preempted.push(p.preemptedTB)
	l.save(p.kernel, -1)
	l.wait(p.kernel, 1)
	return p, false
}

// back takes room on an SM, which has it, for a thread block that was switched on a
// fault, and enters the placement.
func (l *ledger) back(k *kernelStatus, sm int, tb preemptedTB) *placement {
	l.save(k, -1)
	l.wait(k, 1)
	return l.place(k, sm, tb)
}

// requeue has one wait as preempted thread blocks do.
func (l *ledger) requeue(k *kernelStatus, tb preemptedTB) {
	k.preempted.push(tb)
	l.save(k, -1)
	l.wait(k, 1)
}

// finish takes a thread block that has finished off its SM, though it may have
// been told to leave it; the slot that was set aside for its context then stays
// so until the kernel ends.
func (l *ledger) finish(sm int, serial uint64) placement {
	p := l.remove(sm, serial)
	if p.state == leaving || p.state == switched {
		l.view.SMs[sm].Leaving[p.kernel.Tenant]--
	}
	l.release(&p, sm)
	p.kernel.done++
	l.view.Tenants[p.kernel.Tenant].Finished++
	return p
}

// remove takes a placement off an SM's list.
func (l *ledger) remove(sm int, serial uint64) placement {
	s := &l.sms[sm]
	i := s.find(serial)
	p := s.placements[i]
	s.placements = slices.Delete(s.placements, i, i+1)
	l.loaded(&p)
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
		if p := &list[i]; p.kernel.Tenant == tenant && p.state == state {
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
	for _, k := range l.kernels {
		l.wait(k, -k.Waiting)
	}
}
