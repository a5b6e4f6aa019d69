package dispatcher

import (
	"fmt"
	"slices"

	"cotenant/components"
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
	if staying := d.ledger.view.SMs[sm].Staying(tenant); staying < n {
		d.fail(fmt.Errorf("fault of the policy: %d thread blocks of tenant %d are to leave SM %d, where %d stay", n, tenant, sm, staying))
		return
	}
	// Those that are about to come back anyway are the first to go.
	for _, state := range []placementState{moved, relocating, running} {
		for ; n > 0; n-- {
			p := d.ledger.last(tenant, sm, state)
			if p == nil {
				break
			}
			d.evict(p, sm, m, false)
		}
	}
}

// PreemptSM reserves an SM and has all its thread blocks leave it.
func (d *Driver) PreemptSM(sm int, m policy.Mechanism) {
	if d.err != nil {
		return
	}
	if s := &d.ledger.view.SMs[sm]; s.Reserved || s.Usage.TBs == 0 {
		d.fail(fmt.Errorf("fault of the policy: SM %d, which is reserved or empty, is to be preempted", sm))
		return
	}
	d.ledger.reserve(sm, m)
	d.recallAll(sm)
	d.stats.SMPreemptions++
	d.notifySM(d.listener.SMReserved, sm)
	if m == policy.Drain {
		return
	}
	list := d.ledger.sms[sm].placements
	for i := range list {
		if p := &list[i]; p.state != leaving && p.state != left {
			d.evict(p, sm, m, m == policy.Switch)
		}
	}
}

// Relocate has the last placed n of a tenant's thread blocks leave an SM and
// come back to it.
func (d *Driver) Relocate(tenant, sm, n int, m policy.Mechanism) {
	for ; n > 0 && d.err == nil; n-- {
		p := d.ledger.last(tenant, sm, running)
		if p == nil {
			return
		}
		d.departs(sm, p)
		p.state = relocating
		d.stats.Tenants[tenant].Relocations++
		d.orderSave(p, sm, m, false)
	}
}

// evict has a thread block leave for good. One that is being relocated does
// not come back.
func (d *Driver) evict(p *placement, sm int, m policy.Mechanism, halt bool) {
	d.stats.Tenants[p.kernel.Tenant].Preemptions++
	was := p.state
	d.departs(sm, p)
	d.ledger.leaves(p, sm)
	switch was {
	case running:
		d.orderSave(p, sm, m, halt)
	case moved:
		d.freeStranded(sm, p.kernel)
		// The policy is in the middle of its decision: it is told that the SM is
		// free at the next edge.
		d.emptied = append(d.emptied, sm)
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
	k := p.kernel
	p.mechanism, p.halt, p.fault = m, halt, p.state == switched
	o := &protocol.SaveTB{Serial: p.serial, Account: k.account, Demand: k.Demand, Halt: halt, Free: m != policy.Switch, Drop: m == policy.Flush}
	p.slot = -1
	if !o.Free {
		p.slot = k.contexts.take()
		o.Addr = k.contexts.address(p.slot)
	}
	d.post(sm, d.PreEngs[sm], o)
	d.notifyTB(d.listener.TBLeaving, p, sm, 0)
}

// receiveReports takes the reports of the preemption engines.
func (d *Driver) receiveReports() (moved bool) {
	for sm, port := range d.PreEngs {
		for d.receiveReport(sm, port) {
			moved = true
		}
	}
	return moved
}

func (d *Driver) receiveReport(sm int, port *components.Port) bool {
	switch r := port.Front().(type) {
	case nil:
		return false
	case *protocol.TBPreempted:
		d.preempted(sm, r)
	case *protocol.TBSaved:
		d.saved(sm, r.Serial)
	case *protocol.TBRestored:
		d.restored(sm, r)
	default:
		port.Unknown()
		return false
	}
	port.Pop()
	return true
}

// restored notes that a thread block's context has been loaded, if it is still
// on the SM.
func (d *Driver) restored(sm int, r *protocol.TBRestored) {
	p := d.ledger.find(sm, r.Serial)
	if p == nil {
		return
	}
	slot := d.ledger.loaded(p)
	loaded := slot >= 0
	if loaded {
		p.kernel.contexts.put(slot)
	}
	if d.switching != nil {
		d.switching.restored(sm, p)
	}
	t := p.kernel.Tenant
	d.stats.Tenants[t].RestoredBytes += uint64(r.Bytes)
	d.notifyTB(d.listener.TBRestored, p, sm, r.Bytes)
	if d.needs.Loads && loaded && d.ledger.view.Tenants[t].Loading == 0 {
		d.ask(policy.ContextsLoaded)
	}
}

// preempted notes that a thread block has left its SM.
func (d *Driver) preempted(sm int, r *protocol.TBPreempted) {
	p := d.ledger.find(sm, r.Serial)
	p.context, p.bytes = r.Context, r.Bytes
	stats := &d.stats.Tenants[p.kernel.Tenant]
	stats.ContextBytes += uint64(r.Bytes)
	if p.state == relocating {
		stats.RelocationBytes += uint64(r.Bytes)
	}
	d.notifyTB(d.listener.TBPreempted, p, sm, r.Bytes)
	if p.state == switched {
		d.switchedOff(sm, p)
		return
	}
	k := p.kernel
	if !d.ledger.off(p, sm) {
		return
	}
	if r.Dropped {
		if err := k.opened.(workload.Restarter).Restart(p.tb); err != nil {
			d.fail(err)
			return
		}
		d.saved(sm, r.Serial)
	}
	d.freeStranded(sm, k)
	d.ask(policy.TBPreempted)
	d.freed(sm)
}

// saved has a thread block whose context is in memory wait to be placed again,
// or come back to its SM.
func (d *Driver) saved(sm int, serial uint64) {
	if d.switching != nil && d.switchedIsSaved(sm, serial) {
		return
	}
	p, back := d.ledger.saved(sm, serial)
	if back {
		d.send(d.ledger.enter(p.kernel, sm, p.preemptedTB), sm)
		return
	}
	d.ask(policy.ContextSaved)
}

// freed ends an SM's reservation once it is empty.
func (d *Driver) freed(sm int) {
	if d.ledger.emptied(sm) {
		d.notifySM(d.listener.SMFreed, sm)
		d.ask(policy.SMFreed)
	}
}

// load sends a preempted thread block's context to an SM.
func (d *Driver) load(p *placement, sm int) {
	k := p.kernel
	o := &protocol.LoadTB{Serial: p.serial, TB: p.tb, Account: k.account, Launch: k.Launch, Code: k.Code, Demand: k.Demand,
		Context: p.context, Halt: p.halt, Free: p.slot < 0}
	if !o.Free {
		o.Addr = k.contexts.address(p.slot)
		d.ledger.loads(p)
	}
	d.post(sm, d.PreEngs[sm], o)
	d.notifyTB(d.listener.TBReturning, p, sm, p.bytes)
}
