package sm

import (
	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// l1d is the L1 data cache: write-through, no write allocation. It looks up
// one line a cycle.
type l1d struct {
	tags  *cache.Tags
	mshrs *cache.MSHRs
	// out holds packets on their way to the request crossbar.
	out    components.FIFO[outgoing]
	writes int // of those, writes and atomics
}

// outgoing is a packet that may leave the SM from cycle at on.
type outgoing struct {
	packet *protocol.Packet
	at     uint64
}

// direct marks the tag of a packet that serves one operation, whose number is
// the rest of the tag. Other packets serve an MSHR entry.
const direct = 1 << 31

func newL1D(spec *L1Spec) l1d {
	return l1d{
		tags:  cache.NewTags(spec.Sets, spec.Ways, cache.Index{Hash: true}),
		mshrs: cache.NewMSHRs(spec.MSHRs, spec.MSHRMerge),
		out:   components.NewFIFO[outgoing](spec.MissQueue),
	}
}

// accessL1 performs one access of a memory instruction, or reports that
// something it needs is not free.
func (s *SM) accessL1(m *memoryInst, a *access, cycle uint64) bool {
	c := &s.l1
	stats := &s.stats.Tenants[m.tenant].L1
	switch m.class {
	case workload.Load:
		if !m.bypass {
			return s.load(m, a, cycle)
		}
		if c.out.Full() {
			return false
		}
		stats.Bypasses++
		s.missed(m.op)
		s.send(protocol.Packet{Kind: protocol.Read, Addr: a.line, Sectors: a.sectors, Tenant: m.tenant, Tag: direct | m.op}, cycle)
		return true
	case workload.Store:
		if !s.roomForWrite() {
			return false
		}
		stats.Writes++
		s.send(protocol.Packet{Kind: protocol.Write, Addr: a.line, Sectors: a.sectors, FullSectors: a.full(), Tenant: m.tenant,
			WrittenBytes: uint8(protocol.SectorBytes * protocol.SectorCount(a.sectors)), Tag: direct | m.op}, cycle)
		return true
	default: // atomics are performed by the L2
		if !s.roomForWrite() {
			return false
		}
		if line, _ := c.tags.Probe(a.line, 0); line != cache.None && !c.tags.Pinned(line) {
			c.tags.Drop(line)
		}
		stats.Atomics++
		if m.class == workload.Atomic {
			s.missed(m.op)
		}
		s.send(protocol.Packet{Kind: protocol.Atomic, Addr: a.line, Sectors: a.sectors, Tenant: m.tenant, Lanes: a.lanes,
			WrittenBytes: uint8(protocol.SectorBytes * protocol.SectorCount(a.sectors)), Tag: direct | m.op}, cycle)
		return true
	}
}

func (s *SM) roomForWrite() bool {
	return !s.l1.out.Full() && s.l1.writes < s.spec.L1.StoreBuffer
}

// load looks up a line: a hit is done after the hit latency, a miss waits in an
// MSHR entry.
func (s *SM) load(m *memoryInst, a *access, cycle uint64) bool {
	c := &s.l1
	stats := &s.stats.Tenants[m.tenant].L1
	need := a.sectors
	if !s.spec.L1.Sectored {
		need = protocol.AllSectors
	}
	line, valid := c.tags.Probe(a.line, need)
	if valid == need {
		stats.Accesses++
		stats.Hits++
		c.tags.Touch(line)
		// The access itself is one cycle after the issue.
		s.wheel.add(cycle+uint64(s.spec.L1.HitLatency)-1, due{kind: dueAccess, id: m.op})
		return true
	}
	entry := c.mshrs.Lookup(a.line)
	merged := entry != cache.None
	fetch := need &^ valid
	if merged {
		fetch &^= c.mshrs.Missing(entry)
	}
	if fetch != 0 && c.out.Full() {
		return false
	}
	if merged {
		if c.mshrs.MergeFull(entry) {
			return false
		}
	} else if entry = s.newMiss(a.line, line, m.tenant); entry == cache.None {
		return false
	}
	stats.Accesses++
	stats.Misses++
	if merged {
		stats.Merges++
	}
	c.mshrs.Wait(entry, need, fetch, m.op)
	s.missed(m.op)
	if fetch != 0 {
		s.send(protocol.Packet{Kind: protocol.Read, Addr: a.line, Sectors: fetch, Tenant: m.tenant}, cycle)
	}
	return true
}

// newMiss takes an MSHR entry for an address and, unless lines are allocated
// on fill, pins the address's line, taking one if it has none. It returns None
// if either cannot be had.
func (s *SM) newMiss(addr uint64, line int, id tenant.ID) int {
	c := &s.l1
	if c.mshrs.Full() {
		return cache.None
	}
	if !s.spec.L1.AllocateOnFill {
		if line == cache.None {
			var ok bool
			if line, _, ok = c.tags.Reserve(addr, id); !ok {
				return cache.None
			}
		}
		c.tags.Pin(line)
	}
	return c.mshrs.Allocate(addr, line)
}

// send queues a packet for the request crossbar.
func (s *SM) send(p protocol.Packet, cycle uint64) {
	packet := s.packets.Get()
	p.SM = uint16(s.id)
	p.Slice = uint16(s.slice(p.Addr))
	*packet = p
	s.stats.Tenants[p.Tenant].MemoryRequests++
	if p.Kind != protocol.Read {
		s.l1.writes++
	}
	s.l1.out.Push(outgoing{packet, cycle + uint64(s.spec.L1.MissLatency)})
}

// sendRequests passes at most one packet a cycle to the request crossbar, of the
// SM's own and the preemption engine's in turn.
func (s *SM) sendRequests(cycle uint64) bool {
	out := &s.l1.out
	context := s.PreEng.Len() > 0
	if context && !s.ownTurn && s.sendContext() {
		s.ownTurn = true
		return true
	}
	if out.Len() == 0 || out.Front().at > cycle || !s.Request.CanPush() {
		return context && s.sendContext()
	}
	s.ownTurn = false
	p := out.Pop().packet
	if p.Kind != protocol.Read {
		s.l1.writes--
	}
	s.Request.Push(p)
	return true
}

// receive takes the replies that have arrived.
func (s *SM) receive() (moved bool) {
	for {
		p, ok := s.Reply.Front().(*protocol.Packet)
		if !ok {
			return moved
		}
		if p.Kind >= protocol.ContextSaved {
			if !s.PreEng.Push(p) {
				return moved
			}
			s.Reply.Pop()
			moved = true
			continue
		}
		s.Reply.Pop()
		if p.Tag&direct != 0 {
			s.accessDone(p.Tag &^ direct)
		} else {
			s.fill(p)
		}
		s.packets.Put(p)
		moved = true
	}
}

// fill puts a reply's sectors into their line and lets the loads go on that
// waited for them.
func (s *SM) fill(p *protocol.Packet) {
	c := &s.l1
	entry := c.mshrs.Lookup(p.Addr)
	line := c.mshrs.Line(entry)
	if s.spec.L1.AllocateOnFill {
		if line, _ = c.tags.Probe(p.Addr, 0); line == cache.None {
			line, _, _ = c.tags.Reserve(p.Addr, p.Tenant)
		}
	}
	c.tags.Fill(line, p.Sectors)
	c.mshrs.Arrive(entry, p.Sectors)
	for {
		op, ok := c.mshrs.Next(entry)
		if !ok {
			break
		}
		s.accessDone(op)
	}
	if c.mshrs.Free(entry) && !s.spec.L1.AllocateOnFill {
		c.tags.Unpin(line)
	}
}
