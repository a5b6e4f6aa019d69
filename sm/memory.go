package sm

import "cotenant/protocol"

// sendRequests passes at most one packet a cycle to the request crossbar, of the
// L1's miss queue and of the preemption engine in turn.
func (s *SM) sendRequests(cycle uint64) bool {
	context := s.PreEng.Len() > 0
	if context && !s.ownTurn && s.sendContext() {
		s.ownTurn = true
		return true
	}
	if s.misses.Len() == 0 {
		return context && s.sendContext()
	}
	p := s.misses.Front(cycle)
	if p == nil || !s.Request.CanPush() {
		return context && s.sendContext()
	}
	s.ownTurn = false
	s.misses.Pop()
	s.stats.Accounts[p.Account].MemoryRequests++
	s.Request.Push(p)
	return true
}

// sendContext passes a packet of the preemption engine on to the request
// crossbar, if it has one.
func (s *SM) sendContext() bool {
	p, ok := s.PreEng.Front().(*protocol.Packet)
	if !ok || !s.Request.CanPush() {
		return false
	}
	s.PreEng.Pop()
	p.SM = uint16(s.id)
	p.Slice = uint16(s.slice(p.Addr))
	s.stats.Accounts[p.Account].ContextRequests++
	s.Request.Push(p)
	return true
}

// receive hands the replies that have arrived to whom they are for: the L1 or the
// preemption engine.
func (s *SM) receive() (moved bool) {
	for {
		p, ok := s.Reply.Front().(*protocol.Packet)
		if !ok {
			s.Reply.Unknown()
			return moved
		}
		if p.Kind >= protocol.ContextSaved {
			if !s.PreEng.Push(p) {
				return moved
			}
			s.Reply.Pop()
		} else {
			s.Reply.Pop()
			s.l1.Reply(p, s.cycle)
		}
		moved = true
	}
}
