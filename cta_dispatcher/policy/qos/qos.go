// Package qos is fine-grained QoS (Wang et al., ISCA 2017): tenants share SMs, and
// those with a goal, an IPC that they are promised, have quotas of instructions by
// which they reach it and do not exceed it by much, so that the others get the rest.
// A tenant has a goal if its attribute Goal is above 0; it is absolute, in thread
// instructions per core cycle of the whole GPU since the tenant's arrival.
//
// Three things follow one another at each epoch (10,000 cycles in the paper):
//
//   - The QoS manager (3.4, 3.5; manager.go) reads what tenants have issued and
//     computes quotas: alpha x goal x epoch for one with a goal, and for one without
//     an artificial goal, which grows while the others reach theirs.
//   - Quotas are divided between SMs by the thread blocks that they host, and sent
//     (quotas.go). What becomes of them there, the schemes of the paper, is in the
//     fields of the message: options.go.
//   - A tenant behind its goal that has no idle thread blocks gets more of them, and
//     others may lose some (3.6; adjust.go, victim.go), one swap at a time.
//
// How thread blocks are laid out before that (3.6; allocate.go): tenants with a goal
// are on all SMs, the others divide the SMs between them, and on each SM all have an
// equal number of threads. This is dealt anew when claims change (package claim) or
// a tenant's kernel has thread blocks of another size. Those that are too many leave
// when a tenant has some that wait and do not fit (package targets); room beyond all
// targets stays empty until a tenant behind its goal takes it.
//
// Package partition, which smk-p has for such a layout, does not do here: it divides
// by dominant shares, keeps pieces of the register file and moves thread blocks to
// keep them whole. The paper speaks of numbers of thread blocks alone, which change
// one by one; where in an SM they lie is left out, as if it did not matter.
//
// What the paper leaves open:
//
//   - Quotas are only for tenants that share: there are none, and warps are not
//     sampled, while no tenant with a claim has a goal, or there is but one with a
//     claim, which quotas would slow down for nobody's good. What tenants do in the
//     meantime is measured all the same. Counters begin with the quota when quotas
//     come back, and nothing is kept of before.
//   - A tenant that comes within an epoch, or comes back after it has lent its part,
//     has the quota of a whole epoch at once; nobody else's changes.
//   - Thread blocks that leave do not count when a quota is divided, those being
//     loaded do. A tenant that hosts none, between two launches, has its quota
//     divided by its targets. When it then places its first thread block on an SM
//     that has been given nothing, the SM gets at once what it would have got by
//     targets: it would have to wait for up to an epoch. So SMs may have more than
//     the quota in sum until the epoch ends.
//   - No SM with thread blocks of a tenant gets less than one lane, for they could
//     never end; nor more than it can issue in an epoch.
//   - While a tenant with a goal has not been through the end of an epoch, the
//     artificial goals are 1, the paper's value to start with.
//   - An epoch's idle warps count only where they were sampled.
//   - What a tenant is to have on an SM counts as taken, even if it has not so many
//     thread blocks at the moment. So a swap may cost the other nothing but room
//     that it does not use. A tenant that is not yet up to its target on an SM is
//     given no more there, and nobody loses its last thread block, or target, on
//     the GPU.
//   - More tenants without a goal than SMs share SMs. Where an SM cannot hold a thread
//     block of everybody, another tenant has the first one on each; and if a kernel
//     gets none on any SM, the order goes on by one every ten epochs.
package qos

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/targets"
)

type qos struct {
	scheme    scheme
	charges   bool // quotas, when instructions complete
	adjusts   bool // TBs follow the goals
	lately    bool // but not those of tenants that reached theirs in the last epoch
	mechanism policy.Mechanism
	manager   manager
	claims    claim.Claims

	kinds []int // by SM
	// targets are the TBs that tenants are to have on each SM.
	targets *targets.Targets
	home    [][]bool // by tenant and SM: where tenants without a goal may have any

	limited bool // quotas are on
	// given is, by tenant and SM, the quota that was last sent, 0 for none.
	given  [][]int64
	hosted []int   // by SM, of a tenant: TBs by which its quota is divided
	shares []int64 // by SM, of a tenant: what the quota is divided into
	held   []bool  // by tenant: it had a claim when quotas were last looked at

	sampled []bool  // by SM: idle warps were counted in the last epoch
	idle    [][]int // by tenant and SM: idle TBs of the last epoch
	passed  []bool  // by tenant: it has been looked at in this epoch
	shown   []policy.RegisterValue
}

// Decide deals thread blocks, places them, and at each epoch sets quotas and moves
// targets.
func (q *qos) Decide(v *policy.View, a policy.Actions) {
	if q.targets == nil {
		q.allocate(v)
	}
	epoch := v.Event == policy.Epoch
	stale := q.claims.Update(v)
	q.manager.meet(v)
	stale = q.targets.Meet(v) || stale
	if epoch {
		q.manager.measure(v)
		stale = q.targets.Starved(v) || stale
	}
	if stale {
		q.deal(v)
	}
	q.targets.Dispatch(v, a, q.claims.Order, q.mechanism)
	q.limit(v, a, epoch)
	if epoch && q.limited && q.adjusts {
		q.adjust(v, a)
	}
	if q.limited {
		q.supply(v, a)
	}
}

func (q *qos) allocate(v *policy.View) {
	n, sms := len(v.Tenants), len(v.SMs)
	for i := range v.SMs {
		q.kinds = append(q.kinds, v.SMs[i].Kind)
		q.manager.peak += peak(&v.SMs[i], q.manager.epoch)
	}
	q.manager.tenants, q.manager.issued = make([]registers, n), make([]uint64, n)
	for range n {
		q.home = append(q.home, make([]bool, sms))
		q.given, q.idle = append(q.given, make([]int64, sms)), append(q.idle, make([]int, sms))
	}
	q.targets = targets.New(v)
	q.hosted, q.shares, q.sampled = make([]int, sms), make([]int64, sms), make([]bool, sms)
	q.held, q.passed = make([]bool, n), make([]bool, n)
}

// hasGoal reports whether a tenant is a QoS tenant.
func (q *qos) hasGoal(tenant int) bool { return q.manager.tenants[tenant].qos }

// holds reports whether an SM has room for a TB of a tenant's last kernel when it
// is empty.
func (q *qos) holds(v *policy.View, tenant, sm int) bool {
	return v.SMs[sm].Capacity.Fits(&occupancy.Usage{}, q.targets.Demand[tenant])
}

// deal sets the targets of all tenants with a claim, as at the start.
func (q *qos) deal(v *policy.View) {
	var others []int
	for _, tenant := range q.claims.Order {
		if !q.hasGoal(tenant) {
			others = append(others, tenant)
		}
	}
	holds := func(tenant, sm int) bool { return q.holds(v, tenant, sm) }
	homes(q.kinds, others, holds, q.home)
	tbs := make([]int, len(v.Tenants))
	for i := range v.SMs {
		var order []int
		for _, tenant := range q.claims.Order {
			if (q.hasGoal(tenant) || q.home[tenant][i]) && q.targets.Demand[tenant].TBs > 0 && holds(tenant, i) {
				order = append(order, tenant)
			}
		}
		everybody(v.SMs[i].Capacity, q.targets.Demand, order, tbs, i+q.targets.Turn)
		for tenant, n := range tbs {
			q.targets.TBs[tenant][i] = n
		}
	}
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}
