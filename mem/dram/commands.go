package dram

import (
	"slices"

	"cotenant/metrics/journey"
	"cotenant/metrics/latency"
	"cotenant/protocol"
)

// send sends the planned command.
func (c *Controller) send(now uint64) {
	b := c.planned
	if b == nil {
		c.refreshStep(now)
		return
	}
	if c.refreshes(b) {
		c.refreshBankStep(b, now)
		return
	}
	switch c.plan.aims[b.number].floor {
	case activateFloor:
		c.activate(b, now)
	case prechargeFloor:
		c.precharge(b, now)
	default:
		if c.transfer(b, now) {
			return
		}
	}
	c.aim(b)
}

// tell reports a command to the listener.
func (c *Controller) tell(cycle uint64, kind Kind, b *bank, row uint64, r *protocol.DRAMRequest) {
	if c.listener.Command != nil {
		c.listener.Command(Command{Cycle: cycle, Kind: kind, Bank: int(b.number), Row: row, Request: r})
	}
}

func (c *Controller) activate(b *bank, now uint64) {
	e := b.target
	b.open, b.row = true, e.row
	c.open |= 1 << b.number
	c.unused |= 1 << b.number
	b.columnAt = now + c.clocks.rcd
	b.prechargeAt = now + c.clocks.ras
	b.activateAt = now + c.clocks.rc
	b.overtaken = 0
	b.openedFor, b.openedInConflict, b.conflict = e, b.conflict, false
	b.seekHits()
	c.bus.activated(now)
	c.stats.Accounts.Of(e.account).Activates++
	c.tell(now, Activate, b, b.row, e.request)
}

func (c *Controller) precharge(b *bank, now uint64) {
	e := b.target
	c.tell(now, Precharge, b, b.row, e.request)
	b.close(now + c.clocks.rp)
	c.open &^= 1 << b.number
	c.unused &^= 1 << b.number
	b.conflict = true
	c.stats.Accounts.Of(e.account).Precharges++
}

// transfer sends the column commands of a request, or the first one left if
// each burst is decided for itself. It reports whether the bank's aim stays the same.
func (c *Controller) transfer(b *bank, now uint64) (same bool) {
	e := b.target
	d := e.direction()
	k := c.stats.Accounts.Of(e.account)
	if !e.started {
		e.started = true
		c.classify(b, e, k)
		if c.latencies != nil && !e.write && !e.request.Context {
			c.latencies.Add(latency.DRAMQueue, e.account.Tenant(), c.Domain().At(now-e.accepted))
			e.due = now // until finish
		}
		if t := e.trace(); t != 0 {
			c.journeys.Mark(t, journey.Requested, c.Domain().At(e.accepted))
			c.journeys.Mark(t, journey.Commanded, c.Domain().At(now))
		}
	}
	same = b.openedFor == nil
	if b.openedFor == e {
		b.openedFor = nil // the entry may come back for another request
		c.unused &^= 1 << b.number
	}
	bursts := e.bursts
	if c.spec.InterleaveBursts {
		bursts = 1
	}
	if c.spec.UnifiedQueue {
		c.countTurn(d)
	}
	last, dataEnd := c.bus.column(d, b.group, now, uint64(bursts))
	c.dataUntil = dataEnd
	kind, recovery := Read, c.clocks.readToPrecharge
	if d == writing {
		kind, recovery = Write, c.clocks.writeToPrecharge
	}
	b.prechargeAt = max(b.prechargeAt, last+recovery)
	k.DataBusCycles += uint64(bursts) * c.clocks.burst
	if c.listener.Command != nil {
		for cycle := now; cycle <= last; cycle += c.clocks.run {
			c.tell(cycle, kind, b, b.row, e.request)
		}
	}
	if c.spec.EntryPerBurst {
		c.leave(int(bursts))
	}
	if e.bursts -= bursts; e.bursts > 0 {
		return same
	}
	c.finish(b, e, k, now, dataEnd)
	return false
}

// countTurn counts a turn of the data bus to writes, which no drain does where
// the queue is unified.
func (c *Controller) countTurn(to direction) {
	if to == writing && c.lastColumn == reading {
		c.stats.Drains++
	}
	c.lastColumn = to
}

// classify counts a request when its first column command is sent.
func (c *Controller) classify(b *bank, e *entry, k *TenantStats) {
	bytes := uint64(protocol.SectorBytes * protocol.SectorCount(e.transfer))
	if e.write {
		k.Writes++
		k.WrittenBytes += bytes
	} else {
		k.Reads++
		k.ReadBytes += bytes
	}
	switch {
	case b.openedFor != e:
		k.RowHits++
	case b.openedInConflict:
		k.RowConflicts++
	default:
		k.RowMisses++
	}
}

// finish takes a request out of its queue after its last column command.
func (c *Controller) finish(b *bank, e *entry, k *TenantStats, now, dataEnd uint64) {
	b.remove(c.drain.present, e)
	if c.ranker != nil {
		c.ranker.served(e, b.number, now)
	}
	if !c.spec.EntryPerBurst {
		c.leave(1)
	}
	if e.write {
		c.written.remove(e.request.Addr)
		c.pool.Put(e.request)
		c.entries.Put(e)
	} else {
		k.ReadLatencyCycles += dataEnd - e.accepted
		if c.latencies != nil && !e.request.Context {
			c.latencies.Add(latency.DRAMService, e.account.Tenant(), c.Domain().At(dataEnd-e.due))
		}
		if t := e.trace(); t != 0 {
			c.journeys.Mark(t, journey.Fetched, c.Domain().At(dataEnd))
		}
		c.answer(e, dataEnd+uint64(c.spec.ReturnLatency))
	}
	if c.idle() {
		c.stats.BusyCycles += dataEnd - c.busyFrom
	}
}

// Stats returns the counters up to the present cycle. It may be called in the middle of an
// instant, when the controller lags behind.
func (c *Controller) Stats() Stats {
	d := c.Domain()
	c.CatchUp(d.Engine().Now())
	now := uint64(d.Engine().Now() / d.Period())
	idle := c.idle()
	if idle {
		c.refreshIdle(now)
	}
	s := c.stats
	s.Accounts = slices.Clone(s.Accounts)
	switch {
	case !idle && now > c.busyFrom:
		s.BusyCycles += now - c.busyFrom
	case idle && now < c.dataUntil:
		s.BusyCycles -= c.dataUntil - now
	}
	return s
}
