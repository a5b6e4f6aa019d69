package dram

import (
	"math"
	"math/bits"
	"slices"

	"cotenant/components"
	"cotenant/metrics/journey"
	"cotenant/metrics/latency"
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
	ranker     ranker
	rankAt     uint64 // cycle at which ranks may change
	rankBooked uint64 // the last rankAt that a request has waited for

	clocks  clocks
	bus     bus
	refresh refresh

	// The next command: none if plannedAt is never, and a step of a refresh if
	// planned is nil.
	plannedAt uint64
	planned   *bank

	lag      *components.Lag
	done     uint64   // edges before this one are over
	dropped  []uint64 // later cycles at which commands had been planned
	replyAt  uint64   // cycle of the earliest reply that no full port holds up
	held     bool     // a full port holds a reply up
	booked   uint64   // the last cycle for which a tick has been asked
	acceptAt uint64   // earliest cycle at which a request can be taken
	arrived  uint64   // not 0: requests have come that acceptAt does not know
	blocked  uint64   // mask of ports with a first request that lacks room
	freed    bool     // room was made for a sender that waits

	stats     Stats
	busyFrom  uint64            // cycle from which BusyCycles has not been counted yet
	dataUntil uint64            // cycle after the last booked beat of data
	latencies *latency.Recorder // nil: not measured
	journeys  *journey.Recorder // of reads with a Trace
}

// MeasureLatencies has the controller measure reads.
func (c *Controller) MeasureLatencies(r *latency.Recorder) { c.latencies = r }

// Follow has the controller tell of loads that are followed.
func (c *Controller) Follow(r *journey.Recorder) { c.journeys = r }

// Port is the port of the slice with the given rank in the channel.
func (c *Controller) Port(rank int) *components.Port { return c.ports[rank] }

// Spec returns the parameters.
func (c *Controller) Spec() Spec { return c.spec }

// Tick sends the replies that are due.
func (c *Controller) Tick(now uint64) bool {
	c.CatchUp(c.Domain().At(now))
	if now >= c.replyAt || c.held {
		c.reply(now)
		c.bookReply()
	}
	return false
}

// CatchUp sends the commands and takes the requests of all edges before an instant. It
// stops where a slice may act on what it has done: at a reply, or at room for a slice
// that waits.
func (c *Controller) CatchUp(before components.Time) {
	d := c.Domain()
	next := c.next()
	now := d.Engine().Now() // nobody can have acted before
	for c.freed = false; next <= c.replyAt && next != never && d.At(next) < before && !(c.freed && d.At(next) > now); next = c.next() {
		c.step(next, d.At(next))
		c.done = next + 1
	}
	c.lag.Until(c.deadline(next))
	c.bookReply()
}

// Last makes Controller a components.Laggard: the controller looks for work where a
// request comes, and where it has planned a command, even if another one goes first.
func (c *Controller) Last(before components.Time) components.Time {
	d := c.Domain()
	last := d.At(max(c.done, 1) - 1)
	for _, cycle := range append(c.dropped, c.rankBooked) {
		if at := d.At(cycle); at < before && cycle != never {
			last = max(last, at)
		}
	}
	for _, port := range c.ports {
		last = max(last, port.LastArrival(before))
	}
	return last
}

// drop notes that no command goes at a cycle for which one had been planned.
func (c *Controller) drop(cycle uint64) {
	if len(c.dropped) == cap(c.dropped) {
		c.dropped = slices.DeleteFunc(c.dropped, func(cycle uint64) bool { return cycle < c.done })
	}
	c.dropped = append(c.dropped, cycle)
}

// next is the next cycle with a command, a request to take or new ranks.
func (c *Controller) next() uint64 {
	if c.arrived != 0 {
		c.arrived = 0
		for i, port := range c.ports {
			if port.Len() > 0 && c.blocked>>i&1 == 0 {
				c.acceptAt = min(c.acceptAt, max(c.visible(port), c.done))
			}
		}
	}
	next := min(c.plannedAt, c.acceptAt)
	if c.rankAt < next && !c.idle() {
		next = c.rankAt
	}
	return next
}

// step is one command clock.
func (c *Controller) step(now uint64, at components.Time) {
	changed := c.plannedAt == now
	if changed {
		c.send(now)
	}
	if now >= c.rankAt {
		changed = c.rank(now) || changed
	}
	if now >= c.acceptAt {
		changed = c.accept(now, at) || changed
	}
	if changed {
		c.turn()
		c.choose(now)
	}
	if !c.idle() {
		c.rankBooked = c.rankAt
	}
}

// deadline is the instant before which the controller must catch up, given its next cycle
// with an event: that of the earliest reply that can come of what it does not know yet.
// A request takes 1 + ReturnLatency cycles at least, if it finds its data in the write
// queue. A slice that waits for room must be told of it at once.
func (c *Controller) deadline(next uint64) components.Time {
	if next == never {
		return components.Never
	}
	d := c.Domain()
	for _, port := range c.ports {
		if port.Urgent() {
			return d.At(next) + 1
		}
	}
	latency := uint64(c.spec.ReturnLatency)
	switch {
	case c.blocked != 0:
		return d.At(next + 1 + latency)
	case c.queued[reading] == 0 && c.acceptAt == never:
		return components.Never
	}
	due := next + c.clocks.cl + c.clocks.burst
	if c.acceptAt < due {
		due = c.acceptAt + 1
	}
	return d.At(due + latency)
}

// bookReply asks for a tick at the next reply.
func (c *Controller) bookReply() {
	if c.replyAt != c.booked && c.replyAt != never {
		c.booked = c.replyAt
		c.WakeAt(c.replyAt)
	}
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
func (c *Controller) accept(now uint64, at components.Time) (moved bool) {
	c.acceptAt, c.blocked = never, 0
	for n := range c.ports {
		i := c.nextPort + n
		if i >= len(c.ports) {
			i -= len(c.ports)
		}
		port := c.ports[i]
		msg := port.FrontAt(at)
		if r, ok := msg.(*protocol.DRAMRequest); ok && c.room(r) {
			c.freed = c.freed || port.Urgent()
			port.PopAt(at)
			c.admit(r, i, now)
			moved = true
			msg = port.FrontAt(at)
		}
		if msg == nil {
			if port.Len() > 0 {
				c.acceptAt = min(c.acceptAt, c.visible(port))
			}
		} else if r, ok := msg.(*protocol.DRAMRequest); ok && c.room(r) {
			c.acceptAt = now + 1
		} else {
			c.blocked |= 1 << i
			if !ok {
				port.UnknownAt(at)
			}
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
		c.refreshIdle(now)
		c.busyFrom = max(now, c.dataUntil)
	}
	e := c.entries.Get()
	*e = entry{request: r, row: r.Row, account: r.Account, write: r.Write,
		port: uint8(port), order: c.order, accepted: now}
	c.order++

	if r.Context {
		c.stats.Accounts.Of(r.Account).countContext(r)
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
			k := c.stats.Accounts.Of(r.Account)
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
