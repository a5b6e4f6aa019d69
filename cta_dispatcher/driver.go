package dispatcher

import (
	"slices"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/report"
	"cotenant/sm/command"
	"cotenant/workload"
)

// Driver is the SM driver. It has one port for each SM.
type Driver struct {
	components.Module

	// SMs are the ports to the SMs, by number: command.PlaceTB out,
	// report.TBFinished in.
	SMs []*components.Port

	spec       Spec
	policy     policy.Policy
	placements *components.Pool[command.PlaceTB]
	reports    *components.Pool[report.TBFinished]
	tenants    []tenantState
	ksrt       []*kernelStatus // by tenant; nil while it has no active kernel
	view       policy.View     // holds the SMST and the active queue
	pending    [][]*command.PlaceTB
	queued     int // messages in pending
	blocks     components.Pool[workload.TB]
	cycle      uint64
	stats      Stats
	err        error
}

// Tick is one edge of the core clock.
func (d *Driver) Tick(cycle uint64) bool {
	if d.err != nil {
		return false
	}
	d.cycle = cycle
	moved := d.receive()
	moved = d.startKernels() || moved
	moved = d.send() || moved
	return moved
}

// receive takes the reports of finished thread blocks.
func (d *Driver) receive() (moved bool) {
	for _, port := range d.SMs {
		r, ok := port.Front().(*report.TBFinished)
		if !ok {
			continue
		}
		port.Pop()
		d.finished(r)
		d.reports.Put(r)
		moved = true
	}
	return moved
}

func (d *Driver) finished(r *report.TBFinished) {
	tenant := int(r.Kernel)
	k := d.ksrt[tenant]
	s := &d.view.SMs[r.SM]
	s.Usage.Release(k.demand)
	s.TBs[tenant]--
	s.Tenants[tenant] = s.Tenants[tenant].Sub(k.demand)
	d.view.Tenants[tenant].Running--
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

// kernelFinished retires a tenant's active kernel and moves its application on.
func (d *Driver) kernelFinished(tenant int) {
	k, t, stats := d.ksrt[tenant], &d.tenants[tenant], &d.stats.Tenants[tenant]
	if err := k.launch.Close(); err != nil {
		d.fail(err)
		return
	}
	stats.LaunchesCompleted++
	if t.firstRun {
		stats.Launches[len(stats.Launches)-1].End = d.cycle
	}
	d.ksrt[tenant] = nil
	d.view.Active = slices.DeleteFunc(d.view.Active, func(a int) bool { return a == tenant })
	d.view.Tenants[tenant].Demand = occupancy.Demand{}
	t.wakeAt = d.cycle + uint64(d.spec.LaunchLatency)
	var err error
	if t.kernel, err = t.nextKernel(); err != nil {
		d.fail(err)
		return
	}
	if t.kernel == nil {
		d.appFinished(t, stats)
	}
	d.view.Tenants[tenant].Present = !t.ended
	d.ask(policy.KernelFinished)
}

func (d *Driver) appFinished(t *tenantState, stats *TenantStats) {
	stats.Completions++
	if t.firstRun {
		stats.FirstCompletion = d.cycle + 1
		t.firstRun = false
	}
	t.ended = !t.Restart
	if d.Done() {
		d.Domain().Engine().Stop()
	}
}

// startKernels makes the next kernel of each tenant active that has none and
// whose time has come.
func (d *Driver) startKernels() (moved bool) {
	for i := range d.tenants {
		t := &d.tenants[i]
		if t.ended || d.ksrt[i] != nil || d.err != nil {
			continue
		}
		if t.wakeAt > d.cycle {
			d.WakeAt(t.wakeAt)
			continue
		}
		moved = true
		if t.kernel == nil {
			if err := t.begin(); err != nil {
				d.fail(err)
				continue
			}
		}
		d.startKernel(i, t.kernel)
	}
	return moved
}

func (d *Driver) startKernel(tenant int, kernel *workload.Kernel) {
	t, stats := &d.tenants[tenant], &d.stats.Tenants[tenant]
	if err := d.check(t.App.Name, kernel); err != nil {
		d.fail(err)
		return
	}
	launch, err := kernel.Source.Open()
	if err != nil {
		d.fail(err)
		return
	}
	k := &kernelStatus{kernel: kernel, launch: launch, number: t.launches, demand: DemandOf(kernel)}
	t.launches++
	stats.LaunchesStarted++
	if t.firstRun {
		stats.Launches = append(stats.Launches, LaunchRecord{Kernel: kernel.Name, TBs: kernel.TBs(), Start: d.cycle})
	}
	d.ksrt[tenant] = k
	d.view.Active = append(d.view.Active, tenant)
	d.view.Tenants[tenant].Demand = k.demand
	d.view.Tenants[tenant].Waiting = k.waiting()
	d.ask(policy.KernelArrived)
}

// ask lets the policy act on an event.
func (d *Driver) ask(event policy.Event) {
	d.view.Event = event
	d.stats.PolicyCalls++
	d.policy.Decide(&d.view, d)
}

// Place queues the next thread block of a tenant's active kernel for an SM; it
// makes Driver a policy.Placer.
func (d *Driver) Place(tenant, sm int) {
	if d.err != nil {
		return
	}
	k := d.ksrt[tenant]
	var tb *workload.TB
	if k.preempted.len() > 0 {
		tb = k.preempted.pop().tb
	} else {
		tb = d.blocks.Get()
		if err := k.launch.Next(tb); err != nil {
			d.fail(err)
			d.view.Tenants[tenant].Waiting = 0
			return
		}
		k.issued++
	}
	s, v := &d.view.SMs[sm], &d.view.Tenants[tenant]
	s.Usage.Take(k.demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(k.demand)
	v.Waiting--
	v.Running++
	d.stats.Tenants[tenant].TBsPlaced++
	m := d.placements.Get()
	*m = command.PlaceTB{TB: tb, Demand: k.demand, Kernel: uint8(tenant), Launch: k.number}
	d.pending[sm] = append(d.pending[sm], m)
	d.queued++
}

// send passes one thread block a cycle to each SM that waits for one.
func (d *Driver) send() (moved bool) {
	if d.queued == 0 {
		return false
	}
	for i, list := range d.pending {
		if len(list) > 0 && d.SMs[i].Push(list[0]) {
			d.pending[i] = list[:copy(list, list[1:])]
			d.queued--
			moved = true
		}
	}
	return moved
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

// Done reports whether every application has ended; one that restarts never
// has.
func (d *Driver) Done() bool {
	return !slices.ContainsFunc(d.tenants, func(t tenantState) bool { return !t.ended })
}

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

// Progress is the share of all thread blocks that have finished, over every
// application's launches, from 0 to 1.
func (d *Driver) Progress() float64 {
	done, total := 0, 0
	for i := range d.tenants {
		for _, k := range d.tenants[i].App.Kernels() {
			total += k.TBs()
		}
		done += int(d.stats.Tenants[i].TBsCompleted)
	}
	return min(1, float64(done)/float64(total))
}
