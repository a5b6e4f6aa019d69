package inorder

import (
	"cotenant/sm/ews"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
)

// A scheduler with two groups of warp slots (Spec.GroupSlots) chooses among the ready
// warps of the group that it considers. It switches when that group has no ready warp,
// pipe conflicts aside: a conflict is no reason to switch (HeteroCore 3.2 argues by the
// look-up of the scoreboard). A halted SM considers nothing, and its schedulers stay
// where they are.

// makeGroups divides a scheduler's slots.
func (p *Pipeline) makeGroups(each int) {
	if n := p.spec.GroupSlots; n > 0 && n < each {
		p.grouped = true
		for i := range p.Schedulers {
			p.groups[i] = ews.NewGroups(n)
		}
	}
}

// ready are a scheduler's slots that are ready and that it considers.
func (p *Pipeline) ready(s *residency.Scheduler) warps.Mask {
	ready := s.Signals.Ready()
	if p.limits {
		ready = p.limited(s, ready, p.Cycle)
	}
	return ready
}

// open are a scheduler's ready slots with an instruction that its unit takes now.
func (p *Pipeline) open(s *residency.Scheduler) warps.Mask {
	return s.Signals.Ready() &^ p.waiting(s, p.Cycle)
}

// look ends an edge at which a scheduler with groups has issued nothing, and reports
// whether it must look again at the next one: it does if it could issue there, or a
// warp waits for a pipe. The load-store unit's own progress keeps the SM awake.
func (p *Pipeline) look(s *residency.Scheduler) bool {
	p.groups[s.Number].Look(s.Signals.Ready(), s.Signals.Live)
	waits := p.waiting(s, p.Cycle)
	return p.groups[s.Number].Visible(p.open(s))|waits&^p.lsuFull(s) != 0
}

// Slept follows up edges that the SM has slept. A scheduler without a ready warp has
// looked at its groups at each. A ready warp waited for the load-store unit meanwhile, and
// its scheduler went on considering its group.
func (p *Pipeline) Slept(edges uint64) {
	if !p.grouped || p.Halted {
		return
	}
	for i := range p.Schedulers {
		if s := &p.Schedulers[i]; s.Signals.Ready() == 0 {
			p.groups[i].Slept(edges, s.Signals.Live)
		}
	}
}
