package ccbp

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/sets"
)

var phaseNames = [...]string{"none", "crowded", "warm-up", "factors", "demands", "points", "climbing", "settled"}

// String returns the phase as results write it.
func (p phase) String() string { return phaseNames[p] }

// sustainedForm describes each SM's part of the sustained bandwidth in an interval of its
// issue-rate controller (CCBP 5.2).
var sustainedForm = &policy.Form{Name: "sustained", Aside: true,
	Note: "Rates and demands are in requests of an SM in an interval of its issue-rate controller, in which {replies} replies with data and " +
		"{accesses} accesses of the DRAM are sustained: {units} units each. A dash stands for an unknown value and for a rate without limit.",
	Facts: []policy.Column{
		{Name: "replies", Kind: policy.Number},
		{Name: "accesses", Kind: policy.Number},
		{Name: "units"},
	}}

var rehearsalForm = &policy.Form{Name: "rehearsal",
	Note: "found out in a rehearsal of {cycles} cycles{settled}.",
	Facts: []policy.Column{
		{Name: "cycles"},
		{Name: "settled", Kind: policy.Flag, Words: [2]string{", which was cut off; the rest in the run", ""}},
	}}

// setsForm describes the traffic of each kernel (CCBP 5.2 to 5.4). Rates are in requests of
// an SM in an interval.
var setsForm = sets.Form(policy.Curves{Over: "CTAs on an SM", Unit: "units",
	About: "Bandwidth that a kernel uses by its CTAs on an SM, in units of the whole: a line for the crossbar, a dotted line for the DRAM."},
	[]policy.Column{{Name: "prior_lsk", Title: "priorLSK", Kind: policy.Number, Detail: true, Optional: true}},
	sets.Tenant, sets.Threads,
	policy.Column{Name: "traffic.type", Title: "type", Kind: policy.Text},
	policy.Column{Name: "traffic.rf", Title: "rf", Kind: policy.Number, Detail: true},
	policy.Column{Name: "traffic.df", Title: "df", Kind: policy.Number, Detail: true},
	policy.Column{Name: "traffic.even_ctas"},
	policy.Column{Name: "traffic.even_rate", Title: "even rate", Kind: policy.Number, Detail: true},
	policy.Column{Name: "traffic.demand", Title: "demand", Kind: policy.Number},
	policy.Column{Name: "traffic.nbw", Title: "crossbar", Kind: policy.Curve},
	policy.Column{Name: "traffic.dbw", Title: "DRAM", Kind: policy.Curve},
	sets.CTAs, sets.MostCTAs,
	policy.Column{Name: "traffic.noc", Title: "units of the crossbar", Kind: policy.Number, Detail: true},
	policy.Column{Name: "traffic.dram", Title: "of the DRAM", Kind: policy.Number, Detail: true},
	sets.Rate, sets.First)

// explain tells the findings and the decision for each set.
func (p *ccbp) explain() []policy.Table {
	if p.last == nil && p.rehearsed == nil {
		return nil
	}
	tables := []policy.Table{sustainedForm.With(policy.Cells{"replies": p.bandwidth.Replies, "accesses": p.bandwidth.Accesses, "units": Units})}
	if h := p.rehearsed; h != nil {
		tables = append(tables, rehearsalForm.With(policy.Cells{"cycles": int(h.Cycles), "settled": h.Settled}))
	}
	all := policy.Table{Form: setsForm}
	for _, s := range p.studies {
		all.Sections = append(all.Sections, s.explain(s == p.last))
	}
	return append(tables, all)
}

func (s *study) explain(present bool) policy.Section {
	set := policy.Section{Facts: sets.Facts(present, s.phase.String())}
	if s.phase >= climbing {
		set.Facts["prior_lsk"] = s.prior.value()
	}
	for i := range s.members {
		m, o := &s.members[i], s.order(i)
		k := sets.Kernel(m.tenant, m.demand, m.most)
		k["ctas"], k["first"] = o.ctas, o.rate.Sensitive
		if o.rate.Limited {
			k["rate"] = o.requests
		}
		k["traffic.type"], k["traffic.even_ctas"] = m.kind.String(), m.even
		k["traffic.nbw"], k["traffic.dbw"] = m.noc, m.dram
		k["traffic.noc"], k["traffic.dram"] = 0.0, 0.0
		if s.phase >= demands {
			k["traffic.rf"], k["traffic.df"], k["traffic.even_rate"] = m.factors.Reads, m.factors.DRAM, m.evenRate
		}
		if m.kind != Unknown {
			k["traffic.demand"] = m.wanted
		}
		if s.phase >= climbing {
			k["traffic.noc"], k["traffic.dram"] = s.grants[i].NoC, s.grants[i].DRAM
		}
		set.Rows = append(set.Rows, k)
	}
	return set
}
