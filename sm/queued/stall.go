package queued

import (
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
)

// show brings the signals up to date with the queue.
func (p *Pipeline) show(s *residency.Scheduler) {
	signals := s.Signals
	signals.Hazard, signals.Long = p.queue.Hazards()
	signals.Empty = 0 // there is no buffer
	for u := range signals.Needs {
		signals.Needs[u] = p.queue.Ready(warps.Unit(u))
	}
	if p.parts.Gates.Active() {
		signals.Global = p.globals(signals.Needs[warps.LSU])
	}
	if fenced := p.fenced(signals.Needs[warps.Control]); fenced != 0 {
		signals.Needs[warps.Control] &^= fenced
		for u := range signals.Needs {
			fenced &^= signals.Needs[u]
		}
		signals.Hazard |= fenced
		signals.Long |= fenced
	}
	if signals.Copies = p.copying(signals.Needs[warps.Control]); signals.Copies != 0 {
		signals.Needs[warps.Control] &^= signals.Copies
		for u := range signals.Needs {
			signals.Copies &^= signals.Needs[u]
		}
	}
}

// waitsForPipe reports whether the SM must look again at the next edge because a pipe is
// busy that a warp waits for.
func (p *Pipeline) waitsForPipe(s *residency.Scheduler, may warps.Mask) bool {
	waits := warps.Mask(0)
	for u, m := range s.Signals.Needs {
		if u != int(warps.LSU) {
			waits |= m
		}
	}
	return waits&may != 0
}

// Waiting are the slots that are ready at a cycle at which their unit takes nothing.
func (p *Pipeline) Waiting(_ int, cycle uint64) warps.Mask {
	s := &p.Schedulers[0]
	p.show(s)
	g := s.Signals
	mask := p.parts.Pipes.Busy(0, &g.Needs, cycle) | p.LSUFull(s, p.parts.LSU)
	return mask & g.Live &^ (g.Held | g.Gated | g.GatedMemory&g.Global)
}

// Stall is the cause of a cycle without issue, and the mask of the warps that it applies
// to.
func (p *Pipeline) Stall(int) (tally.Cause, warps.Mask) {
	s := &p.Schedulers[0]
	p.show(s)
	signals := s.Signals
	if signals.Live == 0 {
		return tally.Idle, 0
	}
	may := signals.Live &^ signals.Held
	open := may &^ signals.Gated
	if waits := signals.Needs[warps.LSU] & open &^ (signals.GatedMemory & signals.Global); waits != 0 {
		return tally.LSUFull, waits
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
		return tally.PipeFull, ready
	case all&may != 0: // gates alone hold them back
		return tally.Quota, all & may
	}
	faulted := (p.faulted | p.holding) & may
	if waiting := may & signals.Hazard &^ faulted; waiting != 0 {
		if short := waiting &^ signals.Long; short != 0 {
			return tally.RAWOther, short
		}
		return tally.RAWLong, waiting
	}
	switch copies := may & signals.Copies &^ faulted; {
	case copies != 0:
		return tally.AsyncWait, copies
	case faulted != 0:
		return tally.Faulted, faulted
	case may != 0:
		return tally.Control, may
	}
	return tally.Preempted, signals.Live
}
