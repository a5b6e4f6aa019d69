package dispatcher

import (
	"fmt"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// receiveHost takes all messages of the host's command dispatcher at once: kernels that
// arrive at one edge are one event to the policy.
func (d *Driver) receiveHost() (moved bool) {
	arrived, left := false, false
	for d.err == nil {
		switch m := d.Host.Front().(type) {
		case *protocol.Process:
			left = d.process(m) || left
		case *protocol.Launch:
			arrived = d.startKernel(m) || arrived
		default:
			d.Host.Unknown()
			switch {
			case arrived:
				d.ask(policy.KernelArrived)
			case left:
				d.ask(policy.KernelFinished)
			}
			return moved
		}
		d.Host.Pop()
		moved = true
	}
	return moved
}

// process notes that a process has come or gone and reports whether it has gone.
func (d *Driver) process(m *protocol.Process) (left bool) {
	d.ledger.presence(d.cycle, int(m.Tenant), m.Present, m.Attributes)
	return !m.Present
}

// startKernel makes a kernel active and reports whether it could be opened.
func (d *Driver) startKernel(m *protocol.Launch) bool {
	tenant, kernel := int(m.Tenant), m.Kernel
	if err := d.spec.launchable(d.sms, d.names[tenant], kernel); err != nil {
		d.fail(err)
		return false
	}
	err := d.clusters(kernel)
	if err != nil {
		d.fail(err)
		return false
	}
	opened, err := kernel.Source.Open()
	if err != nil {
		d.fail(err)
		return false
	}
	stats := &d.stats.Tenants[tenant]
	sms := policy.Range{} // all
	if d.bounds != nil {
		sms = d.bounds[tenant]
	}
	_, restarts := opened.(workload.Restarter)
	k := &tbtable.Kernel{Shape: kernel, Opened: opened, Tag: m.Tag, Account: d.ledger.account(m.Tenant), Record: -1,
		Kernel: policy.Kernel{Tenant: tenant, SMs: sms, Launch: stats.LaunchesStarted, Code: d.code(m), Run: m.Run, Priority: kernel.Priority, Demand: DemandOf(kernel), ClusterTBs: max(kernel.ClusterTBs, 1), Idempotent: kernel.Idempotent && restarts && kernel.ClusterTBs <= 1, Waiting: kernel.TBs()}}
	stats.LaunchesStarted++
	if m.Run == 0 {
		k.Record = len(stats.Launches)
		stats.Launches = append(stats.Launches, LaunchRecord{Kernel: kernel.Name, Stream: kernel.Stream, TBs: kernel.TBs(), Start: d.cycle})
	}
	d.ledger.start(k)
	d.blocks.Begin(k, d.contextBytes(k.Demand))
	if d.listener.KernelStarted != nil {
		d.listener.KernelStarted(d.kernelEvent(k))
	}
	return true
}

// code names the code of a tenant's kernel.
type code struct {
	tenant tenant.ID
	kernel string
}

// code numbers the code of a launch.
func (d *Driver) code(m *protocol.Launch) uint32 {
	c := code{m.Tenant, m.Kernel.Name}
	n, known := d.codes[c]
	if !known {
		n = uint32(len(d.codes))
		d.codes[c] = n
	}
	return n
}

// answer tells the host which kernels have finished.
func (d *Driver) answer() (moved bool) {
	for len(d.answers) > 0 && d.Host.Push(d.answers[0]) {
		d.answers = d.answers[:copy(d.answers, d.answers[1:])]
		moved = true
	}
	return moved
}

// Check returns an error if a kernel of an application has no thread blocks, exceeds the
// limits of a launch, or has thread blocks that fit on no SM.
func (s *Spec) Check(sms []SM, app *workload.App) error {
	for _, k := range app.Kernels() {
		if err := s.launchable(sms, app.Name, k); err != nil {
			return err
		}
	}
	return nil
}

// launchable is Check for one launch.
func (s *Spec) launchable(sms []SM, app string, k *workload.Kernel) error {
	err := s.check(k)
	if k.TBs() < 1 {
		err = fmt.Errorf("grid %s has no thread block", k.Grid)
	}
	if err == nil {
		err = fits(sms, DemandOf(k))
	}
	if err == nil && k.ClusterTBs > 1 {
		err = fitsCluster(sms, k)
	}
	if err == nil {
		return nil
	}
	if k.Origin != "" {
		app = k.Origin
	}
	return fmt.Errorf("%s: kernel %s: %w", app, k.Name, err)
}

// fits returns an error if a thread block fits on no SM. The error names the resource
// that is short on the SM with the smallest shortage.
func fits(sms []SM, d occupancy.Demand) (nearest error) {
	least := 0.0
	for i := range sms {
		c := &sms[i].Capacity
		err := c.Check(d)
		if err == nil {
			return nil
		}
		if excess := c.Excess(d); nearest == nil || excess < least {
			least, nearest = excess, err
		}
	}
	return nearest
}

// DemandOf gives the resources that a thread block of a kernel takes on an SM.
func DemandOf(k *workload.Kernel) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: k.ThreadsPerTB(), Warps: k.WarpsPerTB(),
		Registers: k.RegistersPerTB, SharedBytes: k.SharedBytesPerTB}
}

// KernelNames are the names of the kernels of all tenants, by protocol.PlaceTB.Code.
func (d *Driver) KernelNames() []string {
	names := make([]string, len(d.codes))
	for c, n := range d.codes {
		names[n] = c.kernel
	}
	return names
}
