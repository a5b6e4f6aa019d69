package pager

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// toSMs is the way of the news of a served region from the pager to the SMs in cycles,
// including the cycle in which only the L2 TLB has it.
const toSMs = 3

// Pager serves page faults.
type Pager struct {
	components.Module

	// Fill is the port to the fill unit: *protocol.RegionFault in, and out once
	// served.
	Fill *components.Port

	spec     Spec
	listener Listener
	// migrate, allocate and occupancy are cycles; occupancy is not used if Full.
	migrate, allocate, occupancy uint64

	waiting []fault   // oldest first, with the cycle since which they wait
	serving []fault   // by the cycle at which SMs learn of the end
	free    uint64    // first cycle at which link and CPU are free
	holder  tenant.ID // the tenant of the service that holds them until then
	charged uint64    // first cycle of the service that is not counted yet
	stats   Stats
}

// fault is a fault that waits or is being served.
type fault struct {
	msg *protocol.RegionFault
	at  uint64 // cycle
}

// Builder makes Pagers.
type Builder struct {
	spec     Spec
	domain   *components.Domain
	listener Listener
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the clock, the same as the fill unit's.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// portDepth is the capacity of the port in faults; the pager takes them at once.
const portDepth = 64

// Build makes a pager, or returns the fault in its parameters.
func (b Builder) Build(name string) (*Pager, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.domain == nil {
		return nil, fmt.Errorf("%s: needs a clock", name)
	}
	hz := b.domain.Hz()
	if err := b.spec.Check(hz); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Pager{spec: b.spec, listener: b.listener,
		migrate: cycles(b.spec.MigrateNs, hz), allocate: cycles(b.spec.AllocateNs, hz)}
	if b.spec.Occupancy != Full {
		p.occupancy = cycles(int(b.spec.Occupancy), hz)
	}
	p.Init(name, b.domain, p)
	p.Fill = p.NewPort("Fill", portDepth)
	return p, nil
}

// Stats brings the counters up to the edges before a cycle and returns them.
func (p *Pager) Stats(cycle uint64) *Stats {
	p.charge(cycle)
	return &p.stats
}

// charge counts the cycles before a cycle in which link and CPU were held.
func (p *Pager) charge(cycle uint64) {
	if to := min(cycle, p.free); to > p.charged {
		p.stats.Tenants[p.holder].BusyCycles += to - p.charged
		p.charged = to
	}
}

// Busy reports whether a fault waits or is being served.
func (p *Pager) Busy() bool { return len(p.waiting) > 0 || len(p.serving) > 0 || p.Fill.Len() > 0 }

// Tick is one edge of the core clock.
func (p *Pager) Tick(cycle uint64) bool {
	moved := p.finish(cycle)
	moved = p.accept(cycle) || moved
	moved = p.begin(cycle) || moved
	if len(p.serving) > 0 && p.serving[0].at-toSMs > cycle {
		p.WakeAt(p.serving[0].at - toSMs)
	}
	if len(p.waiting) > 0 {
		p.WakeAt(p.free - 1)
	}
	return moved
}

// finish answers served faults.
func (p *Pager) finish(cycle uint64) (moved bool) {
	for len(p.serving) > 0 && p.serving[0].at-toSMs <= cycle && p.Fill.Push(p.serving[0].msg) {
		p.serving = slices.Delete(p.serving, 0, 1)
		moved = true
	}
	return moved
}

// accept takes faults. They wait from the next cycle on, at which SMs learn of them.
func (p *Pager) accept(cycle uint64) (moved bool) {
	for {
		m, ok := p.Fill.Front().(*protocol.RegionFault)
		if !ok {
			p.Fill.Unknown()
			return moved
		}
		p.Fill.Pop()
		p.waiting = append(p.waiting, fault{m, cycle + 1})
		moved = true
	}
}

// begin begins the services of the next cycle, as many as link and CPU are free for.
func (p *Pager) begin(cycle uint64) (moved bool) {
	start := cycle + 1
	for len(p.waiting) > 0 && p.free <= start {
		r := p.waiting[0]
		p.waiting = slices.Delete(p.waiting, 0, 1)
		p.charge(p.free)
		p.holder, p.charged = r.msg.Account.Tenant(), start
		t := &p.stats.Tenants[p.holder]
		cost := p.allocate
		if r.msg.Class == protocol.Migrate {
			cost = p.migrate
			t.Migrates++
		} else {
			t.Allocates++
		}
		held := p.occupancy
		if p.spec.Occupancy == Full {
			held = cost
		}
		p.free = start + held
		t.Bytes += r.msg.Bytes
		t.WaitCycles += start - r.at
		s := fault{r.msg, start + cost}
		at, _ := slices.BinarySearchFunc(p.serving, s.at+1, func(o fault, at uint64) int { return int(o.at) - int(at) })
		p.serving = slices.Insert(p.serving, at, s)
		if p.listener.InService != nil {
			p.listener.InService(r.msg, start, s.at)
		}
		moved = true
	}
	return moved
}
