package dispatcher

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
)

// Place sends the next thread block of a tenant's active kernel to an SM.
func (d *Driver) Place(tenant, sm int) {
	if d.err != nil {
		return
	}
	if !d.ledger.view.Fits(tenant, sm) {
		d.fail(fmt.Errorf("fault of the policy: a thread block of tenant %d is placed on SM %d, where none fits", tenant, sm))
		return
	}
	k := d.ledger.next[tenant]
	d.switching.takesSlot(sm, k)
	tb := preemptedTB{slot: -1}
	if k.preempted.len() > 0 {
		tb = k.preempted.pop()
	} else {
		tb.tb = d.blocks.Get()
		if err := k.opened.Next(tb.tb); err != nil {
			d.fail(err)
			return
		}
	}
	d.send(d.ledger.place(k, sm, tb), sm)
}

// send sends a thread block to the SM on which it has been placed.
func (d *Driver) send(p *placement, sm int) {
	k := p.kernel
	d.stats.Tenants[k.Tenant].TBsPlaced++
	d.arrives(sm, p)
	if p.context != nil {
		d.load(p, sm)
		return
	}
	m := d.placements.Get()
	*m = protocol.PlaceTB{TB: p.tb, Demand: k.Demand, Account: k.account, Launch: k.Launch, Code: k.Code, Serial: p.serial}
	d.post(sm, d.SMs[sm], m)
	d.notifyTB(d.listener.TBPlaced, p, sm, 0)
}

// post queues a message for an SM or its preemption engine.
func (d *Driver) post(sm int, port *components.Port, msg sim.Msg) {
	d.pending[sm] = append(d.pending[sm], outgoing{port, msg})
	d.queued++
}

// sendPending passes on one message a cycle for each SM.
func (d *Driver) sendPending() (moved bool) {
	if d.queued == 0 {
		return false
	}
	for i, list := range d.pending {
		if len(list) > 0 && list[0].port.Push(list[0].msg) {
			d.pending[i] = slices.Delete(list, 0, 1)
			d.queued--
			moved = true
		}
	}
	return moved
}
