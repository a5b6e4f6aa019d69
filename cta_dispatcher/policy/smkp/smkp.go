// Package smkp implements Simultaneous Multikernel with resource partitions (SMK 5.3.2, Figures 6 and
// 7): dominant resource fairness divides every SM between kernels, and a kernel places thread
// blocks inside its partitions. Package claim says which tenants count between two launches.
package smkp

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/partition"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:    "smk-p",
		About:   "simultaneous multikernel with a resource partition for each kernel on every SM",
		Options: []policy.Option{partition.Option, claim.Option("")},
		New: func(o *policy.Options) policy.Policy {
			m := o.Mechanism("preempt", policy.Switch, policy.Ideal)
			return &smkp{Partitions: partition.Partitions{Mechanism: m}, epoch: claim.Epoch(o)}
		},
	})
}

type smkp struct {
	partition.Partitions
	epoch uint64
}

// Needs makes smkp a policy.Policy. A pause of an epoch between launches costs a tenant
// its partitions.
func (p *smkp) Needs() policy.Needs { return policy.Needs{Epoch: p.epoch} }

// Decide makes partitions and fills them.
func (p *smkp) Decide(v *policy.View, a policy.Actions) {
	p.Update(v)
	p.Dispatch(v, a)
}
