package sm

import (
	"math/bits"

	"cotenant/workload"
)

// arrive counts a warp at the barrier that its instruction names. Without an
// active lane the warp passes by.
func (s *SM) arrive(w *warp, inst *workload.Inst) {
	if inst.Active == 0 {
		return
	}
	id := inst.Barrier % workload.Barriers
	b := &w.tb.barriers[id]
	if inst.Flags&workload.Arrive == 0 {
		w.atBarrier, w.barrier, w.turn = true, id, b.Turn
	}
	b.Arrived++
	b.Expected = inst.Warps
	w.tb.arrivals |= 1 << id
	s.releaseBarrier(w.tb, id)
}

// releaseBarrier opens a barrier once the warps expected have arrived: at the
// end of the cycle, so that it does not matter which port issued the last
// arrival. A warp that arrives after that, in the same cycle, waits for the
// barrier's next turn.
func (s *SM) releaseBarrier(tb *residentTB, id uint8) {
	b := &tb.barriers[id]
	need := int(b.Expected)
	if need == 0 {
		need = tb.live
	}
	if b.Arrived == 0 || int(b.Arrived) < need {
		return
	}
	b.Arrived = 0
	b.Turn++
	tb.arrivals &^= 1 << id
	if !tb.opening {
		tb.opening = true
		s.opened = append(s.opened, tb)
	}
}

// leaveBarriers takes a warp that has ended off the barriers that wait for all
// live warps. If a barrier is its last instruction it has arrived there, and
// counts no more; where a number of warps is expected it still does.
func (s *SM) leaveBarriers(w *warp) {
	tb := w.tb
	tb.live--
	if w.atBarrier {
		if b := &tb.barriers[w.barrier]; b.Turn == w.turn && b.Expected == 0 {
			b.Arrived--
		}
	}
	for m := tb.arrivals; m != 0; m &= m - 1 {
		if id := uint8(bits.TrailingZeros16(m)); tb.barriers[id].Expected == 0 {
			s.releaseBarrier(tb, id)
		}
	}
}

// openBarriers lets the warps go on whose barrier was released in this cycle.
func (s *SM) openBarriers() {
	for _, tb := range s.opened {
		tb.opening = false
		for _, n := range tb.warps {
			if w := &s.warps[n]; w.inUse && w.tb == tb && w.atBarrier && w.turn != tb.barriers[w.barrier].Turn {
				w.atBarrier = false
				s.refreshControl(w)
			}
		}
	}
	s.opened = s.opened[:0]
}
