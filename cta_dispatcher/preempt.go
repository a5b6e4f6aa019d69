package dispatcher

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
	"cotenant/workload"
)

// Preempt tells the last placed n of a tenant's thread blocks to leave an SM. Place,
// Preempt, PreemptSM, Relocate, Send and Window make Driver a policy.Actions.
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
	// Thread blocks that are to come back to the SM anyway go first.
	for _, states := range [][]tbtable.State{moving, relocating, staying} {
		for ; n > 0; n-- {
			b := d.blocks.Last(tenant, sm, states...)
			if b == nil {
				break
			}
			d.evict(b, m, false)
		}
	}
}

// The states of thread blocks that can be told to leave.
var (
	moving     = []tbtable.State{tbtable.Moving}
	relocating = []tbtable.State{tbtable.Relocating, tbtable.RelocatingRestoring}
	staying    = []tbtable.State{tbtable.Running, tbtable.Restoring, tbtable.Blocked}
)

// PreemptSM reserves an SM and tells all its thread blocks to leave.
func (d *Driver) PreemptSM(sm int, m policy.Mechanism) {
	if d.err != nil {
		return
	}
	if s := &d.ledger.view.SMs[sm]; s.Reserved || s.Usage.TBs == 0 {
		d.fail(fmt.Errorf("fault of the policy: SM %d, which is reserved or empty, is to be preempted", sm))
		return
	}
	d.ledger.reserve(sm, m)
	for _, k := range d.ledger.kernels {
		d.blocks.TakeSM(sm, k)
	}
	d.stats.SMPreemptions++
	d.notifySM(d.listener.SMReserved, sm)
	if m == policy.Drain {
		return
	}
	for _, b := range d.blocks.On(sm) {
		if _, ok := b.State().After(tbtable.Evict); ok {
			d.evict(b, m, m == policy.Switch)
		}
	}
}

// Relocate tells the last placed n of a tenant's thread blocks to leave an SM and to come
// back to it.
func (d *Driver) Relocate(tenant, sm, n int, m policy.Mechanism) {
	for ; n > 0 && d.err == nil; n-- {
		b := d.blocks.Last(tenant, sm, staying...)
		if b == nil {
			return
		}
		if d.keepsTogether(b) {
			return
		}
		d.blocks.Move(b, tbtable.Relocate)
		d.stats.Tenants[tenant].Relocations++
		d.orderSave(b, m, false, false)
	}
}

// evict tells a thread block to leave for good. A relocated thread block then does not
// come back.
func (d *Driver) evict(b *tbtable.Entry, m policy.Mechanism, halt bool) {
	if d.keepsTogether(b) {
		return
	}
	d.stats.Tenants[b.Kernel.Tenant].Preemptions++
	was := b.State()
	d.blocks.Move(b, tbtable.Evict)
	switch {
	case slices.Contains(staying, was):
		d.orderSave(b, m, halt, false)
	case was == tbtable.Moving:
		d.blocks.Strand(b.SM, b.Kernel)
		// The policy is in the middle of its decision, so it learns at the next edge that
		// the SM is free.
		d.emptied = append(d.emptied, b.SM)
	}
}

// freeEmptied ends the reservations of SMs that became empty without a report.
func (d *Driver) freeEmptied() (moved bool) {
	for len(d.emptied) > 0 {
		sm := d.emptied[0]
		d.emptied = slices.Delete(d.emptied, 0, 1)
		d.freed(sm)
		moved = true
	}
	return moved
}

// orderSave orders the SM's preemption engine to take a thread block off.
func (d *Driver) orderSave(b *tbtable.Entry, m policy.Mechanism, halt, fault bool) {
	k := b.Kernel
	d.blocks.Order(b, m)
	b.Halt, b.Fault = halt, fault
	o := &protocol.SaveTB{Serial: b.Serial, Account: k.Account, Demand: k.Demand, Halt: halt, Free: m != policy.Switch, Drop: m == policy.Flush}
	if addr, ok := b.Addr(); ok {
		o.Addr = addr
	}
	d.post(b.SM, d.PreEngs[b.SM], o)
	d.notifyTB(d.listener.TBLeaving, b, 0)
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

// restored notes that the engine has loaded a thread block's context. The thread block
// may have finished since.
func (d *Driver) restored(sm int, r *protocol.TBRestored) {
	b := d.blocks.Find(sm, r.Serial)
	if b == nil {
		return
	}
	d.stats.Tenants[b.Kernel.Tenant].RestoredBytes += uint64(r.Bytes)
	d.notifyTB(d.listener.TBRestored, b, r.Bytes)
	d.loaded(b)
}

// loaded notes that a thread block's context is on the SM, if it was on the way there.
func (d *Driver) loaded(b *tbtable.Entry) {
	if !b.State().Loading() {
		return
	}
	d.blocks.Move(b, tbtable.Restored)
	if d.needs.Loads && d.ledger.view.Tenants[b.Kernel.Tenant].Loading == 0 {
		d.ask(policy.ContextsLoaded)
	}
}

// preempted notes that a thread block has left its SM.
func (d *Driver) preempted(sm int, r *protocol.TBPreempted) {
	b := d.blocks.Find(sm, r.Serial)
	k := b.Kernel
	b.Context, b.Bytes = r.Context, r.Bytes
	stats := &d.stats.Tenants[k.Tenant]
	stats.ContextBytes += uint64(r.Bytes)
	if b.State() == tbtable.Relocating {
		stats.RelocationBytes += uint64(r.Bytes)
	}
	d.notifyTB(d.listener.TBPreempted, b, r.Bytes)
	d.blocks.Move(b, tbtable.Left)
	switch b.State() {
	case tbtable.Moving:
		return
	case tbtable.Saving:
		if r.Dropped {
			if err := k.Opened.(workload.Restarter).Restart(b.TB); err != nil {
				d.fail(err)
				return
			}
			d.saved(sm, r.Serial)
		}
	default:
		d.stats.OffChipMax = max(d.stats.OffChipMax, uint64(d.blocks.OffChip(sm, k)))
		d.switchTBs(sm, k)
	}
	d.blocks.Strand(sm, k)
	d.ask(policy.TBPreempted)
	d.freed(sm)
}

// saved lets a thread block go on once its context is in memory: back to its room on the
// SM, into its kernel's queue, or to a vacant slot when its faults are served.
func (d *Driver) saved(sm int, serial uint64) {
	b := d.blocks.Find(sm, serial)
	if b.State() == tbtable.Moving {
		d.send(b, sm)
		return
	}
	d.blocks.Move(b, tbtable.Saved)
	switch b.State() {
	case tbtable.Preempted:
		d.ask(policy.ContextSaved)
	case tbtable.Ready:
		d.refill(sm, b.Kernel)
	}
}

// freed ends the reservation of an SM that is empty.
func (d *Driver) freed(sm int) {
	if d.ledger.emptied(sm) {
		d.notifySM(d.listener.SMFreed, sm)
		d.ask(policy.SMFreed)
	}
}
