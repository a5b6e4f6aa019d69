package sm

import "cotenant/protocol"

// acceptCommands carries out what the SM driver has sent.
func (s *SM) acceptCommands() (moved bool) {
	for {
		switch m := s.Driver.Front().(type) {
		case *protocol.PlaceTB:
			s.place(m)
			s.placements.Put(m)
		case *protocol.SetQuotas:
			s.control(&protocol.Quotas{On: m.On, Instructions: m.Quotas})
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
	taken := s.l1.Control(m)
	s.active = s.active[:0]
	for _, g := range s.gates {
		taken = g.Control(m) || taken
		if g.Active() {
			s.active = append(s.active, g)
		}
	}
	for i := range s.schedulers {
		s.refreshGates(&s.schedulers[i])
	}
	return taken
}

// sample answers the SM driver with the counters of all tenants.
func (s *SM) sample() {
	m := &protocol.Window{SM: s.id}
	for k := range s.stats.Tenants {
		m.Issued[k] = s.stats.Tenants[k].WarpInstructions
	}
	s.window = m
}

// sendReports tells the SM driver about thread blocks that have finished.
func (s *SM) sendReports() (moved bool) {
	if s.window != nil && s.Driver.Push(s.window) {
		s.window = nil
		moved = true
	}
	sent := 0
	for _, tb := range s.finished {
		if !s.Driver.CanPush() {
			break
		}
		m := s.reports.Get()
		*m = protocol.TBFinished{TB: tb.tb, SM: s.id, Tenant: tb.tenant, Serial: tb.serial}
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
