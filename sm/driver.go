package sm

import (
	"reflect"
	"slices"

	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/sm/gate"
	"cotenant/sm/tally"
)

// acceptCommands carries out what the SM driver has sent.
func (s *SM) acceptCommands() (moved bool) {
	for {
		switch m := s.Driver.Front().(type) {
		case *protocol.PlaceTB:
			s.place(m)
			s.pools.placements.Put(m)
		case protocol.Control:
			if !s.control(m) {
				s.Driver.Unknown()
				return moved
			}
		case *protocol.Sample:
			s.sample()
		default:
			s.Driver.Unknown()
			return moved
		}
		s.Driver.Pop()
		moved = true
	}
}

// acceptOrders carries out what the preemption engine asks for. Packets with
// parts of contexts are left to sendRequests.
func (s *SM) acceptOrders() (moved bool) {
	for {
		switch m := s.PreEng.Front().(type) {
		case *protocol.EvictTB:
			s.residents.Evict(m.Serial)
		case *protocol.PlaceTB:
			s.place(m)
		case *protocol.Halt:
			s.halt(m.On)
		case *protocol.Packet:
			return moved
		default:
			s.PreEng.Unknown()
			return moved
		}
		s.PreEng.Pop()
		moved = true
	}
}

// place takes a thread block.
func (s *SM) place(m *protocol.PlaceTB) {
	s.lsu.Open(m.Account, m.TB.Window)
	s.residents.Place(m)
}

// halt has no warp issue, or lets warps issue again.
func (s *SM) halt(on bool) {
	s.residents.Halted = on
	for i := range s.signals {
		s.signals[i].Still = 0 // its last stall can have been another one
	}
}

// control hands a control message to the part that takes it, and reports whether
// there is one.
func (s *SM) control(m protocol.Control) bool {
	if m, ok := m.(*protocol.SampleIdle); ok {
		s.idle.Start(s.residents.Cycle, m.Every)
		return true
	}
	taken := s.egress.Control(m)
	before := s.gates.Active()
	taken = s.gates.Control(m) || taken
	s.lsu.TellCompletions(s.gates.Completes())
	if !before && s.gates.Active() {
		s.residents.FindGlobals()
	}
	return taken
}

// sample answers the SM driver with the counters of all tenants.
func (s *SM) sample() {
	s.residents.Pay()
	var c protocol.SMCounters
	for _, a := range s.residents.Seen() {
		from, to := s.residents.Stats.Accounts.Of(a), &c.Tenants[a.Tenant()]
		stats.Fill(to, from)
		to.MemoryStalls += from.Stalls[tally.RAWLong] + from.Stalls[tally.AsyncWait] + from.Stalls[tally.MBarrierWait] + from.Stalls[tally.LSUFull]
	}
	s.idle.Report(&c)
	s.egress.Report(&c)
	s.windows = append(s.windows, &protocol.Sampled{Counters: c})
	s.residents.Reports = true
}

// sendReports tells the SM driver about samples, and about thread blocks that wait as a
// whole or have finished.
func (s *SM) sendReports() (moved bool) {
	if len(s.windows) > 0 && s.Driver.Push(s.windows[0]) {
		s.windows = slices.Delete(s.windows, 0, 1)
		moved = true
	}
	for len(s.notices) > 0 && s.Driver.Push(s.notices[0]) {
		s.notices = slices.Delete(s.notices, 0, 1)
		moved = true
	}
	sent, finished := 0, s.residents.Finished
	for _, b := range finished {
		if !s.Driver.CanPush() {
			break
		}
		m := s.pools.reports.Get()
		*m = protocol.TBFinished{TB: b.TB, SM: s.residents.ID(), Tenant: b.Account.Tenant(), Serial: b.Serial}
		s.Driver.Push(m)
		s.residents.Forget(b)
		sent++
	}
	if sent > 0 {
		s.residents.Finished = finished[:copy(finished, finished[sent:])]
	}
	return moved || sent > 0
}

// sendEvicted tells the preemption engine about thread blocks that have left.
func (s *SM) sendEvicted() (moved bool) {
	for r := &s.residents; len(r.Evicted) > 0 && s.PreEng.Push(r.Evicted[0]); moved = true {
		r.Evicted = r.Evicted[:copy(r.Evicted, r.Evicted[1:])]
	}
	return moved
}

// Takes lists the types of protocol.Control that an SM with these parameters
// takes.
func (s *Spec) Takes() []reflect.Type {
	takes := append([]reflect.Type{reflect.TypeFor[*protocol.SampleIdle]()}, gate.Takes(s.Schedulers)...)
	return append(takes, s.IRC.Takes()...)
}
