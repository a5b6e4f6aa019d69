package dram

import (
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/mem"
)

const (
	never    = math.MaxUint64
	maxBanks = 64 // bits of a bank mask
)

// Controller is the memory controller of one DRAM channel.
type Controller struct {
	components.Module
	spec      Spec
	addresses *mem.AddressMap
	pool      *components.Pool[Request]
	listener  Listener
	scheduler scheduler
	bursts    [1 << mem.SectorsPerLine]uint8

	ports    []*components.Port
	nextPort int    // that may fill a queue first
	replies  []list // for each port, in the order of due

	banks   []bank
	wanted  uint64 // mask of banks with a target
	open    uint64 // mask of banks with an open row
	reads   int    // waiting
	writes  int    // waiting
	drain   drainControl
	order   uint64
	written lineFilter

	clocks     clocks
	bus        bus
	refreshDue uint64 // cycle from which a refresh goes first, never if there is none

	// The next command: none if plannedAt is never, and a step of a refresh if
	// planned is nil.
	plannedAt uint64
	planned   *bank

	stats     Stats
	busyFrom  uint64 // cycle from which BusyCycles has not been counted yet
	dataUntil uint64 // cycle after the last booked beat of data
}

// Port is the port of the slice with the given rank in the channel.
func (c *Controller) Port(rank int) *components.Port { return c.ports[rank] }

// Spec returns the parameters.
func (c *Controller) Spec() Spec { return c.spec }

// Tick is one command clock.
func (c *Controller) Tick(now uint64) bool {
	c.reply(now)
	sent := c.plannedAt == now
	if sent {
		c.send(now)
	}
	if c.accept(now) || sent {
		if c.drain.update(c.reads, c.writes) {
			c.turn()
		}
		c.plan(now)
	}
	return false // every future step has been asked for by WakeAt
}

// reply hands each slice the oldest read whose data is due.
func (c *Controller) reply(now uint64) {
	for i := range c.replies {
		q := &c.replies[i]
		r := q.oldest
		if r == nil || r.due > now || !c.ports[i].CanPush() {
			continue
		}
		q.remove(r)
		c.ports[i].Push(r)
		if q.oldest != nil {
			c.WakeAt(max(q.oldest.due, now+1))
		}
	}
}

// answer books a reply to a read at a cycle, behind those of its port.
func (c *Controller) answer(r *Request, due uint64) {
	q := &c.replies[r.port]
	r.due = due
	if q.newest != nil {
		r.due = max(due, q.newest.due)
	}
	q.add(r)
	c.WakeAt(r.due)
}

// accept takes at most one request from each port into the queues and reports
// whether it took any.
func (c *Controller) accept(now uint64) (moved bool) {
	for n := range c.ports {
		i := c.nextPort + n
		if i >= len(c.ports) {
			i -= len(c.ports)
		}
		port := c.ports[i]
		r, ok := port.Front().(*Request)
		if !ok || !c.admit(r, i, now) {
			continue
		}
		port.Pop()
		if port.Front() != nil {
			c.Wake()
		}
		moved = true
	}
	if moved {
		if c.nextPort++; c.nextPort == len(c.ports) {
			c.nextPort = 0
		}
	}
	return moved
}

// admit puts a request into its queue, unless that is full.
func (c *Controller) admit(r *Request, port int, now uint64) bool {
	if r.Write && c.writes == c.spec.WriteQueue || !r.Write && c.reads == c.spec.ReadQueue {
		return false
	}
	if c.reads+c.writes == 0 {
		c.catchUp(now)
		c.busyFrom = max(now, c.dataUntil)
	}
	at := c.addresses.Locate(r.Addr)
	r.bank, r.row, r.port = uint8(at.Bank), at.Row, uint8(port)
	r.started, r.accepted = false, now
	r.order = c.order
	c.order++

	b := &c.banks[r.bank]
	sectors := r.Sectors & mem.AllSectors
	d := writing
	if r.Write {
		c.writes++
		c.written.add(r.Addr)
	} else {
		d = reading
		if c.written.mayHold(r.Addr) {
			sectors = b.notWritten(r.Addr, sectors)
		}
		if sectors == 0 {
			k := &c.stats.Kernels[r.Kernel]
			k.Reads++
			k.ForwardedReads++
			c.answer(r, now+1+uint64(c.spec.ReturnLatency))
			return true
		}
		c.reads++
	}
	r.transfer, r.bursts = sectors, c.bursts[sectors]
	b.add(d, r)
	if d == c.drain.present {
		c.aim(b)
	}
	return true
}

// turn has every bank work in the direction that drainControl chose.
func (c *Controller) turn() {
	if c.drain.present == writing {
		c.stats.Drains++
	}
	for i := range c.banks {
		c.aim(&c.banks[i])
	}
}

// aim finds what a bank is to do next.
func (c *Controller) aim(b *bank) {
	w := &b.waiting[c.drain.present]
	if w.oldest == nil {
		c.wanted &^= 1 << b.number
		return
	}
	c.wanted |= 1 << b.number
	b.target = c.scheduler.target(w, b.overtaken)
	switch {
	case !b.open:
		b.step, b.stepAt = Activate, b.activateAt
	case b.target.row != b.row:
		b.step, b.stepAt = Precharge, b.prechargeAt
	case c.drain.present == reading:
		b.step, b.stepAt = Read, b.columnAt
	default:
		b.step, b.stepAt = Write, b.columnAt
	}
}

// plan chooses the next command after this cycle, and wakes the controller for
// it.
func (c *Controller) plan(now uint64) {
	c.plannedAt, c.planned = never, nil
	if c.reads+c.writes == 0 {
		return // refreshes of an idle channel are made up for by catchUp
	}
	for mask := c.wanted; mask != 0; mask &= mask - 1 {
		b := &c.banks[bits.TrailingZeros64(mask)]
		at := c.bus.earliest(b.step, b.group, max(b.stepAt, now+1))
		if at < c.plannedAt || at == c.plannedAt &&
			c.scheduler.before(b.target, c.planned.target, b.step >= Read, c.planned.step >= Read) {
			c.plannedAt, c.planned = at, b
		}
	}
	if c.refreshDue <= c.plannedAt {
		c.plannedAt, c.planned = max(c.refreshAt(), now+1), nil
	}
	c.WakeAt(c.plannedAt)
}
