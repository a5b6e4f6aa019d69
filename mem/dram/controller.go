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
	aims    []aim  // of the banks
	wanted  uint64 // mask of banks with a target
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

	// A scheduler that ranks tenants: nil if it does not, and then rankAt and
	// rankWake are never.
	ranker   ranker
	rankAt   uint64 // cycle at which ranks may change
	rankWake uint64 // the last rankAt for which a tick has been asked

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
	more := c.reply(now)
	sent := c.plannedAt == now
	if sent {
		c.send(now)
	}
	ranked := now >= c.rankAt && c.rank(now)
	moved, waiting := c.accept(now)
	if sent || moved || ranked {
		c.turn()
		c.plan(now)
		if c.plannedAt > now+1 && c.plannedAt != never {
			c.WakeAt(c.plannedAt)
		}
	}
	if c.rankWake != c.rankAt && !c.idle() {
		c.rankWake = c.rankAt
		c.WakeAt(c.rankAt)
	}
	// What comes later has been asked for by WakeAt.
	return more || waiting || c.plannedAt == now+1
}

// reply hands each slice its oldest read if the data are due, and reports whether
// another read is due.
func (c *Controller) reply(now uint64) (more bool) {
	for i := range c.replies {
		q := &c.replies[i]
		e := q.oldest
		if e == nil || e.due > now || !c.ports[i].CanPush() {
			continue
		}
		q.remove(e)
		c.ports[i].Push(e.request)
		c.entries.Put(e)
		more = more || q.oldest != nil && q.oldest.due <= now
	}
	return more
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
	for mask := c.wanted; mask != 0; mask &= mask - 1 {
		c.aim(&c.banks[bits.TrailingZeros64(mask)])
	}
}

// answer books a reply to a read at a cycle, or behind the other replies of its port.
func (c *Controller) answer(e *entry, due uint64) {
	e.due = due
	c.replies[e.port].add(e)
	c.WakeAt(due)
}

// accept takes at most one request from each port into the queues. It reports
// whether it took any, and whether another waits that it could take.
func (c *Controller) accept(now uint64) (moved, waiting bool) {
	for n := range c.ports {
		i := c.nextPort + n
		if i >= len(c.ports) {
			i -= len(c.ports)
		}
		port := c.ports[i]
		r, ok := port.Front().(*protocol.DRAMRequest)
		if !ok {
			port.Unknown()
			continue
		}
		if !c.room(r) {
			continue
		}
		port.Pop()
		c.admit(r, i, now)
		if r, ok = port.Front().(*protocol.DRAMRequest); ok && c.room(r) {
			waiting = true
		}
		moved = true
	}
	if moved {
		if c.nextPort++; c.nextPort == len(c.ports) {
			c.nextPort = 0
		}
	}
	return moved, waiting
}

// room reports whether the queue of a request has a free entry.
func (c *Controller) room(r *protocol.DRAMRequest) bool {
	q := c.queue(r.Write)
	return c.queued[q]+c.entriesOf(c.bursts[r.Sectors&protocol.AllSectors]) <= c.depth[q]
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

// aim finds what a bank is to do next.
func (c *Controller) aim(b *bank) {
	w := &b.waiting[c.drain.present]
	if w.oldest == nil {
		c.wanted &^= 1 << b.number
		return
	}
	c.wanted |= 1 << b.number
	if c.unused>>b.number&1 != 0 {
		b.target = b.openedFor
	} else {
		b.target = c.scheduler.target(w, b.overtaken)
	}
	a := &c.aims[b.number]
	switch {
	case !b.open:
		a.floor, a.at = activateFloor, b.activateAt
	case b.target.row != b.row:
		a.floor, a.at = prechargeFloor, b.prechargeAt
	default:
		a.floor, a.at = c.bus.columnFloor(b.target, b.group), b.columnAt
	}
	a.rank = c.scheduler.priority(b.target, a.floor >= columnFloor)<<6 | uint64(b.number)
}

// plan chooses the next command after this cycle.
func (c *Controller) plan(now uint64) {
	c.plannedAt, c.planned = never, nil
	if c.idle() {
		return // refreshes of an idle channel are made up for by catchUp
	}
	mask := c.wanted
	if c.turning {
		mask = c.unused
	}
	c.bus.setFloors(now+1, c.drain.present)
	best := uint64(never)
	for ; mask != 0; mask &= mask - 1 {
		a := &c.aims[bits.TrailingZeros64(mask)]
		floor := c.bus.floors[a.floor]
		at := max(a.at, floor)
		if at <= c.bus.runLast && at != floor {
			at = c.bus.free(at)
		}
		// One comparison of cycle, rank and bank: the wait is below 1<<20.
		best = min(best, (at-now)<<44|a.rank)
	}
	c.plannedAt, c.planned = now+best>>44, &c.banks[best%maxBanks]
	if c.refreshDue <= c.plannedAt {
		c.plannedAt, c.planned = max(c.refreshAt(), now+1), nil
	}
}
