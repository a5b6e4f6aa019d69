package dispatcher

import (
	"errors"
	"fmt"
	"reflect"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
	"cotenant/tenant"
)

// SM describes an SM to the SM driver.
type SM struct {
	Capacity occupancy.Capacity
	// Kind numbers the kinds of SM of the GPU from 0. SMs of one kind have the same
	// capacity and the same number of schedulers.
	Kind int
	// GPC is the number of its GPC, -1 if it can run no clusters.
	GPC        int
	Schedulers int // number of warp schedulers
	IssueWidth int // most instructions that a scheduler issues in a cycle
	// Takes lists the types of protocol.Control that the SM accepts.
	Takes []reflect.Type
}

// Builder makes SM drivers.
type Builder struct {
	spec       Spec
	domain     *components.Domain
	policy     policy.Policy
	sms        []SM
	names      []string
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	listener   Listener
	context    func(occupancy.Demand) int
	units      []Units
	machine    policy.Machine
	bounds     []policy.Range
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithPolicy sets the sharing policy.
func (b Builder) WithPolicy(p policy.Policy) Builder { b.policy = p; return b }

// WithSMs describes the SMs, by number.
func (b Builder) WithSMs(sms []SM) Builder { b.sms = sms; return b }

// WithUnits adds units beside the SMs that the driver can steer and ask for counters.
func (b Builder) WithUnits(units ...Units) Builder { b.units = units; return b }

// WithMachine describes the rest of the GPU to policies.
func (b Builder) WithMachine(m policy.Machine) Builder { b.machine = m; return b }

// WithBounds sets the SMs on which the kernels of each tenant may be placed, by tenant number;
// nil, which is the default: all SMs.
func (b Builder) WithBounds(sms []policy.Range) Builder { b.bounds = sms; return b }

// WithTenants sets the names of the applications, by tenant number.
func (b Builder) WithTenants(names []string) Builder { b.names = names; return b }

// WithMessages sets the pools of the messages to and from the SMs.
func (b Builder) WithMessages(placements *components.Pool[protocol.PlaceTB], reports *components.Pool[protocol.TBFinished]) Builder {
	b.placements, b.reports = placements, reports
	return b
}

// WithContexts sets the function that gives the size of a thread block's context in
// bytes. It must agree with the preemption engines.
func (b Builder) WithContexts(bytes func(occupancy.Demand) int) Builder { b.context = bytes; return b }

// WithListener sets the functions that follow kernels and thread blocks.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// Build makes an SM driver and schedules its first tick. It returns an error if a
// parameter is out of range, the number of tenants is not 1 to tenant.Max, or the policy
// does not go with the GPU.
func (b Builder) Build(name string) (*Driver, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, err
	}
	tenants := len(b.names)
	if tenants == 0 || tenants > tenant.Max {
		return nil, fmt.Errorf("%d applications, must be 1 to %d", tenants, tenant.Max)
	}
	d := &Driver{codes: map[code]uint32{}, spec: b.spec, policy: b.policy, needs: b.policy.Needs(), sms: b.sms, names: b.names, bounds: b.bounds, placements: b.placements, reports: b.reports,
		listener: b.listener, contextBytes: b.context, ledger: newLedger(b.sms, tenants), nextTB: make([]uint64, len(b.sms))}
	d.blocks = tbtable.NewTable(&d.ledger.view)
	d.ledger.view.Machine = b.machine
	for i, name := range b.names {
		d.ledger.view.Tenants[i].Name = name
	}
	if d.needs.Check != nil {
		if err := d.needs.Check(&d.ledger.view); err != nil {
			return nil, fmt.Errorf("the policy does not go with this GPU: %w", err)
		}
	}
	d.Init(name, b.domain, d)
	// At one edge a process comes and launches a kernel on each of its streams, or it goes.
	d.Host = d.NewPort("Host", tenants*(1+tenant.Kernels))
	for i := range b.sms {
		d.SMs = append(d.SMs, d.NewPort(fmt.Sprintf("SM[%d]", i), 4))
	}
	for i := range b.sms {
		d.PreEngs = append(d.PreEngs, d.NewPort(fmt.Sprintf("PreEng[%d]", i), 4))
	}
	d.makeUnits(b.sms, b.units)
	if err := errors.Join(d.checkControls(), d.openPeriodic()); err != nil {
		return nil, err
	}
	d.Start()
	return d, nil
}
