// Package qos implements fine-grained QoS (Wang et al., ISCA 2017): tenants share SMs. A tenant with a
// goal, a promised IPC, has quotas of instructions that let it reach the goal without exceeding
// it by much, so that the other tenants get the rest. The goal is the attribute Goal, if above
// 0: an absolute IPC, in thread instructions per core cycle of the whole GPU since the tenant's
// arrival.
//
// Each epoch (10,000 cycles in the paper) has three steps:
//
//   - The QoS manager (3.4, 3.5; manager.go) reads the issued instructions and computes
//     quotas: alpha x goal x epoch for a tenant with a goal. A tenant without a goal has an
//     artificial one, which grows while the QoS tenants reach theirs.
//   - The manager divides each quota between SMs by hosted thread blocks, and sends the shares
//     (quotas.go). The fields of the message express the paper's schemes (options.go).
//   - A tenant behind its goal, over all and in the last epoch, gets another thread block on
//     each SM where at most one of its thread blocks idled in that epoch. On a full SM another
//     tenant loses thread blocks for it (3.6; adjust.go, victim.go): one swap on each SM in an
//     epoch in which no preempted thread block is on its way.
//
// The initial layout (3.6; allocate.go): tenants with a goal are on all SMs, the rest divide
// the SMs, and on each SM all its tenants have equal numbers of threads. The layout is dealt
// anew when claims change (package claim). It is dealt with the threads that swaps have moved
// when a tenant's kernel has thread blocks of another size. Surplus thread blocks leave when a
// waiting one needs the room (package targets). Room beyond all targets stays empty until a
// tenant behind its goal takes it.
//
// The policy does not use package partition, the divider of smk-p: that divides by dominant
// shares and keeps pieces of the register file whole, and the paper's numbers of thread blocks
// change one by one. The place of a thread block within an SM is not modelled.
//
// docs/deviations.md lists our choices where the paper leaves one. Further choices:
//
//   - Quotas are off while no tenant with a goal shares the GPU. The manager still measures
//     IPC then, but samples no idle warps. When quotas come back, every counter starts with
//     the new quota.
//   - A tenant that arrives within an epoch, or reclaims a part that it lent, gets the quota of
//     a whole epoch at once; the other tenants' quotas stay. So the shares
//     of a tenant's SMs may add up to more than its quota until the epoch ends.
//   - A thread block whose context is being loaded counts when a quota is divided.
//   - An SM's idle warps count only in epochs in which it sampled them.
//   - A tenant with fewer thread blocks on an SM than its target there gets no further target.
package qos

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/targets"
)

type qos struct {
	scheme    scheme
	charges   bool // quotas, when instructions complete
	adjusts   bool // TBs follow the goals
	lately    bool // but not if the tenant reached its goal in the last epoch
	oneSwap   bool // in an epoch and GPU, not SM
	mechanism policy.Mechanism
	manager   manager
	claims    claim.Claims

	kinds []int // by SM
	// targets are the TBs that tenants are to have on each SM.
	targets *targets.Targets
	home    [][]bool // by tenant and SM: homes of tenants without a goal
	gained  []int    // by SM and tenant: threads gained in swaps; negative if lost

	limited bool // quotas are on
	// given is, by tenant and SM, the quota that was last sent, 0 for none.
	given  [][]int64
	hosted []int   // by SM, of a tenant: TBs that divide its quota
	shares []int64 // by SM, of a tenant: parts of the quota
	held   []bool  // by tenant: it had a claim when quotas were last looked at

	sampled []bool  // by SM: idle warps were counted in the last epoch
	idle    [][]int // by tenant and SM: idle TBs of the last epoch
	pending []bool  // by SM: no further swap in this epoch
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
	anew := q.claims.Update(v)
	q.manager.meet(v)
	resized := q.targets.Meet(v)
	if epoch {
		q.manager.measure(v)
		anew = q.targets.Starved(v) || anew
	}
	if anew {
		clear(q.gained)
	}
	if anew || resized { // resized alone: a kernel with TBs of another size
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
	q.gained = make([]int, sms*n)
	q.hosted, q.shares, q.sampled = make([]int, sms), make([]int64, sms), make([]bool, sms)
	q.held, q.passed, q.pending = make([]bool, n), make([]bool, n), make([]bool, sms)
}

// hasGoal reports whether a tenant is a QoS tenant.
func (q *qos) hasGoal(tenant int) bool { return q.manager.tenants[tenant].qos }

// holds reports whether an SM has room for a TB of a tenant's last kernel when it
// is empty.
func (q *qos) holds(v *policy.View, tenant, sm int) bool {
	return v.SMs[sm].Capacity.Fits(&occupancy.Usage{}, q.targets.Demand[tenant])
}

// deal sets the targets of all tenants with a claim, as at the start but for the threads that
// swaps have moved.
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
		gains := q.gains(i)
		// The first in order gets a TB in any case: tenants that have lost in swaps go last.
		slices.SortStableFunc(order, func(a, b int) int { return min(gains[b], 0) - min(gains[a], 0) })
		everybody(v.SMs[i].Capacity, q.targets.Demand, order, gains, tbs, i+q.targets.Turn)
		for tenant, n := range tbs {
			q.targets.TBs[tenant][i] = n
		}
	}
}

// gains are the threads that each tenant has gained in swaps on an SM.
func (q *qos) gains(sm int) []int { return q.gained[sm*len(q.home):][:len(q.home)] }

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}
