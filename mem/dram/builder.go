package dram

import (
	"fmt"

	"cotenant/components"
	"cotenant/mem"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Builder makes Controllers. It is copied by each With, so that one prepared
// Builder makes the controllers of all channels.
type Builder struct {
	spec      Spec
	domain    *components.Domain
	addresses *mem.AddressMap
	pool      *components.Pool[protocol.DRAMRequest]
	listener  Listener
	tenants   [tenant.Max]tenant.Attributes
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the command clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithAddressMap sets the map that says how many banks and slices a channel
// has. Where a request's line lies, the request says.
func (b Builder) WithAddressMap(m *mem.AddressMap) Builder { b.addresses = m; return b }

// WithPool sets the pool into which writes go when they are done.
func (b Builder) WithPool(p *components.Pool[protocol.DRAMRequest]) Builder { b.pool = p; return b }

// WithTenants sets the tenants' attributes by number, for the scheduler.
func (b Builder) WithTenants(list []tenant.Attributes) Builder {
	copy(b.tenants[:], list)
	return b
}

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// Build makes the controller of one channel. It returns an error if the Spec
// is not valid, does not go with the address map, or a part is missing.
func (b Builder) Build(name string) (*Controller, error) {
	switch {
	case b.domain == nil:
		return nil, fmt.Errorf("%s: no clock domain", name)
	case b.addresses == nil:
		return nil, fmt.Errorf("%s: no address map", name)
	case b.pool == nil:
		return nil, fmt.Errorf("%s: no request pool", name)
	}
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	layout := b.addresses.Spec()
	if layout.Banks%b.spec.BankGroups != 0 {
		return nil, fmt.Errorf("%s: bank_groups is %d, must divide banks, which is %d", name, b.spec.BankGroups, layout.Banks)
	}
	if err := b.spec.Timing.refreshesOf(layout.Banks, b.spec.burstClocks(), b.spec.lineBursts()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	scheduler, err := schedulers.New("scheduler", b.spec.Scheduler, &site{b.spec, layout.Banks, b.tenants})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Controller{
		spec:      b.spec,
		pool:      b.pool,
		listener:  b.listener,
		scheduler: scheduler,
		bursts:    b.spec.burstTable(),
		banks:     make([]bank, layout.Banks),
		clocks:    b.spec.Timing.clocks(b.spec.burstClocks()),
		plannedAt: never,
		rankAt:    never,
		replyAt:   never,
		acceptAt:  never,
		dropped:   make([]uint64, 0, 32),

		rankBooked: never,
		booked:     never,
		drain: drainControl{
			high: b.spec.WriteHigh, low: b.spec.WriteLow,
			readQueue: b.spec.ReadQueue, writeQueue: b.spec.WriteQueue,
		},
		depth:   [2]int{reading: b.spec.ReadQueue, writing: b.spec.WriteQueue},
		refresh: refresh{due: never},
	}
	c.bus = bus{clocks: &c.clocks, unified: b.spec.UnifiedQueue, groupAt: make([]uint64, b.spec.BankGroups)}
	c.plan = newPlan(layout.Banks, b.spec.BankGroups)
	if r, ok := scheduler.(ranker); ok {
		c.ranker, c.rankAt = r, r.rankedUntil(0)
	}
	if c.clocks.refi > 0 {
		every := c.clocks.refi
		if c.clocks.rfcBank > 0 {
			every /= uint64(layout.Banks)
		}
		c.refresh.due, c.refresh.every = every, every
	}
	for i := range c.banks {
		c.banks[i].number = uint8(i)
		c.banks[i].group = uint8(i % b.spec.BankGroups)
	}
	c.Init(name, b.domain, c)
	c.lag = c.Lag(c, uint64(1+b.spec.ReturnLatency))
	slices := layout.Slices / layout.Channels
	c.replies = make([]list, slices)
	for i := range slices {
		c.ports = append(c.ports, c.NewPort(fmt.Sprintf("Slice[%d]", i), b.spec.PortDepth))
		c.ports[i].Announce(&c.arrived, 1)
	}
	return c, nil
}
