package sm

import (
	"reflect"
	"slices"

	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/sm/gate"
)

// acceptCommands carries out what the SM driver has sent.
func (s *SM) acceptCommands() (moved bool) {
	for {
		switch m := s.Driver.Front().(type) {
		case *protocol.PlaceTB:
			s.place(m)
			s.placements.Put(m)
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

// control hands a control message to the part that takes it, and reports whether
// there is one.
func (s *SM) control(m protocol.Control) bool {
	if m, ok := m.(*protocol.SampleIdle); ok {
		s.idle.start(s.cycle, m.Every)
		return true
	}
	taken := s.egress.Control(m)
	before := len(s.active)
	s.active, s.completing, s.meeting = s.active[:0], s.completing[:0], s.meeting[:0]
	for _, g := range s.gates {
		taken = g.Control(m) || taken
		if g.Active() {
			s.active = append(s.active, g)
		}
		if g, ok := g.(gate.Completing); ok && g.Completes() {
			s.completing = append(s.completing, g)
		}
		if g, ok := g.(gate.Meeting); ok && g.Meets() {
			s.meeting = append(s.meeting, g)
		}
	}
	s.completes = len(s.completing) > 0
	s.lsu.TellCompletions(s.completes)
	if before == 0 && len(s.active) > 0 {
		s.findGlobals()
	}
	s.refreshGates()
	return taken
}

// sample answers the SM driver with the counters of all tenants.
func (s *SM) sample() {
	var c protocol.SMCounters
	for _, a := range s.seen {
		from, to := &s.stats.Accounts[a], &c.Tenants[a.Tenant()]
		stats.Fill(to, from)
		to.MemoryStalls += from.Stalls[RAWLong] + from.Stalls[LSUFull]
	}
	s.idle.report(&c)
	s.egress.Report(&c)
	s.windows = append(s.windows, &protocol.Sampled{Counters: c})
}

// sendReports tells the SM driver about thread blocks that have finished.
func (s *SM) sendReports() (moved bool) {
	if len(s.windows) > 0 && s.Driver.Push(s.windows[0]) {
		s.windows = slices.Delete(s.windows, 0, 1)
		moved = true
	}
	for len(s.notices) > 0 && s.Driver.Push(s.notices[0]) {
		s.notices = slices.Delete(s.notices, 0, 1)
		moved = true
	}
	sent := 0
	for _, tb := range s.finished {
		if !s.Driver.CanPush() {
			break
		}
		m := s.reports.Get()
		*m = protocol.TBFinished{TB: tb.tb, SM: s.id, Tenant: tb.account.Tenant(), Serial: tb.serial}
		s.Driver.Push(m)
		tb.tb = nil
		s.tbs.Put(tb)
		sent++
	}
	if sent > 0 {
		s.finished = s.finished[:copy(s.finished, s.finished[sent:])]
	}
	return moved || sent > 0
}

// Takes lists the types of protocol.Control that an SM with these parameters
// takes.
func (s *Spec) Takes() []reflect.Type {
	takes := []reflect.Type{reflect.TypeFor[*protocol.SampleIdle]()}
	for _, g := range gate.All(s.Schedulers) {
		takes = append(takes, g.Takes()...)
	}
	return append(takes, s.IRC.Takes()...)
}
