package sm

import (
	"cotenant/sm/ews"
	"cotenant/sm/warps"
)

// A scheduler whose warp slots are in two groups (Spec.GroupSlots) chooses among the
// ready warps of the group that it considers, and switches when that has none, ready
// before conflicts about pipes: what holds warps of it is no reason to switch
// (HeteroCore 3.2, whose argument is the look-up of the scoreboard). A halted SM
// considers nothing, and its schedulers stay where they are.

// makeGroups divides a scheduler's slots.
func (s *SM) makeGroups(each int) {
	if n := s.spec.GroupSlots; n > 0 && n < each {
		s.grouped = true
		for i := range s.schedulers {
			s.schedulers[i].groups = ews.NewGroups(n)
		}
	}
}

// ready are a scheduler's slots that are ready and that it considers.
func (s *SM) ready(p *scheduler) warps.Mask {
	ready := p.signals.Ready()
	if s.grouped {
		ready = p.groups.Visible(ready)
	}
	return ready
}

// open are a scheduler's ready slots whose unit takes their instruction now.
func (s *SM) open(p *scheduler) warps.Mask {
	return p.signals.Ready() &^ s.waiting(p, s.cycle)
}

// look ends an edge at which a scheduler with groups has issued nothing, and reports
// whether it must look again at the next one: it does if it could issue there, or a
// warp waits for a pipe. The load-store unit's own progress keeps the SM awake.
func (s *SM) look(p *scheduler) bool {
	p.groups.Look(p.signals.Ready(), p.signals.Live)
	waits := s.waiting(p, s.cycle)
	return p.groups.Visible(s.open(p))|waits&^s.lsuFull(p) != 0
}

// sleepGroups is look for so many edges that the SM has slept: a scheduler with a
// ready warp considers its group, and that warp waits for the load-store unit.
func (s *SM) sleepGroups(edges uint64) {
	if !s.grouped || s.halted {
		return
	}
	for i := range s.schedulers {
		if p := &s.schedulers[i]; p.signals.Ready() == 0 {
			p.groups.Slept(edges, p.signals.Live)
		}
	}
}
