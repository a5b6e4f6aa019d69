package dispatcher

import (
	"slices"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// Driver is the SM driver. It has a port for the host and two for each SM.
type Driver struct {
	components.Module

	// Host is the port to the host's command dispatcher: protocol.Process and
	// protocol.Launch in, protocol.KernelDone out.
	Host *components.Port
	// SMs are the ports to the SMs, by number: protocol.PlaceTB,
	// protocol.SetQuotas and protocol.Sample out, protocol.TBFinished and
	// protocol.Window in.
	SMs []*components.Port
	// PreEngs are the ports to the SMs' preemption engines, by number: protocol.SaveTB
	// and protocol.LoadTB out, protocol.TBPreempted, protocol.ContextSaved and
	// protocol.TBRestored in.
	PreEngs []*components.Port

	policy     policy.Policy
	listener   Listener
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	// contextBytes is the size of a thread block's context.
	contextBytes func(occupancy.Demand) int
	capacities   []occupancy.Capacity
	names        []string        // of the applications, by tenant, for messages
	arrivals     int             // of processes
	answers      []tenant.ID     // tenants whose kernel has finished, for the host
	ksrt         []*kernelStatus // by tenant; nil while it has no active kernel
	smst         []smStatus      // by SM
	view         policy.View     // holds the active queue, and what policies see of the tables
	pending      [][]outgoing    // by SM
	queued       int             // messages in pending
	blocks       components.Pool[workload.TB]
	nextSerial   uint64
	emptied      []int // SMs whose last thread block has left without a report
	epoch        epoch
	cycle        uint64
	stats        Stats
	err          error
}

// outgoing is a message that waits for its turn: one a cycle goes out for each
// SM, in order.
type outgoing struct {
	port *components.Port
	msg  sim.Msg
}

// Tick is one edge of the core clock.
func (d *Driver) Tick(cycle uint64) bool {
	if d.err != nil {
		return false
	}
	d.cycle = cycle
	moved := d.receive()
	moved = d.freeEmptied() || moved
	moved = d.receiveReports() || moved
	moved = d.receiveHost() || moved
	moved = d.endEpoch() || moved
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
		case *protocol.Window:
			port.Pop()
			d.sampled(r)
		default:
			continue
		}
		moved = true
	}
	return moved
}

func (d *Driver) finished(r *protocol.TBFinished) {
	tenant := int(r.Tenant)
	k, s := d.ksrt[tenant], &d.smst[r.SM]
	i := s.find(r.Serial)
	p := &s.placements[i]
	if p.state == leaving {
		d.view.SMs[r.SM].Leaving[tenant]--
	}
	d.leave(p, r.SM)
	d.notifyTB(d.listener.TBFinished, p, r.SM, 0)
	s.placements = slices.Delete(s.placements, i, i+1)
	k.done++
	d.stats.Tenants[tenant].TBsCompleted++
	k.launch.Recycle(r.TB)
	d.blocks.Put(r.TB)
	if k.done < k.kernel.TBs() {
		d.ask(policy.TBFinished)
		return
	}
	d.kernelFinished(tenant)
}

// kernelFinished retires a tenant's active kernel.
func (d *Driver) kernelFinished(tenant int) {
	k, stats := d.ksrt[tenant], &d.stats.Tenants[tenant]
	if err := k.launch.Close(); err != nil {
		d.fail(err)
		return
	}
	stats.LaunchesCompleted++
	if k.recorded {
		stats.Launches[len(stats.Launches)-1].End = d.cycle
	}
	if d.listener.KernelFinished != nil {
		d.listener.KernelFinished(d.kernelEvent(tenant))
	}
	d.ksrt[tenant] = nil
	d.view.Active = slices.DeleteFunc(d.view.Active, func(a int) bool { return a == tenant })
	d.view.Tenants[tenant].Demand = occupancy.Demand{}
	d.answers = append(d.answers, id(tenant))
	d.ask(policy.KernelFinished)
}

// ask lets the policy act on an event.
func (d *Driver) ask(event policy.Event) {
	d.view.Event = event
	d.stats.PolicyCalls++
	d.policy.Decide(&d.view, d)
}

// fail ends the simulation with an error of the input.
func (d *Driver) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	for i := range d.view.Tenants {
		d.view.Tenants[i].Waiting = 0
	}
	d.Domain().Engine().Stop()
}

// Err is the error that ended the simulation, nil if none did.
func (d *Driver) Err() error { return d.err }

// Stats returns the driver's counters.
func (d *Driver) Stats() *Stats { return &d.stats }

// Close releases the files of kernels that are still active.
func (d *Driver) Close() {
	for _, k := range d.ksrt {
		if k != nil {
			// What is unread of a kernel that was cut off is no error.
			_ = k.launch.Close()
		}
	}
}
