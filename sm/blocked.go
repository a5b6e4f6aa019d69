package sm

import (
	"slices"

	"cotenant/protocol"
)

// awayTB is a thread block that has left the SM and waits for faults to be served.
type awayTB struct {
	serial  uint64
	regions []uint64
}

// blocked tells the SM driver of a thread block that waits as a whole. A warp that has ended
// and of which nothing is in flight asks again as it frees its slot.
func (s *SM) blocked(tb *residentTB) {
	if tb.blocked || tb.leaving {
		return
	}
	waits := s.signals[0].Waits
	for _, n := range tb.warps {
		w, v := &s.warps[n], &s.window.warps[n]
		if !w.inUse || w.tb != tb {
			continue
		}
		if !s.quiet(int(n)) {
			return
		}
		if v.faulted {
			continue
		}
		if waiting, _ := s.window.queue.Len(int(n)); waiting > 0 || waits&w.bit == 0 {
			return
		}
	}
	tb.blocked = true
	s.notices = append(s.notices, &protocol.TBBlocked{Serial: tb.serial, On: true})
}

// unblocked tells it that a warp goes on. One that is blocked is quiet, so that it is
// gone as soon as it is told to leave.
func (s *SM) unblocked(tb *residentTB) {
	tb.faulted--
	if tb.blocked {
		tb.blocked = false
		s.notices = append(s.notices, &protocol.TBBlocked{Serial: tb.serial})
	}
}

// goAway notes which regions a thread block waits for that leaves the SM while it is blocked.
// There is at least one: a warp without any goes on as soon as it is quiet.
func (s *SM) goAway(tb *residentTB) {
	away := awayTB{serial: tb.serial}
	for _, n := range tb.warps {
		if w := &s.warps[n]; !w.inUse || w.tb != tb {
			continue
		}
		for _, r := range s.window.warps[n].regions {
			if !slices.Contains(away.regions, r) {
				away.regions = append(away.regions, r)
			}
		}
	}
	s.away = append(s.away, away)
}

// servedAway tells the SM driver of thread blocks off the chip that a region was the
// last for.
func (s *SM) servedAway(region uint64) {
	for i := 0; i < len(s.away); {
		a := &s.away[i]
		if k := slices.Index(a.regions, region); k >= 0 {
			a.regions = slices.Delete(a.regions, k, k+1)
		}
		if len(a.regions) > 0 {
			i++
			continue
		}
		s.notices = append(s.notices, &protocol.TBBlocked{Serial: a.serial})
		s.away = slices.Delete(s.away, i, i+1)
	}
}
