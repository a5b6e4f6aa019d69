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
	if !d.view.Fits(tenant, sm) {
		d.fail(fmt.Errorf("fault of the policy: a thread block of tenant %d is placed on SM %d, where none fits", tenant, sm))
		return
	}
	k, v := d.ksrt[tenant], &d.view.Tenants[tenant]
	tb := preemptedTB{slot: -1}
	if k.preempted.len() > 0 {
		tb = k.preempted.pop()
		v.Preempted--
	} else {
		tb.tb = d.blocks.Get()
		if err := k.launch.Next(tb.tb); err != nil {
			d.fail(err)
			v.Waiting = 0
			return
		}
		k.issued++
	}
	s := &d.view.SMs[sm]
	s.Usage.Take(k.demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(k.demand)
	v.Waiting--
	v.Running++
	d.send(tenant, sm, tb)
}

// send sends a thread block to an SM that has set aside what it takes.
func (d *Driver) send(tenant, sm int, tb preemptedTB) {
	k := d.ksrt[tenant]
	p := placement{preemptedTB: tb, serial: d.nextSerial, tenant: tenant, loading: -1}
	d.nextSerial++
	d.stats.Tenants[tenant].TBsPlaced++
	if tb.context != nil {
		d.load(&p, sm)
	} else {
		m := d.placements.Get()
		*m = protocol.PlaceTB{TB: tb.tb, Demand: k.demand, Tenant: id(tenant), Launch: k.number, Serial: p.serial}
		d.post(sm, d.SMs[sm], m)
		d.notifyTB(d.listener.TBPlaced, &p, sm, 0)
	}
	d.smst[sm].placements = append(d.smst[sm].placements, p)
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
