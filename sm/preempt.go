package sm

import (
	"cotenant/cta_dispatcher/report"
	"cotenant/mem"
	"cotenant/preeng/order"
	"cotenant/sm/command"
)

// acceptOrders carries out what the preemption engine asks for. Packets with
// parts of contexts are left to sendRequests.
func (s *SM) acceptOrders() (moved bool) {
	for {
		switch m := s.PreEng.Front().(type) {
		case *command.EvictTB:
			s.evict(m.Serial)
		case *command.PlaceTB:
			s.place(m)
		case *command.Halt:
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
	s.evicted = append(s.evicted, &order.Evicted{Serial: serial}) // it has finished
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
	context := &command.Context{Barriers: tb.barriers, Arrivals: tb.arrivals}
	for _, n := range tb.warps {
		w := &s.warps[n]
		if !w.inUse || w.tb != tb {
			continue // it has ended
		}
		context.Warps = append(context.Warps, command.WarpContext{Stream: w.stream, Inst: w.inst,
			AtBarrier: w.atBarrier, Barrier: w.barrier, Turn: w.turn})
		p := w.port
		p.forget(w.bit)
		p.needs[w.unit] &^= w.bit
		s.release(w)
	}
	s.changeThreads(tb.kernel, -tb.demand.Threads)
	s.stats.Kernels[tb.kernel].TBsEvicted++
	s.evicted = append(s.evicted, &order.Evicted{Serial: tb.serial, Context: context})
	tb.tb = nil
	s.tbs.Put(tb)
}

// resume puts a thread block's warps back where they were.
func (s *SM) resume(tb *residentTB, context *command.Context) {
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
	p, ok := s.PreEng.Front().(*mem.Packet)
	if !ok || !s.Request.CanPush() {
		return false
	}
	s.PreEng.Pop()
	p.SM = uint16(s.id)
	p.Slice = uint16(s.slice(p.Addr))
	s.stats.Kernels[p.Kernel].ContextRequests++
	s.Request.Push(p)
	return true
}

// sample answers the SM driver with the counters of all tenants.
func (s *SM) sample() {
	m := &report.Window{SM: s.id}
	for k := range s.stats.Kernels {
		m.Issued[k] = s.stats.Kernels[k].WarpInstructions
	}
	s.window = m
}
