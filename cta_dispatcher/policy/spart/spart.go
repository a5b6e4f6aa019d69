// Package spart implements the spatial partitioning with which Simultaneous Multikernel compares
// itself: every tenant owns an equal number of whole SMs, of each kind if there are several.
// An SM that changes its owner is preempted as a whole. With more tenants than SMs, the last
// to arrive wait. Package claim says which tenants count between two launches.
package spart

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/spatial"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "spart",
		About: "spatial partition: an equal number of SMs for each tenant",
		Options: []policy.Option{
			{Name: "preempt", About: "how an SM that changes its owner is emptied: switch, drain, ideal, or none: its thread blocks end, and its tenant replaces them until none wait", Default: "switch"},
			claim.Option(""),
		},
		New: func(o *policy.Options) policy.Policy {
			p := &spart{epoch: claim.Epoch(o)}
			p.mechanism, p.preempt = o.MechanismOr("none", "preempt", policy.Switch, policy.Drain, policy.Ideal)
			return p
		},
	})
}

type spart struct {
	preempt   bool
	mechanism policy.Mechanism
	epoch     uint64
	claims    claim.Claims
	owners    spatial.Owners
}

// Needs makes spart a policy.Policy. A pause of an epoch between launches costs a tenant
// its SMs.
func (p *spart) Needs() policy.Needs { return policy.Needs{Concurrent: true, Epoch: p.epoch} }

// Decide places each tenant's thread blocks on its SMs without other tenants' thread blocks,
// and preempts SMs that it needs.
func (p *spart) Decide(v *policy.View, a policy.Actions) {
	if p.claims.Update(v) {
		p.divide(v)
	}
	for _, tenant := range v.Active {
		p.owners.Place(v, a, tenant)
		if p.preempt {
			p.owners.Take(v, a, tenant, p.mechanism)
		}
	}
}

// divide gives each tenant with a claim floor(SMs/tenants) SMs, and one more of the remainder
// to the first to arrive (equal sharing of the thesis, 5.2.4), kind by kind. The next kind's
// remainder goes to the tenants that come next.
func (p *spart) divide(v *policy.View) {
	for kind, due := range spatial.Even(v.Kinds(), len(p.claims.Order), nil) {
		p.owners.Assign(v, kind, p.claims.Order, func(place int) int { return due[place] })
	}
}
