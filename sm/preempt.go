package sm

import "cotenant/protocol"

// acceptOrders carries out what the preemption engine asks for. Packets with
// parts of contexts are left to sendRequests.
func (s *SM) acceptOrders() (moved bool) {
	for {
		switch m := s.PreEng.Front().(type) {
		case *protocol.EvictTB:
			s.evict(m.Serial)
		case *protocol.PlaceTB:
			s.place(m)
		case *protocol.Halt:
			s.halted = m.On
		default:
			return moved
		}
		s.PreEng.Pop()
		moved = true
	}
}

// evict stops a thread block's warps from issuing, so that it drains.
func (s *SM) evict(serial uint64) {
	for i := range s.warps {
		if w := &s.warps[i]; w.inUse && w.tb.serial == serial {
			s.hold(w.tb)
			return
		}
	}
	s.evicted = append(s.evicted, &protocol.TBEvicted{Serial: serial}) // it has finished
}

func (s *SM) hold(tb *residentTB) {
	tb.leaving = true
	for _, n := range tb.warps {
		w := &s.warps[n]
		if !w.inUse || w.tb != tb || w.ended {
			continue
		}
		w.held = true
		w.port.held |= w.bit
		w.port.fetchable &^= w.bit
		s.refreshControl(w)
	}
	s.drained(tb)
}

// drained takes a thread block that is leaving off the SM, if nothing of it is
// in flight any more.
func (s *SM) drained(tb *residentTB) {
	for _, n := range tb.warps {
		if w := &s.warps[n]; w.inUse && w.tb == tb && w.inFlight > 0 {
			return
		}
	}
	context := &protocol.Context{Barriers: tb.barriers, Arrivals: tb.arrivals}
	for _, n := range tb.warps {
		w := &s.warps[n]
		if !w.inUse || w.tb != tb {
			continue // it has ended
		}
		context.Warps = append(context.Warps, protocol.WarpContext{Stream: w.stream, Inst: w.inst,
			AtBarrier: w.atBarrier, Barrier: w.barrier, Turn: w.turn})
		p := w.port
		p.forget(w.bit)
		p.needs[w.unit] &^= w.bit
		s.release(w)
	}
	s.changeThreads(tb.tenant, -tb.demand.Threads)
	s.stats.Tenants[tb.tenant].TBsEvicted++
	s.evicted = append(s.evicted, &protocol.TBEvicted{Serial: tb.serial, Context: context})
	tb.tb = nil
	s.tbs.Put(tb)
}

// resume puts a thread block's warps back where they were.
func (s *SM) resume(tb *residentTB, context *protocol.Context) {
	tb.live, tb.left = len(context.Warps), len(context.Warps)
	tb.barriers, tb.arrivals = context.Barriers, context.Arrivals
	for i := range context.Warps {
		c := &context.Warps[i]
		w := s.newWarp(tb, c.Stream)
		w.inst, w.atBarrier, w.barrier, w.turn = c.Inst, c.AtBarrier, c.Barrier, c.Turn
		s.decoded(w)
	}
}

// sendEvicted tells the preemption engine about thread blocks that have left.
func (s *SM) sendEvicted() (moved bool) {
	for len(s.evicted) > 0 && s.PreEng.Push(s.evicted[0]) {
		s.evicted = s.evicted[:copy(s.evicted, s.evicted[1:])]
		moved = true
	}
	return moved
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
	s.stats.Tenants[p.Tenant].ContextRequests++
	s.Request.Push(p)
	return true
}

// sample answers the SM driver with the counters of all tenants.
func (s *SM) sample() {
	m := &protocol.Window{SM: s.id}
	for k := range s.stats.Tenants {
		m.Issued[k] = s.stats.Tenants[k].WarpInstructions
	}
	s.window = m
}
