package ccbp

import "cotenant/cta_dispatcher/policy"

var phaseNames = [...]string{"none", "crowded", "warm-up", "factors", "demands", "points", "climbing", "settled"}

// String is the phase as results have it.
func (p phase) String() string { return phaseNames[p] }

// explain says what was found out of each set, and decided.
func (p *ccbp) explain() *policy.Decision {
	if p.last == nil && p.rehearsed == nil {
		return nil
	}
	d := &policy.Decision{Rehearsal: p.rehearsed, Sustained: &policy.Sustained{Replies: policy.Decisive(p.bandwidth.Replies), Accesses: policy.Decisive(p.bandwidth.Accesses), Units: Units}}
	for _, k := range p.studies {
		set := k.study.explain()
		set.Present = k.study == p.last
		d.Sets = append(d.Sets, set)
	}
	return d
}

func (s *study) explain() policy.DecidedSet {
	set := policy.DecidedSet{Phase: s.phase.String()}
	if s.phase >= climbing {
		set.Prior = policy.DecisiveFigure(s.prior.value())
	}
	for i := range s.members {
		m, o := &s.members[i], s.order(i)
		k := policy.Decided(m.tenant, m.demand, m.most)
		k.CTAs, k.First = o.ctas, o.rate.Sensitive
		if o.rate.Limited {
			k.Rate = policy.DecisiveFigure(o.requests)
		}
		t := &policy.Traffic{Type: m.kind.String(), EvenCTAs: m.even, NBW: policy.DecisiveCurve(m.noc), DBW: policy.DecisiveCurve(m.dram)}
		if s.phase >= demands {
			t.RF, t.DF, t.EvenRate = policy.DecisiveFigure(m.factors.Reads), policy.DecisiveFigure(m.factors.DRAM), policy.DecisiveFigure(m.evenRate)
		}
		if m.kind != Unknown {
			t.Demand = policy.DecisiveFigure(m.wanted)
		}
		if s.phase >= climbing {
			t.NoC, t.DRAM = policy.Decisive(s.grants[i].NoC), policy.Decisive(s.grants[i].DRAM)
		}
		k.Traffic = t
		set.Kernels = append(set.Kernels, k)
	}
	return set
}
