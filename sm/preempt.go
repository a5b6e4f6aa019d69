package sm

import (
	"cotenant/protocol"
	"cotenant/sm/barrier"
)

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

// evict stops a thread block's warps from issuing, so that it drains.
func (s *SM) evict(serial uint64) {
	for i := range s.warps {
		if w := &s.warps[i]; w.inUse && w.tb.serial == serial {
			s.hold(w.tb)
			s.told = true
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
		s.departing++
		s.signals[w.scheduler].Held |= w.bit
		s.frontEnd.Stop(int(w.slot))
	}
	s.drained(tb)
}

// drained takes a thread block that is leaving off the SM, if nothing of it is
// in flight any more. Its context has no warps that have ended: of those that end
// in one cycle the first may find all of them still in their slots.
func (s *SM) drained(tb *residentTB) {
	for _, n := range tb.warps {
		if w := &s.warps[n]; w.inUse && w.tb == tb && !s.quiet(int(w.slot)) {
			return
		}
	}
	for _, n := range tb.warps {
		if w := &s.warps[n]; w.inUse && w.tb == tb && w.ended {
			s.release(w)
			tb.left--
		}
	}
	if tb.left == 0 {
		s.tbDone(tb)
		return
	}
	if s.tells && tb.blocked {
		s.goAway(tb)
	}
	context := &protocol.Context{Barriers: tb.barriers.State, Arrivals: tb.barriers.Arrivals}
	for _, n := range tb.warps {
		w := &s.warps[n]
		if !w.inUse || w.tb != tb {
			continue // it has ended
		}
		at := s.barriers.Warp(int(w.slot))
		c := protocol.WarpContext{Stream: w.stream, Inst: w.inst, AtBarrier: at.Waits, Barrier: at.At, Turn: at.Turn}
		if s.window != nil {
			context.Extra += s.saveQueue(w, &c)
		}
		context.Warps = append(context.Warps, c)
		s.silence(w)
		s.signals[w.scheduler].Needs[w.unit] &^= w.bit
		s.release(w)
	}
	if s.window != nil {
		context.Extra += s.saveLog(tb)
	}
	s.changeThreads(tb.account, -tb.demand.Threads)
	s.stats.Accounts[tb.account].TBsEvicted++
	s.evicted = append(s.evicted, &protocol.TBEvicted{Serial: tb.serial, Context: context})
	tb.tb = nil
	s.tbs.Put(tb)
}

// resume puts a thread block's warps back where they were.
func (s *SM) resume(tb *residentTB, context *protocol.Context) {
	tb.left = len(context.Warps)
	tb.barriers.Reset(len(context.Warps))
	tb.barriers.State, tb.barriers.Arrivals = context.Barriers, context.Arrivals
	for i := range context.Warps {
		c := &context.Warps[i]
		w := s.newWarp(tb, c.Stream)
		w.inst = c.Inst
		s.barriers.Resume(&tb.barriers, int(w.slot), barrier.Warp{Waits: c.AtBarrier, At: c.Barrier, Turn: c.Turn})
		if s.window != nil {
			s.restoreQueue(w, c)
		} else {
			s.decoded(w)
		}
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
