// Package spart is spatial partitioning as Simultaneous Multikernel compares
// itself to: every tenant owns an equal number of whole SMs, of each kind where
// there are several, and an SM that changes its owner is preempted as a whole. Of more tenants than SMs, the last
// to arrive wait. Who counts as a tenant between two launches: package claim.
package spart

import (
	"errors"
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "spart",
		About: "spatial partition: an equal number of SMs for each tenant",
		Options: []policy.Option{
			{Name: "preempt", About: "how an SM that changes its owner is emptied: switch, drain, ideal, or none: its thread blocks end and are replaced until nobody's wait", Default: "switch"},
			claim.Option,
		},
		New: func(o policy.Options) (policy.Policy, error) {
			p := &spart{}
			var err, err2 error
			if p.preempt = o["preempt"] != "none"; p.preempt {
				p.mechanism, err = o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal)
			}
			p.epoch, err2 = claim.Epoch(o)
			return p, errors.Join(err, err2)
		},
	})
}

type spart struct {
	preempt   bool
	mechanism policy.Mechanism
	epoch     uint64
	claims    claim.Claims
	owner     []int // by SM: the tenant that owns it, -1 if nobody does
	owned     []int // by tenant: how many SMs of a kind it owns
}

// EpochCycles is the pause between launches that costs a tenant its SMs.
func (p *spart) EpochCycles() uint64 { return p.epoch }

// Concurrent makes spart a policy.Concurrent.
func (*spart) Concurrent() bool { return true }

// Decide places each tenant's thread blocks on the SMs that it owns and nobody
// else is still using, and preempts those that it needs.
func (p *spart) Decide(v *policy.View, a policy.Actions) {
	if p.claims.Update(v) {
		p.divide(v)
	}
	for _, tenant := range v.Active {
		policy.Breadth(v, a, tenant, func(sm int) bool { return p.owner[sm] == tenant && v.SMs[sm].Only(tenant) })
		if p.preempt {
			p.take(v, a, tenant)
		}
	}
}

// take empties SMs that a tenant owns, one for each of its TBs that waits.
func (p *spart) take(v *policy.View, a policy.Actions, tenant int) {
	coming := 0
	for i := range v.SMs {
		if v.SMs[i].Reserved && p.owner[i] == tenant {
			coming++
		}
	}
	for i := range v.SMs {
		s := &v.SMs[i]
		if p.owner[i] == tenant && v.Tenants[tenant].Waiting > coming && !s.Reserved && s.StayingOthers(tenant) && v.Holds(tenant, i) {
			a.PreemptSM(i, p.mechanism)
			coming++
		}
	}
}

// divide gives each tenant with a claim floor(SMs/tenants) SMs and the first to
// arrive one more of what is left over (equal sharing of the thesis, 5.2.4), kind
// by kind; of what is left over of the next kind, those get one who come next. A
// tenant keeps the first of those that it has.
func (p *spart) divide(v *policy.View) {
	if p.owner == nil {
		p.owner, p.owned = make([]int, len(v.SMs)), make([]int, len(v.Tenants))
		for i := range p.owner {
			p.owner[i] = -1
		}
	}
	kinds := 0
	for i := range v.SMs {
		kinds = max(kinds, v.SMs[i].Kind+1)
	}
	next := 0
	for kind := range kinds {
		next = p.divideKind(v, kind, next)
	}
}

// divideKind divides the SMs of a kind. What is left over goes to the tenants
// from place first in the order of arrival on; the result is the place from
// which it goes on.
func (p *spart) divideKind(v *policy.View, kind, first int) (next int) {
	clear(p.owned)
	order := p.claims.Order
	n, sms := len(order), 0
	for i := range v.SMs {
		if v.SMs[i].Kind == kind {
			sms++
		}
	}
	due := func(rank int) int {
		if (rank-first+n)%n < sms%n {
			return sms/n + 1
		}
		return sms / n
	}
	for i, tenant := range p.owner {
		if tenant < 0 || v.SMs[i].Kind != kind {
			continue
		}
		if rank := slices.Index(order, tenant); rank >= 0 && p.owned[tenant] < due(rank) {
			p.owned[tenant]++
		} else {
			p.owner[i] = -1
		}
	}
	rank := 0
	for i := range p.owner {
		if v.SMs[i].Kind != kind {
			continue
		}
		for rank < n && p.owned[order[rank]] == due(rank) {
			rank++
		}
		if p.owner[i] < 0 && rank < n {
			p.owner[i] = order[rank]
			p.owned[order[rank]]++
		}
	}
	if n == 0 {
		return 0
	}
	return (first + sms) % n
}
