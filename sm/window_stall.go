package sm

import "cotenant/sm/warps"

// show brings the signals up to date with the queue.
func (s *SM) show(p *scheduler) {
	q, signals := s.window.queue, p.signals
	signals.Hazard, signals.Long = q.Hazards()
	signals.Empty = 0 // there is no buffer
	for u := range signals.Needs {
		signals.Needs[u] = q.Ready(warps.Unit(u))
	}
	if len(s.active) > 0 {
		signals.Global = s.window.globals(signals.Needs[warps.LSU])
	}
	if fenced := s.window.fenced(signals.Needs[warps.Control]); fenced != 0 {
		signals.Needs[warps.Control] &^= fenced
		for u := range signals.Needs {
			fenced &^= signals.Needs[u]
		}
		signals.Hazard |= fenced
		signals.Long |= fenced
	}
}

// stalledQueued charges a cycle in which nothing could issue, unless the halted SM has
// been charged for it, and reports whether the SM must look again at the next edge
// because a pipe is busy.
func (s *SM) stalledQueued(p *scheduler) bool {
	if s.halted {
		s.show(p)
	} else {
		cause, id := s.diagnose(p)
		s.charge(cause, id, 1)
	}
	waits := warps.Mask(0)
	for u, m := range p.signals.Needs {
		if u != int(warps.LSU) {
			waits |= m
		}
	}
	return waits&s.mayIssue(p.signals) != 0
}

// stallQueued is the cause of a cycle without issue from a queue, and the mask of the
// warps that it applies to.
func (s *SM) stallQueued(p *scheduler) (Cause, warps.Mask) {
	s.show(p)
	signals := p.signals
	if signals.Live == 0 {
		return Idle, 0
	}
	may := signals.Live &^ signals.Held
	open := may &^ signals.Gated
	waits := signals.Needs[warps.LSU] & open &^ (signals.GatedMemory & signals.Global)
	if waits != 0 {
		return LSUFull, waits
	}
	ready, all := warps.Mask(0), signals.Needs[warps.LSU]
	for u, m := range signals.Needs {
		if u != int(warps.LSU) {
			ready |= m & open
		}
		all |= m
	}
	switch {
	case ready != 0:
		return PipeFull, ready
	case all&may != 0: // gates alone hold them back
		return Quota, all & may
	}
	faulted := (s.window.faulted | s.window.holding) & may
	if waiting := may & signals.Hazard &^ faulted; waiting != 0 {
		if short := waiting &^ signals.Long; short != 0 {
			return RAWOther, short
		}
		return RAWLong, waiting
	}
	switch {
	case faulted != 0:
		return Faulted, faulted
	case may != 0:
		return Control, may
	}
	return Preempted, signals.Live
}
