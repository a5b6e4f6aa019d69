package l2

import "cotenant/protocol"

// answerDriver answers the SM driver's question for the counters.
func (s *Slice) answerDriver() bool {
	if _, ok := s.Driver.Front().(*protocol.Sample); !ok {
		s.Driver.Unknown()
		return false
	}
	var c protocol.L2Counters
	for i := range s.stats.Tenants {
		t := &s.stats.Tenants[i]
		c.Tenants[i] = protocol.L2Tenant{Accesses: t.Accesses(), Hits: t.Hits, Misses: t.Misses + t.SectorMisses,
			ReplyBytes: t.ReplyBytes, DRAMAccesses: t.DRAMAccesses}
	}
	if !s.Driver.Push(&protocol.Sampled{Counters: c}) {
		return false
	}
	s.Driver.Pop()
	return true
}
