// Package l1 models an SM's L1 data cache: write-through, no write allocation, lines
// of 128 bytes in sectors. Loads that miss wait in MSHR entries; writes and
// atomics pass through to the L2, which performs them. Requests leave through a
// MissQueue, and a Victim chooses the line that a miss displaces.
package l1

import (
	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// Outcome is what became of an access.
type Outcome uint8

// The outcomes.
const (
	Refused Outcome = iota // something that it needs is not free: try again
	Hit                    // its data are there after HitLatency
	Missed                 // its data come from beyond the L1: Waiter.AccessDone says when
	Posted                 // no data come back; Waiter.AccessDone says when it is performed
	Due                    // its data are there after a time that Waiter.AccessDoneAt has been told
)

// Waiter is told of accesses that have been performed beyond the L1.
type Waiter interface {
	// AccessDone: an access of the operation of a number has been performed.
	AccessDone(op uint32)
	// AccessDoneAt: one will have been at a later cycle.
	AccessDoneAt(op uint32, cycle uint64)
}

// Access is what a memory instruction touches of one line, or of one sector of
// it.
type Access struct {
	Line    uint64    // address, tenant included
	Written [2]uint64 // bytes of the line that a store covers, one bit each
	Sectors uint8     // touched, bit 0 the lowest
	Lanes   uint8     // lanes with their first byte in the line
}

// FullSectors is the part of the access's sectors that its bytes cover wholly.
func (a *Access) FullSectors() (mask uint8) {
	for i := range protocol.SectorsPerLine {
		const sector = 1<<protocol.SectorBytes - 1
		if a.Written[i/2]>>(i%2*protocol.SectorBytes)&sector == sector {
			mask |= 1 << i
		}
	}
	return mask
}

// Request is the memory instruction that an access belongs to.
type Request struct {
	Op      uint32 // number of the operation, below 1<<31
	Account tenant.Account
	Class   workload.Class // Load, Store, Atomic, Reduction or Copy
	Bypass  bool           // a load that the L2 must serve
	// Space and ReadOnly say what a load may be cached by, and a store evicts.
	Space    workload.Space
	ReadOnly bool
	PC       uint32 // bytes from the kernel's first instruction
	Line     uint32 // of the program, see protocol.Packet
	Trace    uint16 // of a load, see protocol.Packet
	// Eviction is what the instruction says to the L2, and Window what its launch says of the
	// addresses there; nil: nothing.
	Eviction workload.Eviction
	Window   *workload.Window
}

// Priority is that of a line in the L2 after the access.
func (m *Request) Priority(line uint64) workload.Priority {
	addr := line - m.Account.Base()
	switch {
	case m.Eviction != 0:
		return m.Eviction.Of(addr)
	case m.Window != nil:
		return m.Window.Of(addr)
	}
	return workload.Unchanged
}

// Cache is the L1 data cache. It looks up one line at each call of Access.
type Cache struct {
	spec    Spec
	tags    *cache.Tags
	mshrs   *cache.MSHRs
	queue   MissQueue
	victim  Victim  // nil: least recently used
	watcher Watcher // victim, if it is one
	uses    []Use   // by MSHR entry, the load that each line comes for; nil without a victim
	by      Use     // the load that victim is told of
	waiter  Waiter
	packets *components.Pool[protocol.Packet]
	slice   func(line uint64) int
	sm      uint16
	globals globals
	returns returnPort
	ahead   ahead
	// hitDone is, by operation, the cycle at which the last load that missed would have
	// been done as a hit; nil without MissesTakeHitLatency.
	hitDone []uint64
	coming  int // sectors on their way
	stats   tenant.PerAccount[TenantStats]
}

// Parts are what a Cache works with.
type Parts struct {
	SM      int                   // number of the SM
	Slice   func(line uint64) int // L2 slice of a line
	Packets *components.Pool[protocol.Packet]
	Waiter  Waiter
	Queue   MissQueue
	Victim  Victim // nil: least recently used
	// Prefetcher may be nil: nothing is fetched that no load has asked for.
	Prefetcher Prefetcher
}

// direct marks the tag of a packet that serves one operation; the rest of the tag is the
// operation's number. Other packets serve an MSHR entry.
const direct = 1 << 31

// New makes an empty cache. The Spec must be valid.
func New(spec Spec, p Parts) *Cache {
	index, _ := cache.ParseFunction(spec.SetIndex, spec.Sets) // validated before
	c := &Cache{
		spec: spec, queue: p.Queue, victim: p.Victim, waiter: p.Waiter, packets: p.Packets, slice: p.Slice, sm: uint16(p.SM),
		tags:    cache.NewTags(spec.Sets, spec.Ways, cache.Index{Function: index}),
		mshrs:   cache.NewMSHRs(spec.MSHRs, spec.MSHRMerge),
		returns: returnPort{perCycle: spec.ReturnsPerCycle},
		ahead:   newAhead(&spec, p.Prefetcher),
	}
	if p.Victim != nil {
		c.watcher, _ = p.Victim.(Watcher)
		c.uses = make([]Use, spec.MSHRs)
	}
	c.globals, _ = parseGlobals(spec.Globals) // validated before
	if spec.MissesTakeHitLatency {
		c.hitDone = make([]uint64, spec.MSHRs)
	}
	return c
}

// Access performs one access of a memory instruction, or reports that something
// it needs is not free; then nothing has changed.
func (c *Cache) Access(m *Request, a *Access, cycle uint64) Outcome {
	stats := c.stats.Of(m.Account)
	switch m.Class {
	case workload.Load, workload.Copy:
		if !m.Bypass && (c.globals == cached || !c.past(m)) {
			return c.load(m, a, cycle)
		}
		if !c.queue.Room(protocol.Read, m.Account.Tenant()) {
			return Refused
		}
		stats.Bypasses++
		c.send(protocol.Packet{Kind: protocol.Read, Addr: a.Line, Sectors: a.Sectors, Account: m.Account, Line: m.Line, Trace: m.Trace, Tag: direct | m.Op,
			Priority: m.Priority(a.Line)}, cycle)
		return Missed
	case workload.Store:
		if !c.queue.Room(protocol.Write, m.Account.Tenant()) {
			return Refused
		}
		if c.spec.WriteEvict && m.Space == workload.Global {
			c.drop(a.Line, m.Account.Tenant())
		}
		stats.Writes++
		c.send(protocol.Packet{Kind: protocol.Write, Addr: a.Line, Sectors: a.Sectors, FullSectors: a.FullSectors(), Account: m.Account, Line: m.Line,
			WrittenBytes: uint8(protocol.SectorBytes * protocol.SectorCount(a.Sectors)), Tag: direct | m.Op, Priority: m.Priority(a.Line)}, cycle)
		return Posted
	}
	// Atomics are performed by the L2.
	if !c.queue.Room(protocol.Atomic, m.Account.Tenant()) {
		return Refused
	}
	c.drop(a.Line, m.Account.Tenant())
	stats.Atomics++
	c.send(protocol.Packet{Kind: protocol.Atomic, Addr: a.Line, Sectors: a.Sectors, Account: m.Account, Line: m.Line, Lanes: a.Lanes,
		WrittenBytes: uint8(protocol.SectorBytes * protocol.SectorCount(a.Sectors)), Tag: direct | m.Op, Priority: m.Priority(a.Line)}, cycle)
	if m.Class == workload.Atomic {
		return Missed
	}
	return Posted
}

// drop empties a line that is written beyond the L1, unless it is on its way.
func (c *Cache) drop(addr uint64, t tenant.ID) {
	line, _ := c.tags.Probe(addr, 0)
	if line != cache.None && c.tags.Pinned(line) {
		return
	}
	if line != cache.None {
		c.tags.Drop(line)
	}
	if c.watcher != nil {
		c.watcher.Dropped(c.tags.Set(addr), addr, t)
	}
}

// load looks up a line: a miss waits in an MSHR entry.
func (c *Cache) load(m *Request, a *Access, cycle uint64) Outcome {
	stats := c.stats.Of(m.Account)
	need := a.Sectors
	if !c.spec.Sectored {
		need = protocol.AllSectors
	}
	if c.watcher != nil {
		c.watcher.At(cycle)
	}
	line, valid := c.tags.Probe(a.Line, need)
	if valid == need {
		if c.victim != nil {
			c.hit(m, a, line)
		}
		stats.Accesses++
		stats.Hits++
		stats.Sectors += uint64(protocol.SectorCount(a.Sectors))
		c.tags.Touch(line)
		if c.ahead.prefetcher != nil {
			c.looked(m, a, line, true, cycle)
		}
		return Hit
	}
	entry := c.mshrs.Lookup(a.Line)
	merged := entry != cache.None
	fetch := need &^ valid
	if merged {
		fetch &^= c.mshrs.Missing(entry)
	}
	if fetch != 0 && !c.queue.Room(protocol.Read, m.Account.Tenant()) {
		return Refused
	}
	if c.spec.MSHRPerSector && c.coming+protocol.SectorCount(fetch) > c.spec.MSHRs {
		return Refused
	}
	if merged {
		if c.mshrs.MergeFull(entry) {
			return Refused
		}
	} else if entry = c.newMiss(m, a.Line, line, false); entry == cache.None {
		return Refused
	}
	c.loaded(m, a)
	stats.Accesses++
	stats.Misses++
	stats.Sectors += uint64(protocol.SectorCount(a.Sectors))
	if merged {
		stats.Merges++
		if c.ahead.prefetcher != nil {
			c.joined(entry, m.Account)
		}
	}
	c.mshrs.Wait(entry, need, fetch, m.Op)
	if c.hitDone != nil {
		c.noteHitDone(m.Op, cycle)
	}
	if fetch != 0 {
		c.coming += protocol.SectorCount(fetch)
		stats.FetchedSectors += uint64(protocol.SectorCount(fetch))
		c.send(protocol.Packet{Kind: protocol.Read, Addr: a.Line, Sectors: fetch, Account: m.Account, Line: m.Line, Trace: m.Trace, Priority: m.Priority(a.Line)}, cycle)
	}
	if c.ahead.prefetcher != nil {
		c.looked(m, a, cache.None, false, cycle)
	}
	return Missed
}

// loaded tells a Watcher of a load that has looked up a line.
func (c *Cache) loaded(m *Request, a *Access) {
	if c.watcher != nil {
		c.watcher.Loaded(c.tags.Set(a.Line), a.Line, m.Account.Tenant())
	}
}

// hit tells the victim of a load that has hit a line.
func (c *Cache) hit(m *Request, a *Access, line int) {
	c.loaded(m, a)
	set := c.tags.Set(a.Line)
	c.by = Use{Line: a.Line, PC: m.PC, Tenant: m.Account.Tenant()}
	c.victim.Hit(set, line-set.First(), &c.by)
}

// newMiss takes an MSHR entry for an address that a load, or the prefetch behind one,
// lacks. Unless lines are allocated on fill, newMiss pins the address's line, and takes
// one if the address has none. It returns None if either cannot be had.
func (c *Cache) newMiss(m *Request, addr uint64, line int, prefetched bool) int {
	if c.mshrs.Full() {
		return cache.None
	}
	if c.victim != nil {
		c.by = Use{addr, m.PC, m.Account.Tenant(), prefetched}
	}
	if !c.spec.AllocateOnFill {
		if line == cache.None {
			if line = c.reserve(addr, m.Account); line == cache.None {
				return cache.None
			}
		}
		c.tags.Pin(line)
	}
	entry := c.mshrs.Allocate(addr, line)
	if c.victim != nil {
		c.uses[entry] = c.by
	}
	return entry
}

// reserve takes a line for an address that has none; None if none can be had. The victim
// hears of the load in by.
func (c *Cache) reserve(addr uint64, owner tenant.Account) (line int) {
	if c.victim == nil {
		line, _, _ = c.tags.Reserve(addr, owner)
		return line
	}
	set := c.tags.Set(addr)
	way := c.victim.Pick(set, owner.Tenant())
	if way == cache.None {
		return cache.None
	}
	if !set.Empty(way) {
		c.victim.Evicted(set, way)
	}
	line, _ = c.tags.Take(set, way, addr, owner)
	c.victim.Filled(set, way, &c.by)
	return line
}

// send queues a packet for the request crossbar.
func (c *Cache) send(p protocol.Packet, cycle uint64) {
	packet := c.packets.Get()
	p.SM, p.Sent = c.sm, cycle
	p.Slice = uint16(c.slice(p.Addr))
	*packet = p
	c.queue.Push(packet, cycle+uint64(c.spec.MissLatency))
}

// Reply takes a packet that has come back, and is done with it.
func (c *Cache) Reply(p *protocol.Packet, cycle uint64) {
	if p.Tag&direct != 0 {
		c.waiter.AccessDone(p.Tag &^ direct)
	} else {
		c.fill(p, cycle)
	}
	c.packets.Put(p)
}

// fill puts a reply's sectors into their line and lets the loads go on that
// waited for them.
func (c *Cache) fill(p *protocol.Packet, cycle uint64) {
	entry := c.mshrs.Lookup(p.Addr)
	line := c.mshrs.Line(entry)
	if c.spec.AllocateOnFill {
		if c.watcher != nil {
			c.watcher.At(cycle)
		}
		if line, _ = c.tags.Probe(p.Addr, 0); line == cache.None {
			if c.victim != nil {
				c.by = c.uses[entry]
			}
			line = c.reserve(p.Addr, p.Account)
		}
	}
	if line != cache.None {
		c.tags.Fill(line, p.Sectors)
	}
	if c.ahead.prefetcher != nil {
		c.brought(entry, line)
	}
	c.mshrs.Arrive(entry, p.Sectors)
	c.coming -= protocol.SectorCount(p.Sectors)
	for {
		op, ok := c.mshrs.Next(entry)
		if !ok {
			break
		}
		c.release(op, cycle)
	}
	if c.mshrs.Free(entry) && !c.spec.AllocateOnFill {
		c.tags.Unpin(line)
	}
}

// Resize gives the cache as many ways of each set as it has room for, up to the Spec's.
func (c *Cache) Resize(ways int) { c.tags.Resize(ways) }

// Invalidate drops a tenant's lines: its next kernel has been launched.
func (c *Cache) Invalidate(t tenant.ID) {
	c.tags.InvalidateTenant(t)
	if c.watcher != nil {
		c.watcher.Invalidated(t)
	}
	if c.ahead.prefetcher != nil {
		c.ahead.prefetcher.Invalidated(t)
	}
}

// Next reports a cycle behind the given one at which an access that finds no way may
// find one, though no line has come or gone.
func (c *Cache) Next(cycle uint64) (next uint64, ok bool) {
	if c.watcher == nil {
		return 0, false
	}
	next = c.watcher.Next()
	return next, next > cycle
}

// Outstanding is the number of lines that are on their way.
func (c *Cache) Outstanding() int { return c.mshrs.Len() }

// Refused counts an access of an account that has to wait.
func (c *Cache) Refused(a tenant.Account) { c.stats.Of(a).ReservationFailures++ }

// Stats are an account's counters.
func (c *Cache) Stats(a tenant.Account) *TenantStats { return c.stats.Of(a) }
