package dispatcher

import (
	"fmt"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/report"
	"cotenant/mem"
	"cotenant/sm/command"
	"cotenant/workload"
)

// Spec holds the parameters of the SM driver.
type Spec struct {
	// LaunchLatency is the time from the end of an application's kernel to the
	// start of its next one, in core cycles, 0 to 1,000,000.
	LaunchLatency int `yaml:"launch_latency"`
}

const maxLaunchLatency = 1_000_000

// Validate reports the first field that is out of range, by its path.
func (s *Spec) Validate() error {
	if s.LaunchLatency < 0 || s.LaunchLatency > maxLaunchLatency {
		return fmt.Errorf("launch_latency is %d cycles, must be 0 to %d", s.LaunchLatency, maxLaunchLatency)
	}
	return nil
}

// Builder makes SM drivers.
type Builder struct {
	spec       Spec
	domain     *components.Domain
	policy     policy.Policy
	capacities []occupancy.Capacity
	tenants    []Tenant
	placements *components.Pool[command.PlaceTB]
	reports    *components.Pool[report.TBFinished]
}

// WithSpec sets the driver's parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithPolicy sets the sharing policy.
func (b Builder) WithPolicy(p policy.Policy) Builder { b.policy = p; return b }

// WithSMs sets the capacity of each SM, by number.
func (b Builder) WithSMs(capacities []occupancy.Capacity) Builder {
	b.capacities = capacities
	return b
}

// WithTenants sets the applications, by tenant number.
func (b Builder) WithTenants(tenants []Tenant) Builder { b.tenants = tenants; return b }

// WithMessages sets the pools of the messages to and from the SMs.
func (b Builder) WithMessages(placements *components.Pool[command.PlaceTB], reports *components.Pool[report.TBFinished]) Builder {
	b.placements, b.reports = placements, reports
	return b
}

// Build makes an SM driver and schedules its first tick. It returns an error
// if a parameter is out of range, or a thread block fits on no SM.
func (b Builder) Build(name string) (*Driver, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b.tenants) == 0 || len(b.tenants) > mem.MaxTenants {
		return nil, fmt.Errorf("%d applications, must be 1 to %d", len(b.tenants), mem.MaxTenants)
	}
	d := &Driver{spec: b.spec, policy: b.policy, placements: b.placements, reports: b.reports,
		ksrt: make([]*kernelStatus, len(b.tenants)), pending: make([][]*command.PlaceTB, len(b.capacities))}
	d.Init(name, b.domain, d)
	d.view.Tenants = make([]policy.Tenant, len(b.tenants))
	for i := range b.capacities {
		d.view.SMs = append(d.view.SMs, policy.SM{Capacity: &b.capacities[i],
			TBs: make([]int, len(b.tenants)), Tenants: make([]occupancy.Demand, len(b.tenants))})
		d.SMs = append(d.SMs, d.NewPort(fmt.Sprintf("SM[%d]", i), 4))
	}
	for i, t := range b.tenants {
		d.tenants = append(d.tenants, tenantState{Tenant: t, firstRun: true})
		d.view.Tenants[i].Present, d.view.Tenants[i].Arrival = true, i
		if len(t.App.Kernels()) == 0 {
			return nil, fmt.Errorf("%s: the application launches no kernel", t.App.Name)
		}
		for _, k := range t.App.Kernels() {
			if err := d.check(t.App.Name, k); err != nil {
				return nil, err
			}
		}
	}
	d.Start()
	return d, nil
}

// check makes sure that a kernel of an application has a thread block, and that
// it fits on every SM.
func (d *Driver) check(app string, k *workload.Kernel) error {
	if k.TBs() < 1 {
		return fmt.Errorf("%s: kernel %s: grid %s has no thread block", app, k.Name, k.Grid)
	}
	for i := range d.view.SMs {
		if err := d.view.SMs[i].Capacity.Check(DemandOf(k)); err != nil {
			if k.Origin != "" {
				app = k.Origin
			}
			return fmt.Errorf("%s: kernel %s: %w", app, k.Name, err)
		}
	}
	return nil
}
