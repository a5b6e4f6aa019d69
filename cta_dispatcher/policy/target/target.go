// Package target places thread blocks up to numbers that a policy sets for each tenant
// and SM, and has those beyond them leave when their room is needed. Policies that
// decide how many thread blocks tenants have, and not which, share it.
package target

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Targets are how many TBs tenants are to have on SMs. New makes them.
type Targets struct {
	TBs [][]int // by tenant and SM
	// Demand is, by tenant, that of a TB of its last kernel, nothing before its first.
	Demand []occupancy.Demand
	// Mechanism is how TBs are taken off an SM, Switch or Ideal.
	Mechanism policy.Mechanism
	// Stay has TBs beyond a target stay until they end.
	Stay bool

	evicted []int // by tenant: TBs that are to leave an SM
}

// New makes targets that are all 0.
func New(tenants, sms int, m policy.Mechanism) Targets {
	t := Targets{Demand: make([]occupancy.Demand, tenants), Mechanism: m, evicted: make([]int, tenants)}
	for range tenants {
		t.TBs = append(t.TBs, make([]int, sms))
	}
	return t
}

// Update notes the demands of active kernels, and reports whether one has changed.
func (t *Targets) Update(v *policy.View) (changed bool) {
	for _, tenant := range v.Active {
		if d := v.Tenants[tenant].Demand; d != t.Demand[tenant] {
			t.Demand[tenant] = d
			changed = true
		}
	}
	return changed
}

// Holds reports whether an SM has room for a TB of a tenant's last kernel when it is
// empty.
func (t *Targets) Holds(v *policy.View, tenant, sm int) bool {
	return v.SMs[sm].Capacity.Fits(&occupancy.Usage{}, t.Demand[tenant])
}

// Of is how many TBs a tenant is to have on all SMs.
func (t *Targets) Of(tenant int) (n int) {
	for _, tbs := range t.TBs[tenant] {
		n += tbs
	}
	return n
}

// Dispatch places TBs up to the targets, and has others of tenants in order leave that
// are too many where some wait.
func (t *Targets) Dispatch(v *policy.View, a policy.Actions, order []int) {
	for _, tenant := range v.Active {
		t.place(v, a, tenant)
		if v.Tenants[tenant].Waiting > 0 && !t.Stay {
			t.makeRoom(v, a, tenant, order)
		}
	}
}

// place places a tenant's TBs up to its targets.
func (t *Targets) place(v *policy.View, a policy.Actions, tenant int) {
	target := t.TBs[tenant]
	policy.Breadth(v, a, tenant, func(sm int) bool { return v.SMs[sm].Staying(tenant) < target[sm] })
}

// makeRoom has TBs of others leave SMs on which a tenant is below its target, no
// more than make room for those that wait.
func (t *Targets) makeRoom(v *policy.View, a policy.Actions, tenant int, order []int) {
	waiting := v.Tenants[tenant].Waiting
	for i := range v.SMs {
		missing := min(t.TBs[tenant][i]-v.SMs[i].Staying(tenant), waiting)
		if missing <= 0 {
			continue
		}
		waiting -= t.excess(v, i, tenant, missing, order)
		for _, other := range order {
			if n := t.evicted[other]; n > 0 {
				a.Preempt(other, i, n, t.Mechanism)
			}
		}
	}
}

// excess finds the TBs above others' targets on an SM that have to leave it so
// that up to so many of a tenant's TBs fit when they are gone, and all those that
// leave already. It fills evicted, and returns how many will fit.
func (t *Targets) excess(v *policy.View, sm, tenant, most int, order []int) (fit int) {
	clear(t.evicted)
	s := &v.SMs[sm]
	u := s.Usage
	for other, n := range s.Leaving {
		release(&u, t.Demand[other], n)
	}
	for fit < most && t.vacate(v, &u, sm, tenant, order) {
		u.Take(t.Demand[tenant])
		fit++
	}
	return fit
}

// vacate has TBs above others' targets leave until one of a tenant's fits, and
// reports whether it does; if not, none leaves.
func (t *Targets) vacate(v *policy.View, u *occupancy.Usage, sm, tenant int, order []int) bool {
	c := v.SMs[sm].Capacity
	all := *u
	for _, other := range order {
		release(&all, t.Demand[other], t.above(v, sm, other, tenant))
	}
	if !c.Fits(&all, t.Demand[tenant]) {
		return false
	}
	for !c.Fits(u, t.Demand[tenant]) {
		most, last := 0, -1
		for _, other := range order {
			if n := t.above(v, sm, other, tenant); n > 0 && n >= most {
				most, last = n, other
			}
		}
		t.evicted[last]++
		release(u, t.Demand[last], 1)
	}
	return true
}

// above is how many TBs a tenant has on an SM beyond its target, those not counted
// that are to leave; 0 for the tenant for which they would.
func (t *Targets) above(v *policy.View, sm, tenant, except int) int {
	if tenant == except {
		return 0
	}
	return max(0, v.SMs[sm].Staying(tenant)-t.evicted[tenant]-t.TBs[tenant][sm])
}

// release takes n TBs off an SM's usage.
func release(u *occupancy.Usage, d occupancy.Demand, n int) {
	for range n {
		u.Release(d)
	}
}
