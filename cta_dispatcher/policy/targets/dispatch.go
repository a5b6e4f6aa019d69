package targets

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Dispatch places thread blocks up to the targets, tenants with a kernel in the order of
// arrival. For a waiting thread block that does not fit, thread blocks above the targets of
// the tenants in order leave, by the mechanism (Switch, Ideal or Flush): of the tenant with
// most above its target, the last in order among equals. With Drain no thread block is told to
// leave; a place above the target stays free when its thread block ends.
func (t *Targets) Dispatch(v *policy.View, a policy.Actions, order []int, m policy.Mechanism) {
	t.order = order
	for _, tenant := range v.Active {
		tbs := t.TBs[tenant]
		policy.Breadth(v, a, tenant, func(sm int) bool { return v.SMs[sm].Staying(tenant) < tbs[sm] })
		if m != policy.Drain && v.Tenants[tenant].Waiting > 0 {
			t.makeRoom(v, a, tenant, m)
		}
	}
}

// Trim makes thread blocks above the targets of the tenants in order leave, even if no other
// thread block waits for their room; with Drain none.
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

// makeRoom makes other tenants' TBs leave SMs on which a tenant is below its target, no more
// than its waiting TBs need.
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

// excess fills evicted with TBs above other tenants' targets on an SM, so that up to most of a
// tenant's TBs fit once these and the leaving TBs are gone. It returns the number that will
// fit.
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

// vacate makes TBs above other tenants' targets leave until a TB of the tenant fits, and
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

// above counts a tenant's TBs on an SM beyond its target, without leaving ones; 0 for the
// tenant that needs the room.
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
