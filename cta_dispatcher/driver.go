package dispatcher

import (
	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// Driver is the SM driver. It has a port to the host, two to each SM and one to each
// other unit.
type Driver struct {
	components.Module

	// Host is the port to the host's command dispatcher: protocol.Process and
	// protocol.Launch in, protocol.KernelDone out.
	Host *components.Port
	// SMs are the ports to the SMs, by number: protocol.PlaceTB, protocol.Control and
	// protocol.Sample out, protocol.TBFinished, protocol.TBBlocked and protocol.Sampled in.
	// Port gives the ports to other units.
	SMs []*components.Port
	// PreEngs are the ports to the SMs' preemption engines, by number: protocol.SaveTB
	// and protocol.LoadTB out, protocol.TBPreempted, protocol.TBSaved and
	// protocol.TBRestored in.
	PreEngs []*components.Port

	spec       Spec
	policy     policy.Policy
	listener   Listener
	needs      policy.Needs // of the policy
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	// contextBytes is the size of a thread block's context.
	contextBytes func(occupancy.Demand) int
	sms          []SM
	names        []string               // of the applications, by tenant
	bounds       []policy.Range         // by tenant; nil: all SMs
	answers      []*protocol.KernelDone // for the host
	ledger       ledger
	blocks       *tbtable.Table
	codes        map[code]uint32 // numbers of kernels, from 0
	pending      [][]outgoing    // by unit; an SM's list includes the messages to its preemption engine
	queued       int             // messages in pending
	nextTB       []uint64        // cycle from which a further new thread block can leave, by the first SM of its bounds
	tbs          components.Pool[workload.TB]
	emptied      []int     // SMs that became empty without a report
	units        []unit    // the SMs, then the units of WithUnits
	windows      []*window // open
	opened       uint64    // windows of the policy so far
	cycle        uint64
	stats        Stats
	err          error
}

// outgoing is a message that waits for its turn. Each unit gets one message a cycle, in
// order.
type outgoing struct {
	port *components.Port
	msg  sim.Msg
	from uint64 // cycle from which it can pass
}

// Tick is one edge of the core clock.
func (d *Driver) Tick(cycle uint64) bool {
	if d.err != nil {
		return false
	}
	d.cycle = cycle
	moved := d.receive()
	moved = d.freeEmptied() || moved
	moved = d.askRecalled() || moved
	moved = d.receiveReports() || moved
	moved = d.receiveSamples() || moved
	moved = d.receiveHost() || moved
	moved = d.endWindows() || moved
	moved = d.answer() || moved
	moved = d.sendPending() || moved
	return moved
}

// receive takes one report of each SM.
func (d *Driver) receive() (moved bool) {
	for sm, port := range d.SMs {
		switch r := port.Front().(type) {
		case *protocol.TBFinished:
			port.Pop()
			d.finished(r)
			d.reports.Put(r)
			d.freed(sm)
		case *protocol.Sampled:
			port.Pop()
			d.sampled(sm, r)
		case *protocol.TBBlocked:
			port.Pop()
			d.blocked(sm, r)
		default:
			port.Unknown()
			continue
		}
		moved = true
	}
	return moved
}

func (d *Driver) finished(r *protocol.TBFinished) {
	b := d.blocks.Find(r.SM, r.Serial)
	k := b.Kernel
	d.blocks.Move(b, tbtable.Finish)
	d.notifyTB(d.listener.TBFinished, b, 0)
	d.stats.Tenants[k.Tenant].TBsCompleted++
	k.Opened.Recycle(r.TB)
	d.tbs.Put(r.TB)
	if k.Done < k.Shape.TBs() {
		d.refill(r.SM, k)
		d.ask(policy.TBFinished)
		return
	}
	d.kernelFinished(k)
}

// kernelFinished retires an active kernel.
func (d *Driver) kernelFinished(k *tbtable.Kernel) {
	stats := &d.stats.Tenants[k.Tenant]
	if err := k.Opened.Close(); err != nil {
		d.fail(err)
		return
	}
	stats.LaunchesCompleted++
	if k.Record >= 0 {
		stats.Launches[k.Record].End = d.cycle
	}
	if d.listener.KernelFinished != nil {
		d.listener.KernelFinished(d.kernelEvent(k))
	}
	d.ledger.retire(k)
	d.answers = append(d.answers, &protocol.KernelDone{Tenant: tenant.ID(k.Tenant), Tag: k.Tag})
	d.ask(policy.KernelFinished)
}

// ask lets the policy act on an event. It asks again whenever the policy has placed the
// last thread block of a kernel and the tenant has another kernel that waits.
func (d *Driver) ask(event policy.Event) {
	d.ledger.turn()
	for more := true; more; more = d.ledger.turn() {
		d.ledger.view.Event = event
		d.stats.PolicyCalls++
		d.policy.Decide(&d.ledger.view, d)
		if (event == policy.Epoch || event == policy.WindowEnded) && d.listener.Registers != nil && d.needs.Registers != nil {
			d.listener.Registers(d.cycle, d.needs.Registers())
		}
		event = policy.KernelArrived
	}
}

// fail ends the simulation with an error of the input or of the policy.
func (d *Driver) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.ledger.stop()
	d.Domain().Engine().Stop()
}

// Err is the error that ended the simulation, nil if none did.
func (d *Driver) Err() error { return d.err }

// Stats returns the driver's counters.
func (d *Driver) Stats() *Stats { return &d.stats }

// Blocks is the thread block table.
func (d *Driver) Blocks() *tbtable.Table { return d.blocks }

// Kernels lists the active kernels in the order in which they arrived.
func (d *Driver) Kernels() []*tbtable.Kernel { return d.ledger.kernels }

// Active lists a tenant's active kernels in the order in which they arrived.
func (d *Driver) Active(number int) (list []*tbtable.Kernel) {
	for _, k := range d.ledger.kernels {
		if k.Tenant == number {
			list = append(list, k)
		}
	}
	return list
}

// Close releases the files of kernels that are still active.
func (d *Driver) Close() {
	for _, k := range d.ledger.kernels {
		// The kernel was cut off, so unread input is no error.
		_ = k.Opened.Close()
	}
}
