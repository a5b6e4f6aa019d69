package dispatcher

import (
	"fmt"
	"math"
	"slices"

	"cotenant/components"
	"cotenant/cta_dispatcher/tbtable"
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
	if d.ledger.next[tenant].ClusterTBs > 1 {
		d.placeCluster(tenant, sm)
		return
	}
	d.place(tenant, sm)
}

// place sends the next thread block to an SM.
func (d *Driver) place(tenant, sm int) {
	k := d.ledger.next[tenant]
	b := d.blocks.First(k)
	if b.TB == nil {
		b.TB = d.tbs.Get()
		if err := k.Opened.Next(b.TB); err != nil {
			d.fail(err)
			return
		}
		b.TB.Window = nil
		if asks := k.Shape.L2; asks != nil && asks.Bytes > 0 {
			b.TB.Window = &asks.Window
		}
	}
	d.send(b, sm)
}

// send places a thread block on an SM and sends it there.
func (d *Driver) send(b *tbtable.Entry, sm int) {
	k := b.Kernel
	d.stats.Tenants[k.Tenant].TBsPlaced++
	d.blocks.Place(b, sm)
	if b.Context != nil {
		d.load(b)
		return
	}
	m := d.placements.Get()
	*m = protocol.PlaceTB{TB: b.TB, Demand: k.Demand, Account: k.Account, Launch: k.Launch, Code: k.Code, Serial: b.Serial}
	d.postFrom(d.turn(k.SMs.First), sm, d.SMs[sm], m)
	d.notifyTB(d.listener.TBPlaced, b, 0)
}

// load sends a preempted thread block's context to its SM.
func (d *Driver) load(b *tbtable.Entry) {
	k := b.Kernel
	o := &protocol.LoadTB{Serial: b.Serial, TB: b.TB, Account: k.Account, Launch: k.Launch, Code: k.Code, Demand: k.Demand,
		Context: b.Context, Halt: b.Halt, Free: true}
	if addr, ok := b.Addr(); ok {
		o.Addr, o.Free = addr, false
	}
	d.post(b.SM, d.PreEngs[b.SM], o)
	d.notifyTB(d.listener.TBReturning, b, b.Bytes)
}

// turn is the cycle at which the next new thread block has come to its SM, one of those from an SM on.
func (d *Driver) turn(first int) (there uint64) {
	leaves := max(d.cycle, d.nextTB[first])
	d.nextTB[first] = leaves + uint64(d.spec.TBInterval)
	return leaves + uint64(d.spec.TBLatency)
}

// post queues a message for an SM or its preemption engine.
func (d *Driver) post(sm int, port *components.Port, msg sim.Msg) { d.postFrom(d.cycle, sm, port, msg) }

// postFrom is post for a message that passes at a cycle or later.
func (d *Driver) postFrom(cycle uint64, sm int, port *components.Port, msg sim.Msg) {
	d.pending[sm] = append(d.pending[sm], outgoing{port, msg, cycle})
	d.queued++
}

// sendPending passes on one message a cycle for each unit.
func (d *Driver) sendPending() (moved bool) {
	if d.queued == 0 {
		return false
	}
	next := uint64(math.MaxUint64) // cycle at which a message can pass that could not now
	for i, list := range d.pending {
		switch {
		case len(list) == 0:
		case list[0].from > d.cycle:
			next = min(next, list[0].from)
		case list[0].port.Push(list[0].msg):
			d.pending[i] = slices.Delete(list, 0, 1)
			d.queued--
			moved = true
		}
	}
	if next != math.MaxUint64 {
		d.WakeAt(next)
	}
	return moved
}
