package pcie

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/protocol"
)

// Engines carry out copies.
type Engines struct {
	components.Module

	// Host is the port to the command dispatcher: protocol.Copy in, protocol.CopyDone out.
	Host *components.Port

	spec     Spec
	before   func(a, b *protocol.Copy) bool // the scheduler's rule
	listener Listener
	shares   []Share
	underWay [][2]int  // copies of each share, to the device and to the host
	queue    []request // waiting copies, oldest first
	lanes    []lane    // to the device and to the host; one if the bus is not duplex
	stats    Stats
}

// Share is a number of engines that only some tenants use.
type Share struct {
	// Engines is their number, at least 1.
	Engines int
	// Has reports whether a tenant, by its number, uses them.
	Has func(tenant int) bool
}

// request is a copy that has arrived.
type request struct {
	*protocol.Copy
	seen uint64 // cycle of the bus at which it arrived
}

// Builder makes Engines.
type Builder struct {
	spec     Spec
	domain   *components.Domain
	listener Listener
	shares   []Share
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the clock of the bus, which has the Spec's frequency.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// WithShares divides the engines among the tenants, each of which has one share. Without any,
// all tenants use the Spec's engines.
func (b Builder) WithShares(list []Share) Builder { b.shares = list; return b }

// Build makes the engines. It returns an error if a parameter is out of range.
func (b Builder) Build(name string) (*Engines, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if hz := uint64(b.spec.ClockMHz) * 1_000_000; b.domain == nil || b.domain.Hz() != hz {
		return nil, fmt.Errorf("%s: no clock of %d Hz", name, hz)
	}
	for i := range b.shares {
		if n := b.shares[i].Engines; n < 1 {
			return nil, fmt.Errorf("%s: share %d has %d engines, must have at least 1", name, i, n)
		}
	}
	e := &Engines{spec: b.spec, listener: b.listener, shares: b.shares}
	if len(e.shares) == 0 {
		e.shares = []Share{{max(1, b.spec.Engines), func(int) bool { return true }}}
	}
	e.underWay = make([][2]int, len(e.shares))
	e.lanes = make([]lane, 1, 2)
	if b.spec.Duplex {
		e.lanes = e.lanes[:2]
	}
	for i := range e.lanes {
		e.lanes[i].spec = &e.spec
	}
	e.before, _ = b.spec.before()
	e.Init(name, b.domain, e)
	e.Host = e.NewPort("Host", b.spec.Queue)
	return e, nil
}

// Tick is one edge of the bus' clock.
func (e *Engines) Tick(cycle uint64) bool {
	moved := e.finish(cycle)
	moved = e.accept(cycle) || moved
	moved = e.begin(cycle) || moved
	for i := range e.lanes {
		if l := &e.lanes[i]; l.busy() {
			if at := l.next(); at > cycle {
				e.WakeAt(at)
			}
		}
	}
	return moved
}

// finish answers the copies that have ended, those with the earliest ends first.
func (e *Engines) finish(cycle uint64) (moved bool) {
	for i := range e.lanes {
		e.lanes[i].advance(cycle)
	}
	for {
		var first *lane
		var t *transfer
		for i := range e.lanes {
			if other := e.lanes[i].ended(cycle); other != nil && (t == nil || other.end < t.end) {
				first, t = &e.lanes[i], other
			}
		}
		if t == nil || !e.Host.CanPush() {
			return moved
		}
		e.Host.Push(&protocol.CopyDone{Tenant: t.Tenant, Tag: t.Tag})
		s, busy := &e.stats.Tenants[t.Tenant], e.spec.Cycles(t.Bytes)
		s.BusyCycles += busy
		s.TurnCycles += t.end - t.start - busy
		s.WaitCycles += t.start - t.seen
		if e.listener.Copied != nil {
			e.listener.Copied(t.Copy, t.start, t.end)
		}
		e.underWay[t.share][way(t.Copy)]--
		first.drop()
		moved = true
	}
}

// accept takes copies into the queue.
func (e *Engines) accept(cycle uint64) (moved bool) {
	for len(e.queue) < e.spec.Queue {
		c, ok := e.Host.Front().(*protocol.Copy)
		if !ok {
			e.Host.Unknown()
			break
		}
		e.Host.Pop()
		e.queue = append(e.queue, request{c, cycle})
		moved = true
	}
	return moved
}

// begin starts the copies that the scheduler picks.
func (e *Engines) begin(cycle uint64) (moved bool) {
	for {
		best, share := -1, -1
		for i := range e.queue {
			c := e.queue[i].Copy
			if at := e.shareOf(c); e.free(at, c) && (best < 0 || !e.before(e.queue[best].Copy, c)) {
				best, share = i, at
			}
		}
		if best < 0 {
			return moved
		}
		e.start(e.queue[best], share, cycle)
		e.queue = slices.Delete(e.queue, best, best+1)
		moved = true
	}
}

// start has an engine of a share take a copy.
func (e *Engines) start(c request, share int, cycle uint64) {
	e.underWay[share][way(c.Copy)]++
	s := &e.stats.Tenants[c.Tenant]
	t := &transfer{request: c, share: share, bursts: e.spec.Bursts(c.Bytes), start: cycle}
	s.Copies++
	s.Bursts += t.bursts
	if c.ToHost {
		s.BytesToHost += c.Bytes
	} else {
		s.BytesToDevice += c.Bytes
	}
	e.lanes[min(way(c.Copy), len(e.lanes)-1)].add(t, cycle)
}

// way is the direction of a copy: 0 to the device, 1 to the host.
func way(c *protocol.Copy) int {
	if c.ToHost {
		return 1
	}
	return 0
}

// free reports whether an engine of a share can take a copy.
func (e *Engines) free(share int, c *protocol.Copy) bool {
	n := &e.underWay[share]
	return n[way(c)] == 0 && n[0]+n[1] < e.shares[share].Engines
}

// shareOf is the share of a copy's tenant.
func (e *Engines) shareOf(c *protocol.Copy) int {
	return slices.IndexFunc(e.shares, func(s Share) bool { return s.Has(int(c.Tenant)) })
}

// Busy reports whether a copy is under way or waits.
func (e *Engines) Busy() bool {
	return slices.ContainsFunc(e.lanes, func(l lane) bool { return l.busy() }) || len(e.queue) > 0 || e.Host.Len() > 0
}

// Spec returns the engines' parameters.
func (e *Engines) Spec() Spec { return e.spec }

// Stats returns the engines' counters.
func (e *Engines) Stats() *Stats { return &e.stats }
