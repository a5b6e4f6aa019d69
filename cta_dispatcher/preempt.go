package dispatcher

import (
	"fmt"
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/workload"
)

// Preempt tells the last placed n of a tenant's thread blocks to leave an SM; it
// makes Driver a policy.Actions, like the methods below.
func (d *Driver) Preempt(tenant, sm, n int, m policy.Mechanism) {
	if d.err != nil {
		return
	}
	if m == policy.Drain {
		d.fail(fmt.Errorf("fault of the policy: a thread block of tenant %d on SM %d is to drain, which only a whole SM can", tenant, sm))
		return
	}
	if staying := d.view.SMs[sm].Staying(tenant); staying < n {
		d.fail(fmt.Errorf("fault of the policy: %d thread blocks of tenant %d are to leave SM %d, where %d stay", n, tenant, sm, staying))
		return
	}
	list := d.smst[sm].placements
	// Those that are about to come back anyway are the first to go.
	for _, state := range []placementState{moved, relocating, running} {
		for i := len(list) - 1; i >= 0 && n > 0; i-- {
			if p := &list[i]; p.tenant == tenant && p.state == state {
				d.evict(p, sm, m, false)
				n--
			}
		}
	}
}

// PreemptSM reserves an SM and has all its thread blocks leave it.
func (d *Driver) PreemptSM(sm int, m policy.Mechanism) {
	if d.err != nil {
		return
	}
	s := &d.view.SMs[sm]
	if s.Reserved || s.Usage.TBs == 0 {
		d.fail(fmt.Errorf("fault of the policy: SM %d, which is reserved or empty, is to be preempted", sm))
		return
	}
	s.Reserved = true
	d.smst[sm].mechanism = m
	d.stats.SMPreemptions++
	d.notifySM(d.listener.SMReserved, sm)
	if m == policy.Drain {
		return
	}
	list := d.smst[sm].placements
	for i := range list {
		if p := &list[i]; p.state != leaving && p.state != left {
			d.evict(p, sm, m, m == policy.Switch)
		}
	}
}

// Relocate has the last placed n of a tenant's thread blocks leave an SM and
// come back to it.
func (d *Driver) Relocate(tenant, sm, n int, m policy.Mechanism) {
	list := d.smst[sm].placements
	for i := len(list) - 1; i >= 0 && n > 0 && d.err == nil; i-- {
		if p := &list[i]; p.tenant == tenant && p.state == running {
			p.state = relocating
			d.stats.Tenants[tenant].Relocations++
			d.orderSave(p, sm, m, false)
			n--
		}
	}
}

// evict has a thread block leave for good. One that is being relocated does
// not come back.
func (d *Driver) evict(p *placement, sm int, m policy.Mechanism, halt bool) {
	s := &d.view.SMs[sm]
	d.stats.Tenants[p.tenant].Preemptions++
	switch p.state {
	case running:
		p.state = leaving
		s.Leaving[p.tenant]++
		d.orderSave(p, sm, m, halt)
	case relocating:
		p.state = leaving
		s.Leaving[p.tenant]++
	case moved:
		p.state = left
		d.leave(p, sm)
		d.view.Tenants[p.tenant].Saving++
		// The policy is in the middle of its decision: it is told that the SM is
		// free at the next edge.
		d.emptied = append(d.emptied, sm)
		d.Wake()
	}
}

// freeEmptied ends the reservations of SMs that have become empty without a
// report.
func (d *Driver) freeEmptied() (moved bool) {
	for len(d.emptied) > 0 {
		sm := d.emptied[0]
		d.emptied = slices.Delete(d.emptied, 0, 1)
		d.freed(sm)
		moved = true
	}
	return moved
}

// orderSave has the SM's preemption engine take a thread block off.
func (d *Driver) orderSave(p *placement, sm int, m policy.Mechanism, halt bool) {
	k := d.ksrt[p.tenant]
	p.mechanism, p.halt = m, halt
	o := &protocol.SaveTB{Serial: p.serial, Tenant: id(p.tenant), Demand: k.demand, Halt: halt, Free: m != policy.Switch, Drop: m == policy.Flush}
	p.slot = -1
	if !o.Free {
		p.slot = k.contexts.take()
		o.Addr = k.contexts.address(p.slot)
	}
	d.post(sm, d.PreEngs[sm], o)
	d.notifyTB(d.listener.TBLeaving, p, sm, 0)
}

// leave frees what a thread block took of its SM.
func (d *Driver) leave(p *placement, sm int) {
	s, demand := &d.view.SMs[sm], d.ksrt[p.tenant].demand
	s.Usage.Release(demand)
	s.TBs[p.tenant]--
	s.Tenants[p.tenant] = s.Tenants[p.tenant].Sub(demand)
	d.view.Tenants[p.tenant].Running--
}

// receiveReports takes the reports of the preemption engines.
func (d *Driver) receiveReports() (moved bool) {
	for sm, port := range d.PreEngs {
		for {
			switch r := port.Front().(type) {
			case *protocol.TBPreempted:
				d.preempted(sm, r)
			case *protocol.TBSaved:
				d.saved(sm, r.Serial)
			case *protocol.TBRestored:
				if i := d.smst[sm].find(r.Serial); i >= 0 {
					p := &d.smst[sm].placements[i]
					if p.loading >= 0 {
						d.ksrt[p.tenant].contexts.put(p.loading)
						p.loading = -1
					}
					d.stats.Tenants[p.tenant].RestoredBytes += uint64(r.Bytes)
					d.notifyTB(d.listener.TBRestored, p, sm, r.Bytes)
				}
			}
			if port.Pop() == nil {
				break
			}
			moved = true
		}
	}
	return moved
}

// preempted notes that a thread block has left its SM.
func (d *Driver) preempted(sm int, r *protocol.TBPreempted) {
	p := &d.smst[sm].placements[d.smst[sm].find(r.Serial)]
	p.context, p.bytes = r.Context, r.Bytes
	d.stats.Tenants[p.tenant].ContextBytes += uint64(r.Bytes)
	d.notifyTB(d.listener.TBPreempted, p, sm, r.Bytes)
	if p.state == relocating {
		p.state = moved
		return
	}
	p.state = left
	d.view.SMs[sm].Leaving[p.tenant]--
	d.leave(p, sm)
	d.view.Tenants[p.tenant].Saving++
	if r.Dropped {
		tb, k := p.tb, d.ksrt[p.tenant]
		if err := k.launch.(workload.Restarter).Restart(tb); err != nil {
			d.fail(err)
			return
		}
		d.saved(sm, r.Serial)
	}
	d.ask(policy.TBPreempted)
	d.freed(sm)
}

// saved puts a thread block whose context is in memory into its kernel's queue,
// or has it come back to its SM.
func (d *Driver) saved(sm int, serial uint64) {
	s := &d.smst[sm]
	i := s.find(serial)
	p := s.placements[i]
	s.placements = slices.Delete(s.placements, i, i+1)
	if p.state == moved {
		d.send(p.tenant, sm, p.preemptedTB)
		return
	}
	d.ksrt[p.tenant].preempted.push(p.preemptedTB)
	v := &d.view.Tenants[p.tenant]
	v.Saving--
	v.Waiting++
	v.Preempted++
	d.ask(policy.ContextSaved)
}

// freed ends an SM's reservation once it is empty.
func (d *Driver) freed(sm int) {
	s := &d.view.SMs[sm]
	if !s.Reserved || s.Usage.TBs > 0 {
		return
	}
	s.Reserved = false
	d.notifySM(d.listener.SMFreed, sm)
	d.ask(policy.SMFreed)
}

// load sends a preempted thread block's context to an SM.
func (d *Driver) load(p *placement, sm int) {
	k := d.ksrt[p.tenant]
	o := &protocol.LoadTB{Serial: p.serial, TB: p.tb, Tenant: id(p.tenant), Launch: k.number, Demand: k.demand,
		Context: p.context, Halt: p.halt, Free: p.slot < 0}
	if !o.Free {
		o.Addr = k.contexts.address(p.slot)
		p.loading = p.slot
	}
	d.post(sm, d.PreEngs[sm], o)
	d.notifyTB(d.listener.TBReturning, p, sm, p.bytes)
}
