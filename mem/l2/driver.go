package l2

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// answerDriver answers the SM driver's question for the counters.
func (s *Slice) answerDriver() bool {
	if _, ok := s.Driver.Front().(*protocol.Sample); !ok {
		s.Driver.Unknown()
		return false
	}
	var c protocol.L2Counters
	for a := range s.stats.Accounts {
		from, to := &s.stats.Accounts[a], &c.Tenants[tenant.Account(a).Tenant()]
		to.Accesses += from.Accesses()
		to.Hits += from.Hits
		to.Misses += from.Misses + from.SectorMisses
		to.ReplyBytes += from.ReplyBytes
		to.DRAMAccesses += from.DRAMAccesses
	}
	if !s.Driver.Push(&protocol.Sampled{Counters: c}) {
		return false
	}
	s.Driver.Pop()
	return true
}
