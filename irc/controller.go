package irc

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/tenant"
)

func init() {
	egress.Register(egress.Kind{Name: "irc", Takes: Takes, Make: func(name string, p egress.Parts) (egress.Controller, error) {
		return Builder{}.WithSpec(p.Spec).WithDomain(p.Domain).WithClocks(p.CoreMHz, p.NoCMHz).WithStoreBuffer(p.StoreBuffer).Build(name)
	}})
}

// Spec holds the parameters of an issue-rate controller.
type Spec = egress.Spec

// Controller is an issue-rate controller. It is a module for the netlist and the
// counters' sake alone: its SM acts for it.
type Controller struct {
	components.Module

	spec   Spec
	clock  intervals
	cycle  uint64 // the present edge
	start  uint64 // the edge at which the next interval starts
	queued int    // packets of all tenants
	writes int    // of them, writes and atomics
	buffer int    // entries of the store buffer
	stores int    // most writes and atomics of all tenants: buffer, or one for each tenant if that is more
	shown  tenant.ID
	// waiting, spent and sensitive have a bit for each tenant: it has packets, it
	// has no credit, it is latency-sensitive.
	waiting, spent, sensitive uint16
	last                      [2]tenant.ID // that was served: of tenants that are not sensitive, and that are
	queues                    [tenant.Max]virtualQueue
	credits                   [tenant.Max]Credits
	order                     []tenant.ID // on the SM, by arrival
	stats                     Stats
}

// virtualQueue is one tenant's.
type virtualQueue struct {
	packets components.FIFO[departure]
	share   int    // packets that it may hold
	writes  int    // writes and atomics in packets
	stores  int    // writes and atomics that it may hold
	sent    uint64 // in the present interval
}

// departure is a packet and the cycle from which it may leave.
type departure struct {
	packet *protocol.Packet
	from   uint64
}

// Builder makes controllers.
type Builder struct {
	spec         Spec
	domain       *components.Domain
	coreMHz, noc int
	buffer       int
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithClocks sets the frequencies of the core and of the crossbars, in MHz, by which
// intervals are counted.
func (b Builder) WithClocks(coreMHz, nocMHz int) Builder {
	b.coreMHz, b.noc = coreMHz, nocMHz
	return b
}

// WithStoreBuffer sets the number of entries of the store buffer: each write or atomic
// in the queues takes one.
func (b Builder) WithStoreBuffer(n int) Builder { b.buffer = n; return b }

// Build makes a controller, in an SM without tenants. It returns an error that names
// the parameter at fault.
func (b Builder) Build(name string) (*Controller, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Controller{spec: b.spec, buffer: b.buffer, clock: newIntervals(b.spec.IntervalCycles, b.coreMHz, b.noc)}
	c.start = c.clock.start(1)
	c.last = [2]tenant.ID{tenant.Max - 1, tenant.Max - 1} // tenant 0 is next
	c.Init(name, b.domain, c)
	return c, nil
}

// Tick does nothing: the SM calls the controller's stages.
func (c *Controller) Tick(uint64) bool { return false }

// Takes lists the types of control message that a controller takes.
func Takes() []reflect.Type { return []reflect.Type{reflect.TypeFor[*protocol.Rates]()} }

// Control takes a control message and reports whether it is the controller's. Rates
// go from the next interval on, priorities at once; so does the end of both.
func (c *Controller) Control(m protocol.Control) bool {
	r, ok := m.(*protocol.Rates)
	if !ok {
		return false
	}
	if !r.On {
		c.credits, c.spent, c.sensitive = [tenant.Max]Credits{}, 0, 0
		return true
	}
	for id := range r.Of {
		if rate := &r.Of[id]; rate.Given {
			c.credits[id].Set(rate.Limited, rate.Requests)
			assign(&c.sensitive, tenant.ID(id), rate.Sensitive)
		}
	}
	return true
}

// Arrive gives a tenant that has come to the SM its shares of the entries and of the
// store buffer.
func (c *Controller) Arrive(t tenant.ID) {
	c.order = append(c.order, t)
	if q := &c.queues[t]; q.packets.Free() == 0 && q.packets.Len() == 0 {
		q.packets = components.NewFIFO[departure](c.spec.Entries())
	}
	c.divide()
}

// Leave divides the shares of a tenant that has left the SM among the rest.
func (c *Controller) Leave(t tenant.ID) {
	i := slices.Index(c.order, t)
	c.order = slices.Delete(c.order, i, i+1)
	c.queues[t].share, c.queues[t].stores = 0, 0
	c.divide()
}

func (c *Controller) divide() {
	c.stores = max(c.buffer, len(c.order)) // a tenant without an entry could never store
	for i, t := range c.order {
		q := &c.queues[t]
		q.share = entries(&c.spec, len(c.order), i)
		q.stores = tenant.Share(c.stores, len(c.order), i)
	}
}

// Room reports whether the queue of a tenant takes a packet of a kind.
func (c *Controller) Room(kind protocol.Kind, t tenant.ID) bool {
	q := &c.queues[t]
	return q.packets.Len() < q.share && c.queued < c.spec.Entries() &&
		(kind == protocol.Read || q.writes < q.stores && c.writes < c.stores)
}

// Push takes a packet for which there is room, and which may leave from a cycle on if
// the controller's latency is 1.
func (c *Controller) Push(p *protocol.Packet, from uint64) {
	t := p.Tenant()
	q := &c.queues[t]
	if p.Kind != protocol.Read {
		c.writes++
		q.writes++
	}
	p.Queued = c.cycle
	q.packets.Push(departure{p, from + uint64(c.spec.Latency) - 1})
	c.waiting |= 1 << t
	c.queued++
}

// Front is the packet that leaves next, nil if none may at this cycle, which is that
// of Advance.
func (c *Controller) Front(cycle uint64) *protocol.Packet {
	ready := c.waiting &^ c.spent
	for m := ready; m != 0; m &= m - 1 {
		if t := bits.TrailingZeros16(m); c.queues[t].packets.Front().from > cycle {
			ready &^= 1 << t
		}
	}
	if ready == 0 {
		return nil
	}
	c.shown = c.pick(ready)
	return c.queues[c.shown].packets.Front().packet
}

// Pop sends the packet that Front has just shown.
func (c *Controller) Pop() {
	t := c.shown
	q := &c.queues[t]
	p := q.packets.Pop().packet
	if q.packets.Len() == 0 {
		c.waiting &^= 1 << t
	}
	c.queued--
	q.sent++
	c.credits[t].Spend()
	assign(&c.spent, t, !c.credits[t].Some())
	c.last[c.sensitive>>t&1] = t
	s := &c.stats.Tenants[t]
	s.Requests++
	if p.Kind != protocol.Read {
		c.writes--
		q.writes--
	}
	if p.Kind != protocol.Write {
		s.Reads++
	}
}

// Next is the first cycle after the given one from which a packet may leave that may
// not yet: when its time or credits of its tenant come.
func (c *Controller) Next(cycle uint64) (at uint64, ok bool) {
	for m := c.waiting; m != 0; m &= m - 1 {
		t := bits.TrailingZeros16(m)
		from := c.queues[t].packets.Front().from
		if c.spent>>t&1 != 0 {
			if !c.credits[t].Coming() {
				continue
			}
			from = max(from, c.start)
		}
		if from > cycle && (!ok || from < at) {
			at, ok = from, true
		}
	}
	return at, ok
}

// Len is the number of packets in all queues.
func (c *Controller) Len() int { return c.queued }

// Replied counts a packet that has come back.
func (c *Controller) Replied(p *protocol.Packet) {
	s := &c.stats.Tenants[p.Tenant()]
	s.Replies++
	s.DRAMAccesses += uint64(min(p.DRAMAccesses, 2))
	if p.Kind != protocol.WriteAck {
		s.ReadReplies++
		s.ReadLatency += c.cycle - p.Queued
	}
}

// Gauges are the packets in each tenant's queue.
func (c *Controller) Gauges() []components.Gauge {
	list := make([]components.Gauge, len(c.queues))
	for t := range c.queues {
		list[t] = components.Gauge{Name: fmt.Sprintf("Queue[%d]", t), Max: c.spec.Entries(), Level: c.queues[t].packets.Len}
	}
	return list
}
