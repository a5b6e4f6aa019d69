package qos

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// dispatch places TBs up to the targets, and has others leave that are too many
// where some wait.
func (q *qos) dispatch(v *policy.View, a policy.Actions) {
	for _, tenant := range v.Active {
		q.place(v, a, tenant)
		if v.Tenants[tenant].Waiting > 0 {
			q.makeRoom(v, a, tenant)
		}
	}
}

// place places a tenant's TBs up to its targets.
func (q *qos) place(v *policy.View, a policy.Actions, tenant int) {
	target := q.target[tenant]
	policy.Breadth(v, a, tenant, func(sm int) bool { return v.SMs[sm].Staying(tenant) < target[sm] })
}

// makeRoom has TBs of others leave SMs on which a tenant is below its target, no
// more than make room for those that wait.
func (q *qos) makeRoom(v *policy.View, a policy.Actions, tenant int) {
	waiting := v.Tenants[tenant].Waiting
	for i := range v.SMs {
		missing := min(q.target[tenant][i]-v.SMs[i].Staying(tenant), waiting)
		if missing <= 0 {
			continue
		}
		waiting -= q.excess(v, i, tenant, missing)
		for _, other := range q.claims.Order {
			if n := q.evicted[other]; n > 0 {
				a.Preempt(other, i, n, q.mechanism)
			}
		}
	}
}

// excess finds the TBs above others' targets on an SM that have to leave it so
// that up to so many of a tenant's TBs fit when they are gone, and all those that
// leave already. It fills evicted, and returns how many will fit.
func (q *qos) excess(v *policy.View, sm, tenant, most int) (fit int) {
	clear(q.evicted)
	s := &v.SMs[sm]
	u := s.Usage
	for other, n := range s.Leaving {
		release(&u, q.demand[other], n)
	}
	for fit < most && q.vacate(v, &u, sm, tenant) {
		u.Take(q.demand[tenant])
		fit++
	}
	return fit
}

// vacate has TBs above others' targets leave until one of a tenant's fits, and
// reports whether it does; if not, none leaves.
func (q *qos) vacate(v *policy.View, u *occupancy.Usage, sm, tenant int) bool {
	c := v.SMs[sm].Capacity
	all := *u
	for _, other := range q.claims.Order {
		release(&all, q.demand[other], q.above(v, sm, other, tenant))
	}
	if !c.Fits(&all, q.demand[tenant]) {
		return false
	}
	for !c.Fits(u, q.demand[tenant]) {
		most, last := 0, -1
		for _, other := range q.claims.Order {
			if n := q.above(v, sm, other, tenant); n > 0 && n >= most {
				most, last = n, other
			}
		}
		q.evicted[last]++
		release(u, q.demand[last], 1)
	}
	return true
}

// above is how many TBs a tenant has on an SM beyond its target, those not counted
// that are to leave; 0 for the tenant for which they would.
func (q *qos) above(v *policy.View, sm, tenant, except int) int {
	if tenant == except {
		return 0
	}
	return max(0, v.SMs[sm].Staying(tenant)-q.evicted[tenant]-q.target[tenant][sm])
}

// release takes n TBs off an SM's usage.
func release(u *occupancy.Usage, d occupancy.Demand, n int) {
	for range n {
		u.Release(d)
	}
}
