// Package ccbp is coordinated CTA combination and bandwidth partitioning (CCBP, Lin et
// al., ACM TACO 2019). Tenants share all SMs alike, with numbers of CTAs (thread
// blocks) and rates at which their memory requests may leave an SM, so that neither the
// reply crossbar (the NoC) nor the DRAM is asked for more than it sustains.
//
// What is detected while the kernels run together (5.4; study.go), in epochs:
//
//	5      even CTAs, no rates: warm-up
//	2      rf and df, what requests cost (units.go)
//	1 + 1  even rates; what kernels want decides their kind (kind.go)
//	1 + 1  for each number of active CTAs of each bandwidth-intensive kernel in turn, the
//	       others at even rates: what it issues without a limit (curve.go)
//
// of which the first 1 is left out each time. Then Algorithm 1 (5.2; allocate.go)
// divides CTAs and bandwidths by dominant shares, and hill climbing (5.5; climb.go)
// looks for a better priority of the latency-sensitive kernels, ten epochs a step.
//
// All this is for a set of kernels, each known by its tenant and what its thread blocks
// take. What is known of a set is kept, and how far its detection is: when it comes
// back, detection goes on with the step at which it was interrupted. So a kernel of an
// application that runs for less time than detection takes is not detected at one go,
// but over its launches. Tenants that count are those with claims (package claim); one
// that is alone has the GPU without rates, as nobody would gain by them.
//
// What the paper leaves open:
//
//   - The warm-up ends when it is over and nobody has more CTAs on an SM than its even
//     part, those included that still have to end (preempt=none).
//   - Latency-sensitive kernels go first from when they are known.
//   - A kernel is measured at eight numbers of CTAs at most.
//   - Where an SM cannot hold a CTA of every kernel nothing is detected: CTAs are dealt
//     in turn, beginning with another kernel on each SM, and every ten epochs with the
//     next if one has none on any.
//   - Offline detection (variant=offline, the paper's CCBP_offline) is a run of the same
//     mix before the measured one, with epochs ten times as long (rehearse.go). Studies
//     are taken over; a set that is not among them is detected in the measured run.
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
	mechanism policy.Mechanism // by which thread blocks beyond their targets leave; Drain: when they end
	bandwidth Bandwidth
	claims    claim.Claims
	targets   *targets.Targets

	studies []known
	study   *study // of those that share, nil if nobody does
	last    *study // of those that shared last
	// rehearsal is that from which studies were learnt, nil without.
	rehearsed *policy.Rehearsal
	turn      int // moves the order in which too large CTAs are dealt
	hungry    int // epochs since every kernel had a target

	counted sample
	sent    told // what all SMs have been told
	shown   []policy.RegisterValue
}

// known is a study by its set of kernels: what a CTA takes, by tenant.
type known struct {
	set   []occupancy.Demand
	study *study
}

// told is what an SM has been told.
type told struct {
	rates   bool
	rate    [tenant.Max]protocol.Rate
	actives bool
	active  [tenant.Max]uint8
}

// patience is how many epochs a kernel waits for a target before the order changes.
const patience = 10

// Decide counts, finds out what everybody is to have, places thread blocks and sends
// rates.
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
		moved = p.goOn(v) || moved
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

// drained reports whether nobody has more TBs on an SM than its target.
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

// goOn reports whether a kernel has had no target for so long that the TBs are to be
// dealt in another order.
func (p *ccbp) goOn(v *policy.View) bool {
	if !slices.ContainsFunc(v.Active, func(tenant int) bool { return p.targets.Sum(tenant) == 0 }) {
		p.hungry = 0
		return false
	}
	if p.hungry++; p.hungry < patience {
		return false
	}
	p.hungry = 0
	p.turn++
	return true
}

// choose finds the study of those that share: tenants with a claim that have launched
// a kernel.
func (p *ccbp) choose(v *policy.View) {
	set := make([]occupancy.Demand, len(v.Tenants))
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
	i := slices.IndexFunc(p.studies, func(k known) bool { return slices.Equal(k.set, set) })
	if i < 0 {
		i = len(p.studies)
		p.studies = append(p.studies, known{set, newStudy(p.settings, v.SMs[0].Capacity, p.bandwidth, members)})
	} else if p.studies[i].study != before {
		p.studies[i].study.resume()
	}
	p.study = p.studies[i].study
	p.last = p.study
}

// place is which member of the present set a tenant is, -1 for none.
func (p *ccbp) place(tenant int) int {
	if p.study == nil {
		return -1
	}
	return slices.IndexFunc(p.study.members, func(m member) bool { return m.tenant == tenant })
}

// deal sets the targets of all tenants.
func (p *ccbp) deal(v *policy.View) {
	for tenant := range p.targets.TBs {
		clear(p.targets.TBs[tenant])
	}
	s := p.study
	if s == nil {
		for _, tenant := range p.claims.Order {
			for i := range v.SMs {
				p.targets.TBs[tenant][i] = v.SMs[i].Capacity.TBs
			}
		}
		return
	}
	ctas, wants := make([]int, len(s.members)), make([]int, len(s.members))
	for k := range wants {
		wants[k] = max(s.members[k].most/len(wants), 1)
	}
	for i := range v.SMs {
		if s.phase == crowded {
			lay(v.SMs[i].Capacity, s.takes(), wants, i+p.turn, ctas)
		}
		for k := range s.members {
			if s.phase != crowded {
				ctas[k] = s.order(k).ctas
			}
			p.targets.TBs[s.members[k].tenant][i] = ctas[k]
		}
	}
}

// send tells the SMs what they have not been told.
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
