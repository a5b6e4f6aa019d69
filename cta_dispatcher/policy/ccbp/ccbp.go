// Package ccbp implements coordinated CTA combination and bandwidth partitioning (CCBP, Lin et
// al., ACM TACO 2019). All tenants share every SM. The policy gives each kernel a number of
// CTAs (thread blocks) on each SM and a rate of memory requests, such that together they ask
// no more of the reply crossbar (the NoC) and of the DRAM than both sustain.
//
// Detection runs while the kernels share the GPU (5.4; study.go). Its steps take this many
// epochs; 1 + 1 is an epoch to settle and an epoch that counts:
//
//	5      even CTAs, no rates: warm-up
//	2      a request's cost for the crossbar (rf) and for the DRAM (df; units.go)
//	1 + 1  even rates: the kernel's demand decides its kind (kind.go)
//	1 + 1  for each of up to eight numbers of active CTAs of each bandwidth-intensive kernel
//	       in turn, other kernels at even rates: its own request rate, unlimited (curve.go)
//
// Then Algorithm 1 (5.2; allocate.go) divides CTAs and bandwidths by dominant shares. Hill
// climbing (5.5; climb.go), ten epochs a step, then looks for a better priority of
// latency-sensitive kernels beside bandwidth-intensive kernels, except with variant=drf.
//
// A study holds the findings for a set of kernels. A tenant and the size of its thread blocks
// identify a kernel. When a set comes back, its study resumes with the interrupted step, so
// detection of a short kernel spans several launches. A tenant belongs to the set while it
// has a claim (package claim). A tenant alone has the GPU without rates: no other tenant
// would gain by them.
//
// If an SM cannot hold a CTA of every kernel, nothing is detected. CTAs are then dealt in
// turn, beginning with another kernel on each SM. If a kernel has no target on any SM for ten
// epochs, each SM begins with the next kernel. A run with variant=offline takes over the
// studies of its rehearsal (rehearse.go), and detects any further set itself.
// docs/deviations.md lists our choices where the paper leaves one.
package ccbp

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/targets"
	"cotenant/protocol"
	"cotenant/tenant"
)

type ccbp struct {
	settings
	epoch     uint64           // cycles
	offline   bool             // it is rehearsed
	mechanism policy.Mechanism // for thread blocks beyond their targets; Drain: they end
	bandwidth Bandwidth
	claims    claim.Claims
	targets   *targets.Targets

	studies []*study
	study   *study // of the present set, nil while no kernels share
	last    *study // of the last set
	// rehearsed is the rehearsal that the studies come from, nil without one.
	rehearsed *policy.Rehearsal

	counted sample
	sent    told // to all SMs
	shown   []policy.RegisterValue
}

// told are the last controls of an SM.
type told struct {
	rates   bool
	rate    [tenant.Max]protocol.Rate
	actives bool
	active  [tenant.Max]uint8
}

// Decide counts, finds each tenant's part, places thread blocks and sends rates.
func (p *ccbp) Decide(v *policy.View, a policy.Actions) {
	if p.counted.counts == nil {
		p.targets = targets.New(v)
		p.bandwidth = sustained(v.Machine, len(v.SMs))
		p.counted.counts = make([]protocol.SMTenant, len(v.Tenants))
	}
	changed := p.claims.Update(v)
	changed = p.targets.Meet(v) || changed
	moved := false
	if v.Event == policy.Epoch {
		p.measure(v)
		moved = p.study != nil && p.study.epoch(&p.counted, p.drained(v))
		moved = p.targets.Starved(v) || moved
	}
	if changed {
		p.choose(v)
	}
	if changed || moved {
		p.deal(v)
		p.send(v, a)
	}
	p.targets.Dispatch(v, a, p.claims.Order, p.mechanism)
}

// measure counts an epoch.
func (p *ccbp) measure(v *policy.View) {
	e := &p.counted
	clear(e.counts)
	e.intervals, e.cycles = 0, 0
	for i := range v.Windows {
		w := &v.Windows[i]
		c, ok := w.Counters.(protocol.SMCounters)
		if !ok {
			continue
		}
		e.cycles = w.Cycles()
		e.intervals += c.RateIntervals
		for tenant := range e.counts {
			stats.Add(&e.counts[tenant], &c.Tenants[tenant])
		}
	}
}

// drained reports whether no tenant has more TBs on an SM than its target.
func (p *ccbp) drained(v *policy.View) bool {
	for i := range v.SMs {
		for tenant, n := range v.SMs[i].TBs {
			if n > p.targets.TBs[tenant][i] {
				return false
			}
		}
	}
	return true
}

// choose finds the study of the present set: tenants with a claim and a launched kernel.
func (p *ccbp) choose(v *policy.View) {
	var set [tenant.Max]occupancy.Demand
	var members []member
	for _, tenant := range p.claims.Order {
		if d := p.targets.Demand[tenant]; d.TBs > 0 {
			set[tenant] = d
			members = append(members, member{tenant: tenant, demand: d, isolated: v.Tenants[tenant].IsolatedIPC})
		}
	}
	before := p.study
	p.study = nil
	if len(members) < 2 {
		return
	}
	if i := slices.IndexFunc(p.studies, func(s *study) bool { return s.set == set }); i >= 0 {
		if p.study = p.studies[i]; p.study != before {
			p.study.resume()
		}
	} else {
		p.study = newStudy(p.settings, v.SMs[0].Capacity, p.bandwidth, members)
		p.study.set = set
		p.studies = append(p.studies, p.study)
	}
	p.last = p.study
}

// place returns a tenant's place in the present set, -1 for none.
func (p *ccbp) place(tenant int) int {
	if p.study == nil {
		return -1
	}
	return slices.IndexFunc(p.study.members, func(m member) bool { return m.tenant == tenant })
}

// deal sets the targets of all tenants.
func (p *ccbp) deal(v *policy.View) {
	p.targets.Clear()
	s := p.study
	if s == nil {
		for _, tenant := range p.claims.Order {
			for i := range v.SMs {
				p.targets.TBs[tenant][i] = v.SMs[i].Capacity.TBs
			}
		}
		return
	}
	ctas := make([]int, len(s.members))
	for i := range v.SMs {
		if s.phase == crowded {
			s.lay(i+p.targets.Turn, ctas)
		}
		for k := range s.members {
			if s.phase != crowded {
				ctas[k] = s.order(k).ctas
			}
			p.targets.TBs[s.members[k].tenant][i] = ctas[k]
		}
	}
}

// send tells the SMs any changes of rates and of active thread blocks.
func (p *ccbp) send(v *policy.View, a policy.Actions) {
	var due told
	for i := range v.Tenants {
		due.rate[i].Given = true
	}
	if s := p.study; s != nil {
		for k := range s.members {
			o, tenant := s.order(k), s.members[k].tenant
			due.rate[tenant], due.active[tenant] = o.rate, uint8(min(o.active, 255))
			due.rates = due.rates || o.rate.Limited || o.rate.Sensitive
			due.actives = due.actives || o.active > 0
		}
	}
	if !due.rates {
		due.rate = [tenant.Max]protocol.Rate{}
	}
	for i := range v.SMs {
		u := protocol.Unit{Kind: protocol.KindSM, Index: i}
		if due.rates != p.sent.rates || due.rate != p.sent.rate {
			a.Send(u, &protocol.Rates{On: due.rates, Of: due.rate})
		}
		if due.actives != p.sent.actives || due.active != p.sent.active {
			a.Send(u, &protocol.ActiveTBs{On: due.actives, Most: due.active})
		}
	}
	p.sent = due
}
