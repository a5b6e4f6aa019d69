// Package rocache models a cache of an SM for data that kernels only read: constants,
// textures and read-only loads. It has one level or two. Accesses that miss wait in
// MSHR entries; the L1's miss queue carries their requests to the L2. A line takes its
// place when its data arrive, so a place is always free, and all accesses that wait for
// the line complete at once.
package rocache

import (
	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/tenant"
)

// TenantStats counts a read-only cache's work for one tenant. An access is one
// line of one warp instruction.
type TenantStats struct {
	Accesses            uint64 // loads that looked up the cache
	Hits                uint64 // every sector was in the first level
	SecondHits          uint64 // every other sector was in the second level
	Misses              uint64 // fetched from the L2, merged misses included
	Merges              uint64 // misses that joined an outstanding one
	ReservationFailures uint64 // accesses that had to wait for an MSHR or the miss queue
}

// Cache is a read-only cache. It looks up one line at each call of Access.
type Cache struct {
	spec          Spec
	first, second *cache.Tags // second: nil without
	mshrs         *cache.MSHRs
	parts         Parts
	stats         tenant.PerAccount[TenantStats]
}

// Parts are what a Cache works with.
type Parts struct {
	SM      int                   // number of the SM
	Slice   func(line uint64) int // L2 slice of a line
	Packets *components.Pool[protocol.Packet]
	Waiter  l1.Waiter
	Queue   l1.MissQueue
	// Tag marks the packets, so that the SM can send a reply to its cache.
	Tag uint32
}

// New makes an empty cache; nil if the Spec, which must be valid, says that there
// is none.
func New(spec Spec, p Parts) *Cache {
	if spec.Sets == 0 {
		return nil
	}
	var index cache.Index
	index.Function, _ = cache.ParseFunction(spec.SetIndex, spec.Sets) // validated before
	c := &Cache{spec: spec, parts: p, mshrs: cache.NewMSHRs(spec.MSHRs, spec.MSHRMerge),
		first: cache.NewTags(spec.Sets, spec.Ways, index)}
	if spec.SecondSets > 0 {
		c.second = cache.NewTags(spec.SecondSets, spec.SecondWays, index)
	}
	return c
}

// Access looks up a line for a load, or reports that something which a miss needs
// is not free; then nothing has changed.
func (c *Cache) Access(m *l1.Request, a *l1.Access, cycle uint64) l1.Outcome {
	need := a.Sectors
	if !c.spec.Sectored {
		need = protocol.AllSectors
	}
	stats := c.stats.Of(m.Account)
	line, valid := c.first.Probe(a.Line, need)
	if valid == need {
		stats.Accesses++
		stats.Hits++
		c.first.Touch(line)
		return c.due(m.Op, cycle, c.spec.HitLatency)
	}
	if c.second != nil {
		line, there := c.second.Probe(a.Line, need)
		if valid|there == need {
			stats.Accesses++
			stats.SecondHits++
			c.second.Touch(line)
			fill(c.first, a.Line, need, m.Account)
			return c.due(m.Op, cycle, c.spec.SecondLatency)
		}
		valid |= there
	}
	return c.miss(m, a.Line, need, valid, cycle)
}

// due has an access be done a load-to-use latency after the issue, which was a
// cycle ago.
func (c *Cache) due(op uint32, cycle uint64, latency int) l1.Outcome {
	c.parts.Waiter.AccessDoneAt(op, cycle+uint64(latency)-1)
	return l1.Due
}

// miss lets an access wait for sectors, and fetches the sectors that are neither valid
// nor on their way.
func (c *Cache) miss(m *l1.Request, addr uint64, need, valid uint8, cycle uint64) l1.Outcome {
	entry := c.mshrs.Lookup(addr)
	merged := entry != cache.None
	fetch := need &^ valid
	if merged {
		fetch &^= c.mshrs.Missing(entry)
	}
	if fetch != 0 && !c.parts.Queue.Room(protocol.Read, m.Account.Tenant()) {
		return l1.Refused
	}
	if merged {
		if c.mshrs.MergeFull(entry) {
			return l1.Refused
		}
	} else {
		if c.mshrs.Full() {
			return l1.Refused
		}
		entry = c.mshrs.Allocate(addr, cache.None)
	}
	stats := c.stats.Of(m.Account)
	stats.Accesses++
	stats.Misses++
	if merged {
		stats.Merges++
	}
	c.mshrs.Wait(entry, need, fetch, m.Op)
	if fetch != 0 {
		p := c.parts.Packets.Get()
		*p = protocol.Packet{Kind: protocol.Read, Addr: addr, Sectors: fetch, Account: m.Account, Line: m.Line, Trace: m.Trace, Tag: c.parts.Tag, Sent: cycle,
			SM: uint16(c.parts.SM), Slice: uint16(c.parts.Slice(addr)), Priority: m.Priority(addr)}
		c.parts.Queue.Push(p, cycle+uint64(c.spec.MissLatency))
	}
	return l1.Missed
}

// fill makes sectors of a line valid, which is taken if it is not there.
func fill(tags *cache.Tags, addr uint64, sectors uint8, owner tenant.Account) {
	line, _ := tags.Probe(addr, 0)
	if line == cache.None {
		line, _, _ = tags.Reserve(addr, owner) // no line is ever pinned
	}
	tags.Fill(line, sectors)
}

// Reply takes a packet of the cache that has come back, and is done with it.
func (c *Cache) Reply(p *protocol.Packet) {
	fill(c.first, p.Addr, p.Sectors, p.Account)
	if c.second != nil {
		fill(c.second, p.Addr, p.Sectors, p.Account)
	}
	entry := c.mshrs.Lookup(p.Addr)
	c.mshrs.Arrive(entry, p.Sectors)
	for {
		op, ok := c.mshrs.Next(entry)
		if !ok {
			break
		}
		c.parts.Waiter.AccessDone(op)
	}
	c.mshrs.Free(entry)
	c.parts.Packets.Put(p)
}

// Invalidate drops a tenant's lines: its next kernel has been launched.
func (c *Cache) Invalidate(t tenant.ID) {
	c.first.InvalidateTenant(t)
	if c.second != nil {
		c.second.InvalidateTenant(t)
	}
}

// Outstanding is the number of lines that are on their way.
func (c *Cache) Outstanding() int { return c.mshrs.Len() }

// Refused counts an access of an account that has to wait.
func (c *Cache) Refused(a tenant.Account) { c.stats.Of(a).ReservationFailures++ }

// Stats are an account's counters.
func (c *Cache) Stats(a tenant.Account) *TenantStats { return c.stats.Of(a) }
