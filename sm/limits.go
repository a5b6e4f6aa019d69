package sm

import "cotenant/sm/warps"

// Limits to what issues beside the pipes themselves: one memory instruction in a
// cycle for the SM, and operand collectors. SM.limited says that there is one.

// restrict takes those that a limit holds back out of candidates. If it is for
// collectors alone that none is left, it charges the cycle, and says so.
func (s *SM) restrict(p *scheduler, candidates warps.Mask, cycle uint64) (left warps.Mask, charged bool) {
	if s.memoryFrom > cycle {
		candidates &^= p.signals.Needs[warps.LSU]
	}
	if len(s.collectors) == 0 || !s.collectors[p.number].full(cycle) {
		return candidates, false
	}
	if left = candidates & p.signals.Needs[warps.Control]; left == 0 && candidates != 0 {
		s.chargeHeld(p, candidates)
		return 0, true
	}
	return left, false
}

// holds reports whether a limit holds back an instruction for a unit.
func (s *SM) holds(p *scheduler, u warps.Unit, cycle uint64) bool {
	return u == warps.LSU && s.memoryFrom > cycle ||
		u != warps.Control && len(s.collectors) > 0 && s.collectors[p.number].full(cycle)
}

// limit notes that a warp issues its next instruction.
func (s *SM) limit(w *warp, cycle uint64) {
	if w.unit == warps.LSU && s.spec.Pipes.MemoryIssuePerSM {
		s.memoryFrom = cycle + 1
	}
	if w.unit != warps.Control && len(s.collectors) > 0 {
		s.collectors[w.scheduler].take(cycle, &w.inst.Src)
	}
}

// chargeHeld charges a cycle in which no collector is free for any candidate.
func (s *SM) chargeHeld(p *scheduler, candidates warps.Mask) {
	cause, waiting := PipeFull, candidates
	if memory := p.signals.Ready() & p.signals.Needs[warps.LSU] &^ candidates; memory != 0 {
		cause, waiting = LSUFull, memory // the unit refuses these, or has had one from another
	}
	s.charge(cause, s.payer(p, cause, waiting), 1)
}
