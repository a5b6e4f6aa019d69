package sm

import "math/bits"

// Warps counts the warps that are on the SM and have not ended, and those of them that
// wait for page faults to be served. Without an issue queue the SM does not know whose
// accesses wait in the TLB, and counts none.
func (s *SM) Warps() (live, waiting int) {
	for i := range s.schedulers {
		on := s.schedulers[i].signals.Live
		live += bits.OnesCount64(on)
		if s.window != nil { // there is one scheduler
			waiting += bits.OnesCount64(on & (s.window.faulted | s.window.holding))
		}
	}
	return live, waiting
}
