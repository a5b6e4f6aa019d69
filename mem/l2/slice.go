// Package l2 models the slice of the L2 cache that sits between the crossbars and
// one DRAM channel: write-back, write-allocate, with sectors as an option.
//
// The slice looks up a request HitLatency after the edge at which it sees it, one request
// per cycle and in order. A hit is answered at the edge of its look-up. A miss takes an
// MSHR entry and a pinned line. Its fetch leaves for the DRAM DRAMLatency cycles later,
// behind the write-back of a dirty victim. When the data arrive, the waiting requests are
// answered from that edge on, one per cycle. So a miss costs HitLatency + DRAMLatency + the
// DRAM's round trip. A request that lacks an MSHR, a line or queue room holds up the
// requests behind it.
//
// A write makes its sectors dirty. They are written to the DRAM when their line is displaced,
// or when DirtyWays says that too many lines of its set are dirty. FetchOnWrite decides about a
// sector that is not valid and that the write covers only in part:
//
//   - Without FetchOnWrite a write fetches nothing and is performed at once. Sectors that it
//     covers wholly become valid. In the other sectors a mask marks the written bytes,
//     as in the DRAM's write command, and a later read fetches the sector. Most kernels
//     never read what they write, and save the fetch.
//   - With FetchOnWrite the write fetches that sector, or without sectors the line, and
//     waits in an MSHR entry as a read does. It is performed when the data have arrived, so
//     every dirty sector is valid. A request names its complete sectors, not its bytes, so
//     waiting for writes to the rest of a sector would save no fetch. GPGPU-Sim 3.2.2 fetches
//     the line too, but passes the write itself on to the DRAM at once and leaves the line
//     clean: as many bytes, written earlier.
//
// A request may have a priority, which its line then has until a request with another one: the line makes
// room first, by its last use, or last, in ways that are set aside (SetAside). A write-back or a
// fetch is as usual.
//
// Requests for one sector are performed in order of arrival: while a request waits in an
// MSHR entry, later requests for its sectors queue up behind it, even if they would hit.
package l2

import (
	"cotenant/components"
	"cotenant/mem"
	"cotenant/mem/cache"
	"cotenant/metrics/journey"
	"cotenant/metrics/latency"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Slice is one slice of the L2 cache.
type Slice struct {
	components.Module

	// Request takes *protocol.Packet from the request crossbar, Reply gives them to
	// the reply crossbar, and DRAM exchanges *protocol.DRAMRequest with the controller.
	Request, Reply, DRAM *components.Port

	// Copies deals with other slices, nil where every SM asks a line's home.
	Copies *Copies

	spec      Spec
	number    uint16
	addresses *mem.AddressMap
	pool      *components.Pool[protocol.DRAMRequest]

	tags    *cache.Tags
	mshrs   *cache.Entries
	missOf  []uint16           // MSHR entries of the lines that are pinned
	waiting []*protocol.Packet // in MSHR entries, by token; as many as waited at once so far
	tokens  []uint32           // not in use

	lookups components.FIFO[timed[protocol.Packet]] // on their way to the lookup
	replies *components.Outlet                      // for the reply crossbar
	memory  *components.Outlet                      // for the DRAM

	loading  int    // context loads that wait for the DRAM
	filled   int    // MSHR entry that has its requests performed, or cache.None
	unitFree uint64 // first cycle at which the atomic unit lets a request in
	portHeld uint64 // cycles for which the last reply holds the data port
	// portCycles is how long a reply holds the data port, by its sectors.
	portCycles [protocol.SectorsPerLine + 1]uint64

	stalledBy stall             // what holds up the request to be looked up
	stalledAt uint64            // since when
	latencies *latency.Recorder // nil: not measured
	lines     Lines             // nil: lines are not counted
	journeys  *journey.Recorder // of packets with a Trace
	stats     Stats
}

// Lines counts sectors by the lines of programs.
type Lines interface {
	// L2: a request of an SM has been looked up.
	L2(line uint32, sectors uint8)
	// DRAM: sectors have come from DRAM for a request.
	DRAM(line uint32, sectors uint8)
}

// MeasureLatencies has the slice measure how long requests take.
func (s *Slice) MeasureLatencies(r *latency.Recorder) { s.latencies = r }

// Follow has the slice tell of loads that are followed.
func (s *Slice) Follow(r *journey.Recorder) { s.journeys = r }

// CountLines has the slice count by line.
func (s *Slice) CountLines(l Lines) { s.lines = l }

// timed is a message that may go on from cycle at on.
type timed[T any] struct {
	msg *T
	at  uint64
}

// Stats are the slice's counters, up to date after every edge.
func (s *Slice) Stats() *Stats { return &s.stats }

// Held is the number of lines of the slice that a tenant owns.
func (s *Slice) Held(id tenant.ID) int { return s.tags.Held(id) }

// SetAside sets aside ways of each set for lines with workload.EvictLast, at most MaxSetAside of the Spec.
func (s *Slice) SetAside(ways int) { s.tags.SetAside(ways) }

// Release has all lines with workload.EvictLast be as with EvictNormal.
func (s *Slice) Release() { s.tags.Release() }

// Empty drops every line, dirty or not; what is on its way still comes.
func (s *Slice) Empty() { s.tags.Empty() }

// Tick lets a hit through from lookup to reply, and a miss without DRAMLatency
// from lookup to DRAM, within one edge. It never asks for the next edge as such,
// but books the first one at which something can move.
func (s *Slice) Tick(cycle uint64) bool {
	moved := s.fill(cycle)
	if s.Copies != nil {
		moved = s.Copies.told(cycle) || moved
	}
	if cycle >= s.unitFree {
		waiting := s.filled
		moved = s.perform(cycle) || moved
		// An entry of which nothing is left to perform lets the next fill in.
		moved = moved || s.filled != waiting
	}
	moved = s.accept(cycle) || moved
	if s.Copies != nil {
		moved = s.Copies.accept(cycle) || moved
		moved = s.Copies.send(cycle) || moved
	}
	moved = s.replies.Send(cycle) || moved
	moved = s.memory.Send(cycle) || moved
	s.rest(cycle, moved)
	return false
}

// accept starts a request on its way to the lookup.
func (s *Slice) accept(cycle uint64) bool {
	if s.lookups.Full() {
		return false
	}
	msg := s.Request.Front()
	if msg == nil {
		return false
	}
	p, ok := msg.(*protocol.Packet)
	if !ok {
		s.Request.Unknown()
		return false
	}
	if p.Trace != 0 {
		s.journeys.Slice(p.Trace, int(s.number), s.Domain().At(cycle))
	}
	s.lookups.Push(timed[protocol.Packet]{p, cycle + uint64(s.spec.HitLatency)})
	s.Request.Pop()
	if s.latencies != nil && p.Kind <= protocol.Atomic {
		s.latencies.Add(latency.Request, p.Tenant(), s.Domain().At(cycle)-components.Time(p.Sent)*s.latencies.Core)
	}
	return true
}

// perform lets one request at the tags and data: first the requests that wait for the
// line that has arrived, then the oldest that has come in.
func (s *Slice) perform(cycle uint64) bool {
	if s.filled != cache.None && s.performWaiting(cycle) {
		return true
	}
	if s.Copies != nil {
		return s.Copies.perform(cycle)
	}
	return s.performNext(cycle)
}

// performNext lets the oldest request of an SM at the tags and data.
func (s *Slice) performNext(cycle uint64) bool {
	if s.lookups.Len() == 0 || s.lookups.Front().at > cycle {
		return false
	}
	p := s.lookups.Front().msg
	why := notStalled
	if s.Copies != nil && !s.Copies.home(p.Addr) {
		why = s.Copies.lookup(p, cycle)
	} else {
		why = s.look(p, cycle)
	}
	if why != notStalled {
		if s.stalledBy == notStalled {
			s.stalledBy, s.stalledAt = why, cycle
		}
		return false
	}
	s.stats.Accounts.Of(p.Account).countStall(s.stalledBy, cycle-s.stalledAt)
	s.stalledBy = notStalled
	if s.latencies != nil && p.Kind != protocol.ContextSave && p.Kind != protocol.ContextLoad {
		arrived := s.lookups.Front().at - uint64(s.spec.HitLatency)
		s.latencies.Add(latency.L2Queue, p.Tenant(), s.Domain().At(cycle-arrived))
	}
	if s.lines != nil {
		s.lines.L2(p.Line, p.Sectors)
	}
	if p.Trace != 0 {
		s.journeys.Mark(p.Trace, journey.LookedUp, s.Domain().At(cycle))
	}
	s.lookups.Pop()
	return true
}

// look lets a request for a line of the slice's own at the tags and data.
func (s *Slice) look(p *protocol.Packet, cycle uint64) stall {
	if p.Kind == protocol.ContextSave || p.Kind == protocol.ContextLoad {
		return s.passContext(p, cycle)
	}
	return s.lookup(p, cycle)
}

// answer performs a request on a line and queues the reply: the packet itself,
// turned round.
func (s *Slice) answer(p *protocol.Packet, line int, cycle uint64) {
	if s.Copies != nil {
		s.Copies.performed(p, line)
	}
	switch p.Kind {
	case protocol.Read:
		p.Kind = protocol.ReadReply
	case protocol.Write:
		s.tags.Fill(line, p.FullSectors)
		s.modified(p, line, cycle)
		p.Kind = protocol.WriteAck
	case protocol.Atomic:
		s.modified(p, line, cycle)
		p.Kind = protocol.AtomicReply
		cycle += s.atomicCycles(p) - 1
		s.unitFree = cycle + 1
	}
	s.reply(p, cycle)
}

// modified makes what a request has changed of a line dirty, and cleans lines of its set if too
// many are dirty. A request that waited in an MSHR entry goes on without room for that, so that
// data from the DRAM never wait for requests to it; the set is brought back to its limit later.
func (s *Slice) modified(p *protocol.Packet, line int, cycle uint64) {
	clean := s.spec.DirtyWays > 0 && !s.tags.Dirty(line)
	s.tags.MarkDirty(line, p.Sectors)
	for clean && s.memory.Free(cycle, 1) > 0 {
		cleaned, ok := s.tags.Clean(line, s.spec.DirtyWays)
		if !ok {
			return
		}
		s.writeBack(cleaned, cycle)
		p.DRAMAccesses++
		s.stats.Accounts.Of(p.Account).DRAMAccesses++
	}
}

// reply queues a reply, to an SM or to a slice that holds a copy. It leaves for an SM as
// soon as its first bytes are read; the data port stays busy until the last.
func (s *Slice) reply(p *protocol.Packet, from uint64) {
	_, bytes := p.Route()
	s.stats.Accounts.Of(p.Account).ReplyBytes += uint64(bytes)
	if p.Copy {
		s.Copies.answers.Push(timed[protocol.Packet]{p, from})
	} else {
		p.Sent = from
		if p.Trace != 0 {
			s.journeys.Mark(p.Trace, journey.Answered, s.Domain().At(from))
		}
		s.replies.Push(p, from, s.portHeld)
		s.portHeld = s.portCycles[bytes/protocol.SectorBytes]
	}
}

// noRoom reports whether the reply to a request has no room.
func (s *Slice) noRoom(p *protocol.Packet, cycle uint64) bool {
	if p.Copy {
		return s.Copies.full()
	}
	return s.full(cycle)
}

// full reports whether a reply to an SM has no room. The slice wakes when there is some.
func (s *Slice) full(cycle uint64) bool {
	if s.replies.Free(cycle, 1) > 0 {
		return false
	}
	s.replies.WakeAfterNext(1)
	return true
}

// atomicCycles is how long an atomic packet occupies the slice. The packet
// does not say which lane falls in which sector; they are taken as spread
// evenly.
func (s *Slice) atomicCycles(p *protocol.Packet) uint64 {
	lanes, sectors := max(1, int(p.Lanes)), max(1, protocol.SectorCount(p.Sectors))
	return uint64((lanes + sectors - 1) / sectors * s.spec.AtomicInterval)
}

// rest wakes the slice when the next thing falls due. Work that is overdue waits for
// something else to move, and can go on at the next edge if anything moved at this one.
// A port wakes the slice for a message, or for room that it has been asked for.
func (s *Slice) rest(cycle uint64, moved bool) {
	const never = ^uint64(0)
	next := never
	due := func(at uint64, overdue bool) {
		if at > cycle {
			next = min(next, at)
		} else if overdue {
			next = cycle + 1
		}
	}
	if s.filled != cache.None {
		due(s.unitFree, moved)
	}
	if s.lookups.Len() > 0 {
		due(max(s.lookups.Front().at, s.unitFree), moved)
	}
	if at, ok := s.replies.Next(); ok {
		due(at, at <= cycle && s.Reply.CanPush())
	}
	if at, ok := s.memory.Next(); ok {
		due(at, at <= cycle && s.DRAM.CanPush())
	}
	if moved && (s.Request.Front() != nil || s.DRAM.Front() != nil) {
		due(cycle, true)
	}
	if s.Copies != nil {
		s.Copies.rest(cycle, moved, due)
	}
	if next != never {
		s.WakeAt(next)
	}
}
