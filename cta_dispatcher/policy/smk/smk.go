// Package smk implements Simultaneous Multikernel with on-demand allocation (SMK 5.3.1, Figure 4). The
// kernel with the lowest dominant share places the next thread block. If it fits nowhere,
// another kernel's thread blocks are switched out for it, provided that the shares come
// closer. There are no partitions: between two launches a tenant has nothing to keep.
package smk

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/drf"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "smk",
		About: "simultaneous multikernel, on demand: kernels share SMs, resource shares kept alike",
		Options: []policy.Option{
			{Name: "preempt", About: "how thread blocks are taken off an SM: switch or ideal", Default: "switch"},
		},
		New: func(o *policy.Options) policy.Policy {
			return &smk{mechanism: o.Mechanism("preempt", policy.Switch, policy.Ideal)}
		},
	})
}

type smk struct {
	mechanism policy.Mechanism
	capacity  occupancy.Demand // of all SMs
	// promised is, by SM, the tenant for which other tenants' TBs are leaving, -1 for none.
	// Meanwhile no other TB is placed there.
	promised []int
	// tbs counts, by tenant, the TBs of its share: staying TBs, and one for each SM promised
	// to it.
	tbs []int
	// waiting counts, by tenant, TBs without an SM or a promise.
	waiting []int
	passed  []bool // by tenant: nothing more can be done for it at this event
	evicted []int  // by tenant: TBs to be switched out of the victim SM
	role    []role
	// trial is an assumed placement of a TB, to examine its effects.
	trial struct {
		on         bool
		kernel, sm int
	}
}

// role keeps two kernels from switching each other out in turn: from one TB's
// end or kernel's start or end to the next, a kernel only gains SMs by
// preemption or only loses them.
type role uint8

const (
	neither role = iota
	gains
	loses
)

// Needs makes smk a policy.Policy.
func (*smk) Needs() policy.Needs { return policy.Needs{} }

// Decide places and switches out thread blocks until the shares are as close
// as they get.
func (p *smk) Decide(v *policy.View, a policy.Actions) {
	p.count(v)
	if v.Event != policy.TBPreempted && v.Event != policy.ContextSaved {
		clear(p.role)
	}
	p.redeem(v, a)
	clear(p.passed)
	first := true // the kernel is the one with the lowest share of all
	for kernel := p.lowest(v, p.passed); kernel >= 0; kernel = p.lowest(v, p.passed) {
		sm := p.room(v, kernel)
		switch {
		case sm >= 0 && p.stable(v, kernel, sm):
			a.Place(kernel, sm)
			p.tbs[kernel]++
			p.waiting[kernel]--
		case sm < 0 && first && p.evict(v, a, kernel):
		default:
			p.passed[kernel] = true
			first = false
			continue
		}
		clear(p.passed)
		first = true
	}
}

// count takes stock at the start of an event.
func (p *smk) count(v *policy.View) {
	if p.promised == nil {
		p.promised = make([]int, len(v.SMs))
		for i := range v.SMs {
			p.promised[i] = -1
			p.capacity = p.capacity.Add(drf.Limits(v.SMs[i].Capacity))
		}
		n := len(v.Tenants)
		p.tbs, p.waiting, p.evicted = make([]int, n), make([]int, n), make([]int, n)
		p.passed, p.role = make([]bool, n), make([]role, n)
	}
	for tenant := range v.Tenants {
		p.tbs[tenant], p.waiting[tenant] = v.Tenants[tenant].Running, v.Tenants[tenant].Waiting
	}
	for i := range v.SMs {
		for tenant, n := range v.SMs[i].Leaving {
			p.tbs[tenant] -= n
		}
		if to := p.promised[i]; to >= 0 {
			if p.waiting[to] == 0 {
				p.promised[i] = -1
				continue
			}
			p.tbs[to]++
			p.waiting[to]--
		}
	}
}

// redeem places TBs on their promised SMs. It drops a promise if all evicted TBs have left and
// the TB does not fit.
func (p *smk) redeem(v *policy.View, a policy.Actions) {
	for i, to := range p.promised {
		if to < 0 {
			continue
		}
		s := &v.SMs[i]
		switch {
		case v.Fits(to, i):
			a.Place(to, i)
			p.promised[i] = -1
		case s.TBsStaying() == s.Usage.TBs:
			p.promised[i] = -1
			p.tbs[to]--
			p.waiting[to]++
		}
	}
}

// share is rK, the kernel's dominant share of the GPU.
func (p *smk) share(v *policy.View, tenant, tbs int) float64 {
	return drf.Share(v.Tenants[tenant].Demand.Times(tbs), p.capacity)
}

// lowest is the kernel with TBs to place and the lowest share, passed ones excluded; among
// equals the kernel with the smaller TB, then the first to become active; -1 for none.
func (p *smk) lowest(v *policy.View, passed []bool) int {
	best, low := -1, 0.0
	for _, tenant := range v.Active {
		if p.waiting[tenant] == 0 || passed != nil && passed[tenant] {
			continue
		}
		share := p.share(v, tenant, p.tbs[tenant])
		if best < 0 || share < low || share == low && p.share(v, tenant, 1) < p.share(v, best, 1) {
			best, low = tenant, share
		}
	}
	return best
}

// room is the SM with the lowest share taken (rSM) where the kernel's TB fits, -1 if it fits
// nowhere.
func (p *smk) room(v *policy.View, kernel int) int {
	best, low := -1, 0.0
	for i := range v.SMs {
		s := &v.SMs[i]
		if p.promised[i] >= 0 || s.Reserved {
			continue
		}
		u := p.usage(v, i)
		if !s.Capacity.Fits(&u, v.Tenants[kernel].Demand) {
			continue
		}
		if share := drf.Share(u.Demand, drf.Limits(s.Capacity)); best < 0 || share < low {
			best, low = i, share
		}
	}
	return best
}

// usage is the usage of an SM, with the TB on trial.
func (p *smk) usage(v *policy.View, sm int) occupancy.Usage {
	u := v.SMs[sm].Usage
	if p.trial.on && p.trial.sm == sm {
		u.Take(v.Tenants[p.trial.kernel].Demand)
	}
	return u
}

// staying is the number of a tenant's TBs that stay on an SM, with the one on
// trial.
func (p *smk) staying(v *policy.View, sm, tenant int) int {
	n := v.SMs[sm].Staying(tenant)
	if p.trial.on && p.trial.sm == sm && p.trial.kernel == tenant {
		n++
	}
	return n
}
