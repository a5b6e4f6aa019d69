package qos

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// counters are what SMs count.
type counters = protocol.SMCounters

// samplesPerEpoch is how often idle warps are counted (QoS 3.6).
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

// each sends every SM a control of its own.
func each(v *policy.View, a policy.Actions, control func() protocol.Control) {
	for i := range v.SMs {
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, control())
	}
}

// sharing reports whether a tenant with a goal shares the GPU with another.
func (q *qos) sharing() bool {
	goal := false
	for _, tenant := range q.claims.Order {
		goal = goal || q.hasGoal(tenant)
	}
	return goal && len(q.claims.Order) > 1
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

// forfeit notes that a tenant has no quota any more.
func (q *qos) forfeit(tenant int) {
	clear(q.given[tenant])
	q.manager.tenants[tenant].quota = 0
	if !q.hasGoal(tenant) {
		q.manager.tenants[tenant].goal = 0
	}
}

// renew sets everybody's quotas on all SMs; scaled anew if it is an epoch.
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
				m.Of[tenant] = protocol.Quota{Given: true} // the counter is nobody's any more
			}
		}
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, m)
	}
}

// join gives tenants quotas that have a claim since they were last looked at. Those
// who have none any more lose theirs at the next epoch.
func (q *qos) join() {
	for _, tenant := range q.claims.Order {
		if !q.held[tenant] {
			q.manager.grant(tenant, q.claims.Order)
		}
	}
}

// supply gives SMs that host a tenant, and have nothing of its quota, what they
// would have by its targets.
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

// hosts lists, by SM, the TBs by which a tenant's quota is divided: those that it
// has and that do not leave, or its targets if it has none.
func (q *qos) hosts(v *policy.View, tenant int) []int {
	for i := range v.SMs {
		q.hosted[i] = v.SMs[i].Staying(tenant)
	}
	if sum(q.hosted) == 0 {
		return q.targets.TBs[tenant]
	}
	return q.hosted
}

// divide fills shares with a tenant's quota, divided by TBs: none where there are
// none, at least 1 and at most what the SM can issue where there are some.
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

// message is one that changes no tenant's quota yet: in lanes, of an SM (QoS 3.4.1).
func (q *qos) message() *protocol.Quotas { return &protocol.Quotas{On: true, Lanes: true, PerSM: true} }

// quota is a tenant's by its scheme. Nothing is kept of what an SM had before
// quotas were switched on.
func (q *qos) quota(tenant int, amount int64) protocol.Quota {
	t := q.scheme.other
	if q.hasGoal(tenant) {
		t = q.scheme.qos
	}
	return protocol.Quota{Given: true, Amount: amount, Refill: t.refill, Keep: t.keep && q.limited, First: t.first}
}
