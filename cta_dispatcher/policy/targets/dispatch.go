package targets

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Dispatch places thread blocks up to the targets, of the tenants with a kernel in
// the order of arrival. Where some wait that do not fit, those leave that are above
// the targets of the tenants that order lists, by the mechanism (Switch, Ideal or
// Flush); of one that has most, the last in order among equals. With Drain none is
// told to leave: their places are not taken again by their own when they end.
func (t *Targets) Dispatch(v *policy.View, a policy.Actions, order []int, m policy.Mechanism) {
	t.order = order
	for _, tenant := range v.Active {
		t.place(v, a, tenant)
		if m != policy.Drain && v.Tenants[tenant].Waiting > 0 {
			t.makeRoom(v, a, tenant, m)
		}
	}
}

// Trim has thread blocks leave that are above the targets of the tenants that order
// lists, though nobody waits for their room; with Drain none.
func (t *Targets) Trim(v *policy.View, a policy.Actions, order []int, m policy.Mechanism) {
	if m == policy.Drain {
		return
	}
	for _, tenant := range order {
		for i := range v.SMs {
			if n := v.SMs[i].Staying(tenant) - t.TBs[tenant][i]; n > 0 {
				a.Preempt(tenant, i, n, m)
			}
		}
	}
}

// place places a tenant's TBs up to its targets.
func (t *Targets) place(v *policy.View, a policy.Actions, tenant int) {
	tbs := t.TBs[tenant]
	policy.Breadth(v, a, tenant, func(sm int) bool { return v.SMs[sm].Staying(tenant) < tbs[sm] })
}

// makeRoom has TBs of others leave SMs on which a tenant is below its target, no
// more than make room for those that wait.
func (t *Targets) makeRoom(v *policy.View, a policy.Actions, tenant int, m policy.Mechanism) {
	waiting := v.Tenants[tenant].Waiting
	for i := range v.SMs {
		missing := min(t.TBs[tenant][i]-v.SMs[i].Staying(tenant), waiting)
		if missing <= 0 {
			continue
		}
		waiting -= t.excess(v, i, tenant, missing)
		for _, other := range t.order {
			if n := t.evicted[other]; n > 0 {
				a.Preempt(other, i, n, m)
			}
		}
	}
}

// excess finds the TBs above others' targets on an SM that have to leave it so
// that up to so many of a tenant's TBs fit when they are gone, and all those that
// leave already. It fills evicted, and returns how many will fit.
func (t *Targets) excess(v *policy.View, sm, tenant, most int) (fit int) {
	clear(t.evicted)
	s := &v.SMs[sm]
	u := s.Usage
	for other, n := range s.Leaving {
		release(&u, t.Demand[other], n)
	}
	for fit < most && t.vacate(v, &u, sm, tenant) {
		u.Take(t.Demand[tenant])
		fit++
	}
	return fit
}

// vacate has TBs above others' targets leave until one of a tenant's fits, and
// reports whether it does; if not, none leaves.
func (t *Targets) vacate(v *policy.View, u *occupancy.Usage, sm, tenant int) bool {
	c := v.SMs[sm].Capacity
	all := *u
	for _, other := range t.order {
		release(&all, t.Demand[other], t.above(v, sm, other, tenant))
	}
	if !c.Fits(&all, t.Demand[tenant]) {
		return false
	}
	for !c.Fits(u, t.Demand[tenant]) {
		most, last := 0, -1
		for _, other := range t.order {
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
