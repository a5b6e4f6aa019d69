package qos

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// adjust gives each tenant behind its goal, the furthest behind first, another TB on each SM
// with room. On an SM without room another tenant loses its place (QoS 3.6).
func (q *qos) adjust(v *policy.View, a policy.Actions) {
	q.countIdle(v)
	q.countPending(v)
	clear(q.passed)
	for tenant := q.furthest(); tenant >= 0; tenant = q.furthest() {
		q.passed[tenant] = true
		for idle := range 2 { // more idle TBs are more TLP than it needs
			for i := range v.SMs {
				if q.sampled[i] && q.idle[tenant][i] == idle {
					q.grow(v, a, tenant, i)
				}
			}
		}
	}
}

// countPending finds the SMs that may swap in this epoch: all or none, as "swapping only happens
// if there are no pending preemption requests from any kernel" (QoS 3.6). A request is pending
// until its TB has left the SM and its context is in memory.
func (q *qos) countPending(v *policy.View) {
	all := moving(v)
	for i := range v.SMs {
		q.pending[i] = all
	}
}

// moving reports whether a TB of any tenant is leaving an SM, or on its way to or from memory.
func moving(v *policy.View) bool {
	for i := range v.Tenants {
		if v.Tenants[i].Loading > 0 || v.Returning(i) > 0 {
			return true
		}
	}
	return false
}

// countIdle works out the idle TBs of the last epoch.
func (q *qos) countIdle(v *policy.View) {
	for i := range v.SMs {
		c, _ := v.SMWindow(i)
		q.sampled[i] = c.IdleSamples > 0
		for tenant := range q.idle {
			q.idle[tenant][i] = 0
			if warps := q.targets.Demand[tenant].Warps; q.sampled[i] && warps > 0 {
				q.idle[tenant][i] = wholeTBs(c.Tenants[tenant].IdleWarps, c.IdleSamples, warps)
			}
		}
	}
}

// furthest returns the tenant with the lowest ratio of history to goal, the first to arrive
// among equals, passed tenants excluded; unless adjust=on, a tenant that reached its goal in
// the last epoch needs no more TBs to catch up. -1 if there is none.
func (q *qos) furthest() int {
	best, least := -1, 1.0
	for _, tenant := range q.claims.Order {
		r := &q.manager.tenants[tenant]
		if !r.qos || !r.measured || q.passed[tenant] || q.lately && r.ipc >= r.goal {
			continue
		}
		if part := r.history / r.goal; part < least {
			best, least = tenant, part
		}
	}
	return best
}

// grow gives a tenant one TB more on an SM, if a TB waits without a promised place and the SM
// has room or may get some.
func (q *qos) grow(v *policy.View, a policy.Actions, tenant, sm int) {
	if v.SMs[sm].Staying(tenant) < q.targets.TBs[tenant][sm] || v.Tenants[tenant].Waiting <= q.promised(v, tenant) {
		return
	}
	if !q.fits(v, sm, tenant, -1, 0) {
		if q.pending[sm] {
			return
		}
		other, n := q.choose(v, sm, tenant)
		if other < 0 {
			return
		}
		target, leave := q.without(v, sm, other, n)
		q.gains(sm)[other] -= (q.targets.TBs[other][sm] - target) * q.targets.Demand[other].Threads
		q.targets.TBs[other][sm] = target
		if leave > 0 {
			a.Preempt(other, sm, leave, q.mechanism)
		}
		for i := range q.pending {
			q.pending[i] = q.pending[i] || i == sm || q.oneSwap
		}
	}
	q.targets.TBs[tenant][sm]++
	q.gains(sm)[tenant] += q.targets.Demand[tenant].Threads
	if v.Fits(tenant, sm) {
		a.Place(tenant, sm)
	}
}

// promised counts a tenant's missing TBs on the SMs where it is below its target.
func (q *qos) promised(v *policy.View, tenant int) (n int) {
	for i := range v.SMs {
		n += max(0, q.targets.TBs[tenant][i]-v.SMs[i].Staying(tenant))
	}
	return n
}

// taken counts the TBs of a tenant that an SM keeps room for: its target, or its present TBs
// if these are more.
func (q *qos) taken(v *policy.View, sm, tenant int) int {
	return max(q.targets.TBs[tenant][sm], v.SMs[sm].Staying(tenant))
}

// fits reports whether an SM has room for another TB of a tenant beside its taken TBs, without
// n TBs of another tenant.
func (q *qos) fits(v *policy.View, sm, tenant, other, n int) bool {
	var u occupancy.Usage
	var all occupancy.Demand
	for _, o := range q.claims.Order {
		tbs := q.taken(v, sm, o)
		if o == other {
			tbs -= n
		}
		if tbs > 0 {
			u.Take(q.targets.Demand[o]) // for the size of the largest TB's shared memory
			all = all.Add(q.targets.Demand[o].Times(tbs))
		}
	}
	u.Demand = all
	return v.SMs[sm].Capacity.Fits(&u, q.targets.Demand[tenant])
}

// without returns a tenant's target on an SM, and the number of its leaving TBs, after the
// loss of n taken TBs.
func (q *qos) without(v *policy.View, sm, tenant, n int) (target, leave int) {
	rest := q.taken(v, sm, tenant) - n
	return min(q.targets.TBs[tenant][sm], rest), max(0, v.SMs[sm].Staying(tenant)-rest)
}

// choose returns the tenant that loses TBs on an SM to make room for a TB of another, and
// their number; -1 for none.
func (q *qos) choose(v *policy.View, sm, tenant int) (best, tbs int) {
	best = -1
	var chosen victim
	for _, other := range q.claims.Order {
		if other == tenant {
			continue
		}
		n := 1
		for n <= q.taken(v, sm, other) && !q.fits(v, sm, tenant, other, n) {
			n++
		}
		c := q.victim(v, sm, other, n)
		target, leave := q.without(v, sm, other, n)
		switch {
		case n > q.taken(v, sm, other): // not even without all of them
		case q.targets.Sum(other)-q.targets.TBs[other][sm]+target == 0, leave > 0 && leave == c.tbs: // its last
		case c.ground() == notAVictim:
		case best < 0 || c.before(&chosen):
			best, tbs, chosen = other, n, c
		}
	}
	return best, tbs
}

// victim collects the figures that decide whether a tenant loses n TBs on an SM.
func (q *qos) victim(v *policy.View, sm, tenant, n int) victim {
	r := &q.manager.tenants[tenant]
	c := victim{qos: r.qos, n: n, idle: q.idle[tenant][sm], history: r.history, goal: r.goal,
		threads: v.SMs[sm].Staying(tenant) * q.targets.Demand[tenant].Threads}
	for i := range v.SMs {
		c.tbs += v.SMs[i].Staying(tenant)
	}
	return c
}
