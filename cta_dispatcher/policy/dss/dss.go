// Package dss implements Dynamic Spatial Sharing (thesis 5.2.4). A kernel has tokens, each worth an
// SM. It pays one for every SM that it gets, and gets it back when it loses the SM. It may go
// into debt for SMs that no other kernel wants. When a kernel becomes active or an SM becomes
// idle, SMs go from the kernel with the fewest tokens left to the kernel with the most, until
// they differ by one at most. An SM has one kernel's thread blocks at a time.
//
// Only active kernels have tokens: a tenant between two launches has no SM, as in the thesis,
// where tokens belong to kernels in the active queue.
package dss

import (
	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "dss",
		About: "dynamic spatial sharing; kernels buy SMs with tokens and may go into debt",
		Options: []policy.Option{
			{Name: "tokens", About: "equal: the SMs divided by the tenants; or N/N/...: of each tenant by order of arrival, 1 to 1000, the last for all further tenants", Default: "equal"},
			{Name: "preempt", About: "how an SM is taken away: switch, drain, ideal or flush (idempotent kernels only; else switch)", Default: "switch"},
		},
		New: func(o *policy.Options) policy.Policy {
			return &dss{
				mechanism: o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal, policy.Flush),
				tokens:    tokens{given: o.Ints("tokens", "equal", 1, 1000, "6/4/3")},
			}
		},
	})
}

type dss struct {
	mechanism policy.Mechanism
	tokens    tokens
	// owner is, by SM, the tenant of the kernel that it is assigned to, or will be once it is
	// empty (SMST, fields KSR index and next); -1 for none.
	owner []int
	count []int // by tenant: tokens that its kernel has left
	// unfilled counts, by tenant, its SMs without any of its TBs. Each will take a waiting
	// one.
	unfilled []int
	passed   []bool // by tenant: no SM can be taken away for it at this event
}

// Needs makes dss a policy.Policy.
func (*dss) Needs() policy.Needs { return policy.Needs{} }

// Decide assigns SMs, places thread blocks on them, and takes SMs away.
func (d *dss) Decide(v *policy.View, a policy.Actions) {
	if d.owner == nil {
		d.owner, d.count, d.unfilled = make([]int, len(v.SMs)), make([]int, len(v.Tenants)), make([]int, len(v.Tenants))
		d.passed = make([]bool, len(v.Tenants))
		for i := range d.owner {
			d.owner[i] = -1
		}
	}
	d.tokens.grant(v)
	idle := d.account(v)
	if idle {
		d.assign(v)
	}
	for _, tenant := range v.Active {
		d.place(v, a, tenant)
	}
	if idle || v.Event == policy.KernelArrived || v.Event == policy.ContextSaved || v.Event == policy.SMFreed {
		// A kernel with all its TBs on their way to memory is back as well.
		d.account(v)
		d.partition(v, a)
	}
}

// account returns SMs that their kernel has no use for, not even for thread blocks on their
// way to memory. It counts tokens and reports whether there is an SM without an owner.
func (d *dss) account(v *policy.View) (idle bool) {
	for tenant := range d.count {
		d.count[tenant], d.unfilled[tenant] = d.tokens.of(v, tenant), 0
	}
	for i := range v.SMs {
		owner, s := d.owner[i], &v.SMs[i]
		empty := owner >= 0 && (s.Reserved || s.TBs[owner] == 0)
		if empty && v.Tenants[owner].Waiting == 0 && v.Returning(owner) == 0 {
			d.owner[i], owner = -1, -1
		}
		if owner < 0 {
			idle = true
			continue
		}
		d.count[owner]--
		if empty {
			d.unfilled[owner]++
		}
	}
	return idle
}

// assign gives SMs without an owner to the kernels with the most tokens: idle SMs, then SMs
// being emptied for a kernel that has gone.
func (d *dss) assign(v *policy.View) {
	for _, reserved := range [...]bool{false, true} {
		for i := range v.SMs {
			if d.owner[i] >= 0 || v.SMs[i].Reserved != reserved {
				continue
			}
			if most := d.most(v, i); most >= 0 {
				d.give(i, most)
			}
		}
	}
}

// partition is the thesis' Algorithm 1 for a GPU without idle SMs.
func (d *dss) partition(v *policy.View, a policy.Actions) {
	clear(d.passed)
	for {
		most := d.most(v, -1)
		if most < 0 {
			return
		}
		sm := d.victim(v, most)
		if sm < 0 || d.count[most] <= d.count[d.owner[sm]]+1 {
			if !v.Mixed() {
				return
			}
			// Another kernel may fit where this one does not.
			d.passed[most] = true
			continue
		}
		loser := d.owner[sm]
		d.count[loser]++
		s := &v.SMs[sm]
		if s.Reserved || s.Usage.TBs == 0 {
			// It is being emptied already, or kept for thread blocks on their way to memory:
			// only the next owner changes.
			d.unfilled[loser]--
		} else {
			policy.EmptySM(v, a, sm, d.mechanism)
		}
		d.give(sm, most)
		if d.place(v, a, most); s.TBs[most] > 0 {
			d.unfilled[most]--
		}
	}
}

// place puts thread blocks of a tenant on its SMs.
func (d *dss) place(v *policy.View, a policy.Actions, tenant int) {
	policy.Breadth(v, a, tenant, func(sm int) bool { return d.owner[sm] == tenant && v.SMs[sm].Only(tenant) })
}

// give assigns a tenant an SM without its TBs.
func (d *dss) give(sm, tenant int) {
	d.owner[sm] = tenant
	d.count[tenant]--
	d.unfilled[tenant]++
}

// most is the tenant with the most tokens and with waiting TBs for one more SM, the first to
// become active among equals: for the given SM, or for any with sm -1, passed tenants
// excluded. It is -1 if there is none.
func (d *dss) most(v *policy.View, sm int) int {
	return policy.LeastOf(v.Active, func(tenant int) (int, bool) {
		may := sm < 0 && !d.passed[tenant] || sm >= 0 && v.Holds(tenant, sm)
		return -d.count[tenant], may && v.Tenants[tenant].Waiting > d.unfilled[tenant]
	})
}

// victim is an SM of the tenant with the fewest tokens, the last to become active among
// equals: an SM being emptied for it, else its SM with the fewest TBs, the last among equals;
// -1 if no other tenant has an SM that holds the buyer's TBs.
func (d *dss) victim(v *policy.View, other int) int {
	best, bestRank := -1, 0
	for rank, tenant := range v.Active {
		if tenant == other {
			continue
		}
		for i, owner := range d.owner {
			if owner == tenant && v.Holds(other, i) && (best < 0 || d.before(v, i, rank, best, bestRank)) {
				best, bestRank = i, rank
			}
		}
	}
	return best
}

// before reports whether one SM is to be taken rather than another, given their
// owners' places in the active queue.
func (d *dss) before(v *policy.View, sm, rank, other, otherRank int) bool {
	count, otherCount := d.count[d.owner[sm]], d.count[d.owner[other]]
	s, o := &v.SMs[sm], &v.SMs[other]
	switch {
	case count != otherCount:
		return count < otherCount
	case rank != otherRank:
		return rank > otherRank
	case s.Reserved != o.Reserved:
		return s.Reserved
	}
	return s.Usage.TBs <= o.Usage.TBs
}
