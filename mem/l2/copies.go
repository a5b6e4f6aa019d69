package l2

import (
	"slices"

	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Copies is the part of a slice that deals with other slices: it holds copies of lines
// that have their home elsewhere, and serves slices that hold copies of its own lines.
//
// An SM's read of such a line hits the copy, or asks the home and keeps the data. A copy
// takes a line when the data arrive, never pins it, and is never dirty. Its priority stays
// normal: what an access says about the line holds at the home. Writes, atomics
// and contexts pass on to the home, which performs and answers them. A write updates the
// sectors of the copy on its way; an atomic makes them invalid.
//
// The home keeps in its tags which slices hold copies of a line. When it performs a write
// or an atomic that came by another way, or displaces the line, it has their copies
// dropped. The messages of two slices stay in order, so no read finds data older than a
// write that its home has performed before the read.
//
// Requests of other slices never wait for a slice's own requests to other homes: those
// take MSHR entries and queues of their own, so two slices cannot wait for one another.
type Copies struct {
	components.Module

	// Ask and Told exchange *protocol.Packet with homes, Served and Answer with slices
	// that hold copies of this slice's lines.
	Ask, Told, Served, Answer *components.Port

	slice   *Slice
	packets *components.Pool[protocol.Packet]
	mshrs   *cache.MSHRs
	stale   []uint8 // by entry, sectors that were written while they came
	cost    []uint8 // by entry, DRAM accesses that the first read has caused
	filled  int     // entry that has its reads performed, or cache.None
	passing int     // requests that homes perform, below the Spec's MSHRs

	asks    components.FIFO[timed[protocol.Packet]]
	lookups components.FIFO[timed[protocol.Packet]] // of other slices
	answers components.FIFO[timed[protocol.Packet]]

	holders []int    // slices that may hold copies of this slice's lines
	held    []uint16 // by line, a bit for each holder with a copy
	others  bool     // another slice had its turn last
	stats   CopyStats
}

// maxHolders bounds the slices with copies of one line.
const maxHolders = 16

// newCopies gives a slice its part.
func (b Builder) newCopies(s *Slice) *Copies {
	n := s.spec.MSHRs
	c := &Copies{
		slice: s, packets: b.packets, holders: b.holders,
		mshrs: cache.NewMSHRs(n, s.spec.MSHRMerge), stale: make([]uint8, n), cost: make([]uint8, n),
		filled:  cache.None,
		asks:    components.NewFIFO[timed[protocol.Packet]](s.spec.RequestQueue),
		lookups: components.NewFIFO[timed[protocol.Packet]](s.spec.farHitLatency()),
		answers: components.NewFIFO[timed[protocol.Packet]](s.spec.ReplyQueue + 2*len(b.holders)),
		held:    make([]uint16, s.spec.Sets*s.spec.Ways),
	}
	c.Init(s.Name()+".Copies", b.domain, c)
	c.Ask = s.NewPort("Home.Request", 1)
	c.Told = s.NewPort("Home.Reply", s.spec.ReplyQueue)
	c.Served = s.NewPort("Copy.Request", s.spec.RequestQueue)
	c.Answer = s.NewPort("Copy.Reply", 1)
	return c
}

// Tick does nothing: the slice ticks its parts itself.
func (c *Copies) Tick(uint64) bool { return false }

// Stats are the counters, up to date after every edge.
func (c *Copies) Stats() *CopyStats { return &c.stats }

// home reports whether an address has its home in this slice.
func (c *Copies) home(addr uint64) bool { return c.slice.addresses.Slice(addr) == int(c.slice.number) }

// full reports whether a request that the slice performs could lack room for its answer
// and for what it has dropped.
func (c *Copies) full() bool { return c.answers.Free() <= len(c.holders) }

// accept starts a request of another slice on its way to the lookup.
func (c *Copies) accept(cycle uint64) bool {
	p, ok := c.Served.Front().(*protocol.Packet)
	if !ok {
		c.Served.Unknown()
		return false
	}
	if c.lookups.Full() {
		return false
	}
	c.lookups.Push(timed[protocol.Packet]{p, cycle + uint64(c.slice.spec.farHitLatency())})
	c.Served.Pop()
	return true
}

// perform lets one request at the tags and data: first a read that waits for a copy that
// has arrived, then requests of SMs and of other slices by turns.
func (c *Copies) perform(cycle uint64) bool {
	if c.filled != cache.None {
		if c.slice.full(cycle) {
			return false
		}
		c.performWaiting(cycle)
		return true
	}
	if c.others {
		if c.slice.performNext(cycle) {
			c.others = false
			return true
		}
		return c.serve(cycle)
	}
	if c.serve(cycle) {
		c.others = true
		return true
	}
	return c.slice.performNext(cycle)
}

// serve performs the oldest request of another slice.
func (c *Copies) serve(cycle uint64) bool {
	if c.lookups.Len() == 0 || c.lookups.Front().at > cycle || c.slice.look(c.lookups.Front().msg, cycle) != notStalled {
		return false
	}
	c.lookups.Pop()
	return true
}

// lookup performs an SM's request for a line that has another home, or passes it on, or
// changes nothing and says what it lacks.
func (c *Copies) lookup(p *protocol.Packet, cycle uint64) stall {
	s := c.slice
	if p.Kind != protocol.Read {
		return c.pass(p, cycle)
	}
	line, valid := s.tags.Probe(p.Addr, p.Sectors)
	if valid == p.Sectors {
		if s.full(cycle) {
			return noQueueRoom
		}
		s.tags.Touch(line)
		c.count(p, line, 0, false)
		s.answer(p, line, cycle)
		return notStalled
	}
	entry := c.mshrs.Lookup(p.Addr)
	fetch := p.Sectors &^ valid
	if !s.spec.Sectored {
		fetch = protocol.AllSectors
	}
	if entry == cache.None {
		if c.mshrs.Full() {
			return noReservation
		}
	} else {
		if c.stale[entry]&p.Sectors != 0 || c.mshrs.MergeFull(entry) {
			return noReservation
		}
		fetch &^= c.mshrs.Missing(entry)
	}
	if fetch != 0 && c.asks.Full() {
		return noQueueRoom
	}
	if entry == cache.None {
		entry = c.mshrs.Allocate(p.Addr, cache.None)
		c.stale[entry], c.cost[entry] = 0, 0
	}
	c.count(p, line, fetch, true)
	if fetch != 0 {
		c.ask(p, 0, fetch, cycle)
	}
	c.mshrs.Wait(entry, p.Sectors&^valid, fetch, s.park(p))
	return notStalled
}

// count books the lookup of a read.
func (c *Copies) count(p *protocol.Packet, line int, fetch uint8, waits bool) {
	p.DRAMAccesses = 0
	c.slice.stats.Accounts.Of(p.Account).countLookup(p, line != cache.None, fetch != 0, waits)
	k := c.stats.Accounts.Of(p.Account)
	k.Reads++
	if !waits {
		k.Hits++
	}
}

// pass hands a request that is no read on to its home.
func (c *Copies) pass(p *protocol.Packet, cycle uint64) stall {
	switch {
	case c.passing == c.slice.spec.MSHRs:
		return noReservation
	case c.asks.Full():
		return noQueueRoom
	}
	line, _ := c.slice.tags.Probe(p.Addr, 0)
	if line != cache.None && p.Kind == protocol.Atomic {
		c.slice.tags.Invalidate(line, p.Sectors)
	}
	if entry := c.mshrs.Lookup(p.Addr); entry != cache.None {
		c.stale[entry] |= p.Sectors
	}
	c.passing++
	c.stats.Accounts.Of(p.Account).Passed++
	c.ask(p, c.slice.park(p), p.Sectors, cycle)
	return notStalled
}

// ask queues a request to a home: a copy of the SM's request, for some of its sectors.
func (c *Copies) ask(p *protocol.Packet, tag uint32, sectors uint8, cycle uint64) {
	q := c.packets.Get()
	*q = protocol.Packet{Kind: p.Kind, Addr: p.Addr, Sectors: sectors, Account: p.Account, Line: p.Line, WrittenBytes: p.WrittenBytes, FullSectors: p.FullSectors,
		Priority: p.Priority, Lanes: p.Lanes, SM: c.slice.number, Slice: uint16(c.slice.addresses.Slice(p.Addr)), Tag: tag, Copy: true}
	c.asks.Push(timed[protocol.Packet]{q, cycle})
}

// told takes a message of a home, once the reads that the last one let go on have been
// performed.
func (c *Copies) told(cycle uint64) bool {
	if c.filled != cache.None {
		return false
	}
	p, ok := c.Told.Front().(*protocol.Packet)
	if !ok {
		c.Told.Unknown()
		return false
	}
	switch p.Kind {
	case protocol.ReadReply:
		c.fill(p, cycle)
	case protocol.Drop:
		if line, _ := c.slice.tags.Probe(p.Addr, 0); line != cache.None {
			c.slice.tags.Drop(line)
			c.stats.Accounts.Of(p.Account).Dropped++
		}
	default:
		if c.slice.full(cycle) {
			return false
		}
		c.passing--
		q := c.slice.unpark(p.Tag)
		q.Kind, q.DRAMAccesses = p.Kind, p.DRAMAccesses
		c.slice.reply(q, cycle)
	}
	c.Told.Pop()
	c.packets.Put(p)
	return true
}

// fill puts data of a home into a copy.
func (c *Copies) fill(p *protocol.Packet, cycle uint64) {
	s := c.slice
	entry := c.mshrs.Lookup(p.Addr)
	c.cost[entry] += p.DRAMAccesses
	line, _ := s.tags.Probe(p.Addr, 0)
	if line == cache.None {
		line = c.take(p, entry, cycle)
	}
	if line != cache.None {
		s.tags.Fill(line, p.Sectors&^c.stale[entry])
	}
	c.mshrs.Arrive(entry, p.Sectors)
	c.settle(entry)
}

// take gives a copy a line, or None where no line can be had at once: all are pinned, or
// there is no room for a dirty victim or for what its displacement has dropped.
func (c *Copies) take(p *protocol.Packet, entry int, cycle uint64) (line int) {
	s := c.slice
	if s.memory.Free(cycle, 1) == 0 || c.full() {
		return cache.None
	}
	line, victim, _ := s.tags.Reserve(p.Addr, p.Account)
	if line == cache.None {
		return cache.None
	}
	c.displaced(line, victim)
	if victim.Dirty != 0 {
		s.writeBack(victim, cycle)
		s.stats.Accounts.Of(p.Account).DRAMAccesses++
		c.cost[entry]++
	}
	return line
}

// settle has the ready reads of an entry performed, or frees the entry.
func (c *Copies) settle(entry int) {
	c.filled = cache.None
	if c.mshrs.Ready(entry) {
		c.filled = entry
	} else {
		c.mshrs.Free(entry)
	}
}

// performWaiting performs the oldest read that waits for a copy.
func (c *Copies) performWaiting(cycle uint64) {
	entry := c.filled
	token, _ := c.mshrs.Next(entry)
	p := c.slice.unpark(token)
	p.DRAMAccesses, c.cost[entry] = c.cost[entry], 0
	c.slice.answer(p, cache.None, cycle)
	c.settle(entry)
}

// performed notes that the home has performed a request on a line: who has a copy from
// now on, and which copies must go.
func (c *Copies) performed(p *protocol.Packet, line int) {
	asker := uint16(0)
	if p.Copy {
		asker = 1 << slices.Index(c.holders, int(p.SM))
	}
	switch {
	case p.Kind != protocol.Read:
		c.drop(p.Addr, c.held[line]&^asker)
		c.held[line] &= asker
	case p.Copy:
		c.held[line] |= asker
	}
}

// displaced has the copies of a line dropped that makes room for another.
func (c *Copies) displaced(line int, victim cache.Victim) {
	c.drop(victim.Addr, c.held[line])
	c.held[line] = 0
}

// drop tells holders to drop a line.
func (c *Copies) drop(addr uint64, holders uint16) {
	for i := range c.holders {
		if holders>>i&1 != 0 {
			p := c.packets.Get()
			*p = protocol.Packet{Kind: protocol.Drop, Addr: addr, Account: tenant.ID(addr >> tenant.AddressShift).Rest(), SM: uint16(c.holders[i])}
			c.answers.Push(timed[protocol.Packet]{p, 0})
		}
	}
}

// send passes on the oldest request to a home, and the oldest answer to another slice.
func (c *Copies) send(cycle uint64) (moved bool) {
	if c.asks.Len() > 0 && c.asks.Front().at <= cycle && c.Ask.Push(c.asks.Front().msg) {
		c.asks.Pop()
		moved = true
	}
	if c.answers.Len() > 0 && c.answers.Front().at <= cycle && c.Answer.Push(c.answers.Front().msg) {
		c.answers.Pop()
		moved = true
	}
	return moved
}

// rest says what falls due when, as Slice.rest does.
func (c *Copies) rest(cycle uint64, moved bool, due func(at uint64, overdue bool)) {
	if c.filled != cache.None {
		due(c.slice.unitFree, moved)
	}
	if c.lookups.Len() > 0 {
		due(max(c.lookups.Front().at, c.slice.unitFree), moved)
	}
	if c.asks.Len() > 0 {
		due(c.asks.Front().at, c.Ask.CanPush())
	}
	if c.answers.Len() > 0 {
		due(c.answers.Front().at, c.Answer.CanPush())
	}
	if c.Served.Len() > 0 || c.Told.Len() > 0 {
		due(cycle, moved)
	}
}
