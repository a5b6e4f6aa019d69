package l2

import (
	"cotenant/mem/cache"
	"cotenant/metrics/journey"
	"cotenant/protocol"
	"cotenant/workload"
)

// stall is why a request cannot be looked up now.
type stall uint8

const (
	notStalled    stall = iota
	noReservation       // MSHR, room in one, or line
	noQueueRoom         // DRAM queue or reply queue
)

func (k *TenantStats) countStall(why stall, cycles uint64) {
	switch why {
	case noReservation:
		k.ReservationStalls += cycles
	case noQueueRoom:
		k.QueueStalls += cycles
	}
}

// lookup performs a request or has it wait in an MSHR entry, or changes nothing
// and says what it lacks.
func (s *Slice) lookup(p *protocol.Packet, cycle uint64) stall {
	line, valid := s.tags.Probe(p.Addr, p.Sectors)
	entry, waits := cache.None, false
	if line != cache.None && s.tags.Pinned(line) {
		entry = int(s.missOf[line])
		waits = s.mshrs.Sectors(entry)&p.Sectors != 0
	}
	lacking := p.Sectors &^ valid
	if p.Kind == protocol.Write {
		lacking = s.lackingForWrite(lacking, p.FullSectors)
	}
	var fetch uint8
	if lacking != 0 {
		waits = true
		fetch = s.fetchMask(lacking, entry)
	}
	if why := s.obstacle(p, line, entry, fetch, waits, cycle); why != notStalled {
		return why
	}

	found := line != cache.None
	accesses := uint8(0)
	if found {
		s.tags.Touch(line)
		if p.Priority != workload.Unchanged {
			s.tags.Prefer(line, p.Priority)
		}
	} else {
		var victim cache.Victim
		var ok bool
		if line, victim, ok = s.tags.ReserveFor(p.Addr, p.Account, p.Priority); !ok {
			return noReservation
		}
		if s.Copies != nil {
			s.Copies.displaced(line, victim)
		}
		if victim.Dirty != 0 {
			s.writeBack(victim, cycle)
			accesses++
		}
	}
	if waits && entry == cache.None {
		entry = s.mshrs.Allocate(line)
		s.missOf[line] = uint16(entry)
		s.tags.Pin(line)
	}
	if fetch != 0 {
		s.fetch(p, fetch, entry, cycle)
		accesses++
	}
	p.DRAMAccesses = accesses
	s.stats.Accounts.Of(p.Account).countLookup(p, found, fetch != 0, waits)
	if waits {
		if p.Trace != 0 && fetch == 0 {
			s.journeys.Join(p.Trace)
		}
		s.mshrs.Wait(entry, p.Sectors, fetch, s.park(p))
	} else {
		s.answer(p, line, cycle)
	}
	return notStalled
}

// lackingForWrite is the part of the invalid sectors that a write waits for. The write
// covers the sectors in full wholly.
func (s *Slice) lackingForWrite(lacking, full uint8) uint8 {
	switch {
	case !s.spec.FetchOnWrite:
		return 0
	case s.spec.Sectored:
		return lacking &^ full
	}
	return lacking
}

// fetchMask is what to ask the DRAM for, given the sectors that a request
// lacks and its line's MSHR entry.
func (s *Slice) fetchMask(lacking uint8, entry int) uint8 {
	if entry != cache.None {
		lacking &^= s.mshrs.Missing(entry)
	}
	if lacking != 0 && !s.spec.Sectored {
		return protocol.AllSectors
	}
	return lacking
}

// obstacle says what a request lacks, apart from a line to take.
func (s *Slice) obstacle(p *protocol.Packet, line, entry int, fetch uint8, waits bool, cycle uint64) stall {
	switch {
	case waits && entry == cache.None && s.mshrs.Full(),
		waits && entry != cache.None && s.mshrs.MergeFull(entry):
		return noReservation
	case !waits && s.noRoom(p, cycle), s.Copies != nil && s.Copies.full():
		return noQueueRoom
	}
	need := 0
	if fetch != 0 {
		need++
	}
	if line == cache.None {
		need++ // the victim may be dirty
	}
	if !waits && s.spec.DirtyWays > 0 && (p.Kind == protocol.Write || p.Kind == protocol.Atomic) {
		need++ // it may have a line cleaned
	}
	if s.memory.Free(cycle, need) < need {
		s.memory.WakeAfterNext(1)
		return noQueueRoom
	}
	return notStalled
}

func (k *TenantStats) countLookup(p *protocol.Packet, found, fetches, waits bool) {
	switch p.Kind {
	case protocol.Read:
		k.Reads++
		k.ReadSectors += uint64(protocol.SectorCount(p.Sectors))
	case protocol.Write:
		k.Writes++
		k.WrittenSectors += uint64(protocol.SectorCount(p.Sectors))
	case protocol.Atomic:
		k.Atomics++
	}
	switch {
	case !found:
		k.Misses++
	case fetches:
		k.SectorMisses++
	case waits:
		k.Merges++
	default:
		k.Hits++
	}
	k.DRAMAccesses += uint64(p.DRAMAccesses)
}

// park puts a packet aside and returns the token for its MSHR entry.
func (s *Slice) park(p *protocol.Packet) uint32 {
	last := len(s.tokens) - 1
	if last < 0 {
		s.waiting = append(s.waiting, p)
		return uint32(len(s.waiting) - 1)
	}
	token := s.tokens[last]
	s.tokens = s.tokens[:last]
	s.waiting[token] = p
	return token
}

// unpark returns the packet of a token, which is free again.
func (s *Slice) unpark(token uint32) *protocol.Packet {
	p := s.waiting[token]
	s.waiting[token] = nil
	s.tokens = append(s.tokens, token)
	return p
}

// performWaiting performs the oldest of the requests that the last fill lets go
// on.
func (s *Slice) performWaiting(cycle uint64) bool {
	if s.full(cycle) || s.Copies != nil && s.Copies.full() {
		return false
	}
	entry := s.filled
	token, ok := s.mshrs.Next(entry)
	if !ok {
		// While the reply queue was full, a request behind it had a sector fetched
		// that a write before had left incomplete.
		s.settle(entry)
		return false
	}
	s.answer(s.unpark(token), s.mshrs.Line(entry), cycle)
	s.settle(entry)
	return true
}

// fill takes data from the DRAM, once the requests that the last fill let go on
// have been performed.
func (s *Slice) fill(cycle uint64) bool {
	if s.filled != cache.None {
		return false
	}
	msg := s.DRAM.Front()
	if msg == nil {
		return false
	}
	r, ok := msg.(*protocol.DRAMRequest)
	if !ok {
		s.DRAM.Unknown()
		return false
	}
	if r.Context {
		return s.contextLoaded(r, cycle)
	}
	s.DRAM.Pop()
	entry := int(r.Tag)
	s.tags.Fill(s.mshrs.Line(entry), r.Sectors)
	s.mshrs.Arrive(entry, r.Sectors)
	s.settle(entry)
	k := s.stats.Accounts.Of(r.Account)
	k.Fills++
	if s.lines != nil {
		s.lines.DRAM(r.Line, r.Sectors)
	}
	if r.Trace != 0 {
		s.journeys.Mark(r.Trace, journey.Filled, s.Domain().At(cycle))
	}
	k.FillBytes += uint64(protocol.SectorBytes * protocol.SectorCount(r.Sectors))
	s.pool.Put(r)
	return true
}

// settle has the ready requests of an entry performed, or frees it and its line
// if it has served its purpose.
func (s *Slice) settle(entry int) {
	s.filled = cache.None
	if s.mshrs.Ready(entry) {
		s.filled = entry
	} else if line := s.mshrs.Line(entry); s.mshrs.Free(entry) {
		s.tags.Unpin(line)
	}
}

func (s *Slice) fetch(p *protocol.Packet, sectors uint8, entry int, cycle uint64) {
	r := s.pool.Get()
	r.Addr, r.Sectors, r.Write, r.Context, r.Account, r.Line, r.Trace, r.Tag = p.Addr, sectors, false, false, p.Account, p.Line, p.Trace, uint32(entry)
	s.toDRAM(r, cycle)
}

func (s *Slice) writeBack(v cache.Victim, cycle uint64) {
	rest := v.Account.Tenant().Rest()
	k := s.stats.Accounts.Of(rest)
	k.Writebacks++
	k.WritebackBytes += uint64(protocol.SectorBytes * protocol.SectorCount(v.Dirty))
	r := s.pool.Get()
	r.Addr, r.Sectors, r.Write, r.Context, r.Account = v.Addr, v.Dirty, true, false, rest
	s.toDRAM(r, cycle)
}

func (s *Slice) toDRAM(r *protocol.DRAMRequest, cycle uint64) {
	at := s.addresses.Locate(r.Addr)
	r.Bank, r.Row, r.Slice = uint8(at.Bank), at.Row, s.number
	s.memory.Push(r, cycle+uint64(s.spec.DRAMLatency), 1)
}
