package l2

import (
	"cotenant/protocol"
)

// passContext hands a part of a preempted thread block's context on to the
// memory controller, past tags and data. What is saved is answered as soon as
// it is on its way to the DRAM, which keeps later loads behind it.
func (s *Slice) passContext(p *protocol.Packet, cycle uint64) stall {
	saves := p.Kind == protocol.ContextSave
	switch {
	case s.memory.Free(cycle, 1) == 0:
		s.memory.WakeAfterNext(1)
		return noQueueRoom
	case saves && s.noRoom(p, cycle):
		return noQueueRoom
	case !saves && s.loading == s.spec.DRAMQueue:
		return noReservation
	}
	r := s.pool.Get()
	r.Addr, r.Sectors, r.Write, r.Context, r.Account = p.Addr, p.Sectors, saves, true, p.Account
	k := s.stats.Accounts.Of(p.Account)
	if saves {
		k.ContextSaves++
		p.Kind = protocol.ContextSaved
		s.reply(p, cycle)
	} else {
		k.ContextLoads++
		r.Tag = s.park(p)
		s.loading++
	}
	s.toDRAM(r, cycle)
	return notStalled
}

// contextLoaded answers a load of a context when the DRAM has sent the data.
func (s *Slice) contextLoaded(r *protocol.DRAMRequest, cycle uint64) bool {
	if s.noRoom(s.waiting[r.Tag], cycle) {
		return false
	}
	s.DRAM.Pop()
	p := s.unpark(r.Tag)
	s.loading--
	p.Kind = protocol.ContextLoaded
	s.reply(p, 0)
	s.pool.Put(r)
	return true
}
