package qos

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// counters are the SMs' counters.
type counters = protocol.SMCounters

// samplesPerEpoch is the number of counts of idle warps in an epoch (QoS 3.6).
const samplesPerEpoch = 100

// limit switches quotas on and off, and sets them anew at each epoch.
func (q *qos) limit(v *policy.View, a policy.Actions, epoch bool) {
	shared := q.sharing()
	switch {
	case !shared && q.limited:
		q.lift(v, a)
	case !shared:
	case !q.limited:
		if q.adjusts {
			each(v, a, func() protocol.Control { return &protocol.SampleIdle{Every: q.manager.epoch / samplesPerEpoch} })
		}
		q.renew(v, a, epoch)
		q.limited = true
	case epoch:
		q.renew(v, a, true)
	default:
		q.join()
	}
	for tenant := range q.held {
		q.held[tenant] = q.claims.Holds(tenant)
	}
}

// each sends every SM its own control.
func each(v *policy.View, a policy.Actions, control func() protocol.Control) {
	for i := range v.SMs {
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, control())
	}
}

// sharing reports whether a tenant with a goal shares the GPU with another.
func (q *qos) sharing() bool {
	return len(q.claims.Order) > 1 && slices.ContainsFunc(q.claims.Order, q.hasGoal)
}

// lift ends the quotas.
func (q *qos) lift(v *policy.View, a policy.Actions) {
	each(v, a, func() protocol.Control { return &protocol.Quotas{} })
	if q.adjusts {
		each(v, a, func() protocol.Control { return &protocol.SampleIdle{} })
	}
	q.limited = false
	for tenant := range q.given {
		q.forfeit(tenant)
	}
}

// forfeit clears a tenant's quota.
func (q *qos) forfeit(tenant int) {
	clear(q.given[tenant])
	q.manager.tenants[tenant].quota = 0
	if !q.hasGoal(tenant) {
		q.manager.tenants[tenant].goal = 0
	}
}

// renew sets all quotas on all SMs; at an epoch it scales them anew.
func (q *qos) renew(v *policy.View, a policy.Actions, epoch bool) {
	if epoch {
		q.manager.scale()
	}
	for tenant := range v.Tenants {
		if !q.claims.Holds(tenant) {
			q.forfeit(tenant)
			continue
		}
		q.manager.grant(tenant, q.claims.Order)
		q.divide(v, tenant, q.hosts(v, tenant))
		copy(q.given[tenant], q.shares)
	}
	for i := range v.SMs {
		m := q.message()
		for tenant := range v.Tenants {
			switch {
			case q.claims.Holds(tenant):
				m.Of[tenant] = q.quota(tenant, q.given[tenant][i])
			case !v.Tenants[tenant].Present:
				m.Of[tenant] = protocol.Quota{Given: true} // the counter has no owner
			}
		}
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, m)
	}
}

// join grants quotas to tenants with a new claim. A tenant that has lost its claim loses its
// quota at the next epoch.
func (q *qos) join() {
	for _, tenant := range q.claims.Order {
		if !q.held[tenant] {
			q.manager.grant(tenant, q.claims.Order)
		}
	}
}

// supply gives a tenant's share by targets to SMs that host the tenant and have no share.
func (q *qos) supply(v *policy.View, a policy.Actions) {
	for _, tenant := range q.claims.Order {
		if v.Tenants[tenant].Running == 0 {
			continue
		}
		divided := false
		for i := range v.SMs {
			if q.given[tenant][i] > 0 || v.SMs[i].Staying(tenant) == 0 {
				continue
			}
			if !divided {
				q.divide(v, tenant, q.targets.TBs[tenant])
				divided = true
			}
			q.given[tenant][i] = max(q.shares[i], 1)
			m := q.message()
			m.Of[tenant] = q.quota(tenant, q.given[tenant][i])
			a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, m)
		}
	}
}

// hosts lists, by SM, the TBs that divide a tenant's quota: its staying TBs, or its targets if
// it has none.
func (q *qos) hosts(v *policy.View, tenant int) []int {
	for i := range v.SMs {
		q.hosted[i] = v.SMs[i].Staying(tenant)
	}
	if sum(q.hosted) == 0 {
		return q.targets.TBs[tenant]
	}
	return q.hosted
}

// divide fills shares with a tenant's quota, divided by TBs: 0 without TBs, else at least 1
// and at most the SM's peak.
func (q *qos) divide(v *policy.View, tenant int, tbs []int) {
	clear(q.shares)
	if sum(tbs) == 0 {
		return
	}
	split(q.manager.tenants[tenant].quota, tbs, q.shares)
	for i, n := range tbs {
		if n > 0 {
			q.shares[i] = min(max(q.shares[i], 1), peak(&v.SMs[i], q.manager.epoch))
		}
	}
}

// message changes no tenant's quota yet; quotas are in lanes, of an SM (QoS 3.4.1).
func (q *qos) message() *protocol.Quotas {
	return &protocol.Quotas{On: true, Lanes: true, PerSM: true, AtCompletion: q.charges}
}

// quota is a tenant's quota by its scheme. An SM keeps nothing from before quotas were
// switched on.
func (q *qos) quota(tenant int, amount int64) protocol.Quota {
	t := q.scheme.other
	if q.hasGoal(tenant) {
		t = q.scheme.qos
	}
	return protocol.Quota{Given: true, Amount: amount, Refill: t.refill, Keep: t.keep && q.limited, First: t.first}
}
