package sm

import (
	"slices"

	"cotenant/tenant"
)

// Leaving is a thread block that has been evicted and has not drained yet.
type Leaving struct {
	Serial  uint64 // of its placement
	TB      int    // number in its launch
	Account tenant.Account
	// Pending is what its drain waits for: instructions in the issue queue or in
	// flight and stores without acknowledgement, or, on an SM without an issue queue,
	// warps with results to come. It shrinks as the thread block drains.
	Pending int
	// Faulted says that an access waits for a page fault to be served. On an SM
	// without an issue queue any access of the SM counts.
	Faulted bool
}

// Leaving lists the thread blocks that are leaving, in order of their warp slots.
func (s *SM) Leaving() (list []Leaving) {
	if s.departing == 0 {
		return nil
	}
	for slot := range s.warps {
		w := &s.warps[slot]
		if !w.inUse || !w.tb.leaving {
			continue
		}
		i := slices.IndexFunc(list, func(l Leaving) bool { return l.Serial == w.tb.serial })
		if i < 0 {
			i = len(list)
			list = append(list, Leaving{Serial: w.tb.serial, TB: w.tb.tb.ID, Account: w.account,
				Faulted: s.window == nil && s.tlb != nil && s.tlb.Waiting() > 0})
		}
		l := &list[i]
		if v := s.window; v != nil {
			waiting, flying := v.queue.Len(slot)
			l.Pending += waiting + flying + v.warps[slot].posted
			l.Faulted = l.Faulted || v.holding&w.bit != 0
		} else if !s.quiet(slot) {
			l.Pending++
		}
	}
	return list
}
