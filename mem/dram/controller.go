package dram

import (
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
)

const (
	never    = math.MaxUint64
	maxBanks = 64 // bits of a bank mask
)

// Controller is the memory controller of one DRAM channel.
type Controller struct {
	components.Module
	spec      Spec
	pool      *components.Pool[protocol.DRAMRequest]
	entries   components.Pool[entry]
	listener  Listener
	scheduler scheduler
	bursts    [1 << protocol.SectorsPerLine]uint8

	ports    []*components.Port
	nextPort int    // that may fill a queue first
	replies  []list // for each port, in the order in which they leave

	banks   []bank
	plan    plan   // what the banks are to do next
	open    uint64 // mask of banks with an open row
	unused  uint64 // mask of banks with a row that has not served the request that opened it
	turning bool   // only unused rows are served, then the direction changes
	queued  [2]int // entries in use, by queue
	depth   [2]int // entries that there are
	drain   drainControl
	// lastColumn is the direction of the last column command, if the queue is
	// unified.
	lastColumn direction
	order      uint64
	written    lineFilter

	// A scheduler that ranks tenants: nil if it does not, and then rankAt is never.
	ranker ranker
	rankAt uint64 // cycle at which ranks may change

	clocks     clocks
	bus        bus
	refreshDue uint64 // cycle from which a refresh goes first, never if there is none

	// The next command: none if plannedAt is never, and a step of a refresh if
	// planned is nil.
	plannedAt uint64
	planned   *bank

	// What a tick need not look at yet. A reply that found its port full is tried at
	// every tick, and so are the ports when a request has arrived or an entry is free
	// again.
	replyAt  uint64 // cycle of the earliest reply that no full port holds up
	held     bool   // a full port holds a reply up
	acceptAt uint64 // earliest cycle at which a request can be taken that has been seen
	arrived  uint64 // not 0: requests have come since the ports were looked at
	booked   uint64 // the last cycle for which a tick has been asked

	stats     Stats
	busyFrom  uint64 // cycle from which BusyCycles has not been counted yet
	dataUntil uint64 // cycle after the last booked beat of data
}

// Port is the port of the slice with the given rank in the channel.
func (c *Controller) Port(rank int) *components.Port { return c.ports[rank] }

// Spec returns the parameters.
func (c *Controller) Spec() Spec { return c.spec }

// Tick is one command clock. It never asks for the next clock as such, but books the
// first one with a command, a reply or a request to take; ports wake it for the rest.
func (c *Controller) Tick(now uint64) bool {
	if now >= c.replyAt || c.held {
		c.reply(now)
	}
	changed := c.plannedAt == now
	if changed {
		c.send(now)
	}
	if now >= c.rankAt {
		changed = c.rank(now) || changed
	}
	if now >= c.acceptAt || c.arrived != 0 {
		changed = c.accept(now) || changed
	}
	if changed {
		c.turn()
		c.choose(now)
	}
	next := min(c.plannedAt, c.replyAt, c.acceptAt)
	if c.rankAt < next && !c.idle() {
		next = c.rankAt
	}
	if next != c.booked && next != never {
		c.booked = next
		c.WakeAt(next)
	}
	return false
}

// reply hands each slice its oldest read if the data are due.
func (c *Controller) reply(now uint64) {
	c.replyAt, c.held = never, false
	for i := range c.replies {
		q := &c.replies[i]
		e := q.oldest
		if e == nil {
			continue
		}
		if e.due <= now {
			if !c.ports[i].Push(e.request) {
				c.held = true
				continue
			}
			q.remove(e)
			c.entries.Put(e)
			if e = q.oldest; e == nil {
				continue
			}
		}
		c.replyAt = min(c.replyAt, max(e.due, now+1))
	}
}

// rank has the scheduler rank tenants, and reports whether that has changed what
// banks are to do. It comes after the cycle's command, which has been planned
// before, and ahead of what arrives.
func (c *Controller) rank(now uint64) (changed bool) {
	changed = c.ranker.rank(now)
	c.rankAt = c.ranker.rankedUntil(now)
	if changed {
		c.aimAgain()
	}
	return changed
}

// aimAgain finds anew what all banks with a target are to do next.
func (c *Controller) aimAgain() {
	for mask := c.plan.wanted(); mask != 0; mask &= mask - 1 {
		c.aim(&c.banks[bits.TrailingZeros64(mask)])
	}
}

// answer has a read replied to at a cycle, or behind the other replies of its port.
func (c *Controller) answer(e *entry, due uint64) {
	e.due = due
	c.replies[e.port].add(e)
	c.replyAt = min(c.replyAt, due)
}

// accept takes at most one request from each port into the queues, and reports whether
// it took any. A request without room is looked at again when leave has made some.
func (c *Controller) accept(now uint64) (moved bool) {
	c.acceptAt, c.arrived = never, 0
	for n := range c.ports {
		i := c.nextPort + n
		if i >= len(c.ports) {
			i -= len(c.ports)
		}
		port := c.ports[i]
		r, ok := port.Front().(*protocol.DRAMRequest)
		if ok && c.room(r) {
			port.Pop()
			c.admit(r, i, now)
			moved = true
			r, ok = port.Front().(*protocol.DRAMRequest)
			if ok && c.room(r) {
				c.acceptAt = now + 1
			}
		}
		if !ok && port.Len() > 0 {
			port.Unknown()
			c.acceptAt = min(c.acceptAt, c.visible(port))
		}
	}
	if moved {
		if c.nextPort++; c.nextPort == len(c.ports) {
			c.nextPort = 0
		}
	}
	return moved
}

// visible is the cycle from which the first message of a port can be seen.
func (c *Controller) visible(port *components.Port) uint64 {
	return uint64(port.FrontSince() / c.Domain().Period())
}

// room reports whether the queue of a request has a free entry.
func (c *Controller) room(r *protocol.DRAMRequest) bool {
	q, entries := c.queue(r.Write), 1
	if c.spec.EntryPerBurst {
		entries = int(c.bursts[r.Sectors&protocol.AllSectors])
	}
	return c.queued[q]+entries <= c.depth[q]
}

// entriesOf is the number of entries that a request takes by its bursts.
func (c *Controller) entriesOf(bursts uint8) int {
	if c.spec.EntryPerBurst {
		return int(bursts)
	}
	return 1
}

// leave gives entries of the present queue back.
func (c *Controller) leave(entries int) {
	c.queued[c.drain.present] -= entries
	c.drain.served(entries)
	c.acceptAt = 0
}

// queue is where a request waits.
func (c *Controller) queue(write bool) direction {
	if write && !c.spec.UnifiedQueue {
		return writing
	}
	return reading
}

// idle reports whether no request waits.
func (c *Controller) idle() bool { return c.queued[reading]+c.queued[writing] == 0 }

// admit puts a request into its queue, or answers a read that need not wait.
func (c *Controller) admit(r *protocol.DRAMRequest, port int, now uint64) {
	if c.idle() {
		c.catchUp(now)
		c.busyFrom = max(now, c.dataUntil)
	}
	e := c.entries.Get()
	*e = entry{request: r, row: r.Row, account: r.Account, write: r.Write,
		port: uint8(port), order: c.order, accepted: now}
	c.order++

	if r.Context {
		c.stats.Accounts[r.Account].countContext(r)
	}
	b := &c.banks[r.Bank]
	sectors := r.Sectors & protocol.AllSectors
	q := c.queue(r.Write)
	if r.Write {
		c.written.add(r.Addr)
	} else {
		if c.written.mayHold(r.Addr) {
			sectors = b.notWritten(r.Addr, sectors)
		}
		if sectors == 0 {
			k := &c.stats.Accounts[r.Account]
			k.Reads++
			k.ForwardedReads++
			c.answer(e, now+1+uint64(c.spec.ReturnLatency))
			return
		}
	}
	e.transfer, e.bursts = sectors, c.bursts[sectors]
	c.queued[q] += c.entriesOf(e.bursts)
	b.add(q, e)
	if c.ranker != nil {
		c.ranker.accepted(e, b.number, now)
	}
	if q == c.drain.present {
		c.aim(b)
	}
}

// turn changes the direction if drainControl asks for it. Rows that have been
// opened for requests of the present one are used first, else they would have
// to be opened again.
func (c *Controller) turn() {
	next := c.drain.next(c.queued[reading], c.queued[writing])
	c.turning = next != c.drain.present
	if !c.turning || c.unused != 0 {
		return
	}
	c.turning = false
	c.drain.turn(next, c.queued[writing])
	if next == writing {
		c.stats.Drains++
	}
	for i := range c.banks {
		c.aim(&c.banks[i])
	}
}
