// Package heterocore implements HeteroCore (Zhao, Wang, Eeckhout, IEEE TPDS 2019): on a GPU of big and
// small SMs it divides the SMs between kernels. An SM belongs to one kernel at a time.
//
//   - heterocore-agnostic gives each tenant an even part of each kind (HeteroCore 4.1).
//   - heterocore-static goes by isolated IPCs of applications (4.2; static.go, offline.go).
//   - heterocore measures (4.3; dynamic.go). When the set of kernels changes, each kind is
//     divided evenly for a warm-up and a measurement, of 20,000 cycles each, both counted
//     from the change. Of two kernels Algorithm 2 then gives one all big SMs and the other
//     the small ones, or leaves the halves (choose.go).
//
// An SM that changes hands is emptied as a whole: by draining if its kernel finished a thread
// block in its warm-up, else by a context switch (3.3; pace.go).
//
// The tenants with claims (package claim) and a launched kernel share. A tenant alone has all
// SMs. Only tenants with thread blocks that fit on a kind share that kind: a kernel too large
// for a small SM runs on big SMs, and the other kernels get its part of the small ones.
// On a GPU of one kind the three policies are alike. They differ from spart in the emptying of
// SMs, and in that a tenant owns nothing before its first kernel.
//
// The SMs' capacities tell the big kind from the small one. policy.Machine.BaseSM is the
// conventional SM with which both are compared.
package heterocore

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
)

func init() {
	preempt := policy.Option{Name: "preempt", Default: "adaptive",
		About: "how an SM that changes hands is emptied: switch, drain, ideal, or adaptive: drain if thread blocks of its kernel finish, else switch"}
	margin := policy.Option{Name: "margin", Default: "0",
		About: "0 to 1: IPC on big SMs counts as higher if it exceeds IPC on small SMs by this part"}
	policy.Register(policy.Descriptor{
		Name:    "heterocore-agnostic",
		About:   "whole SMs, big and small ones: an even part of each kind for each tenant",
		Options: []policy.Option{preempt, claim.Option("")},
		New:     func(o *policy.Options) policy.Policy { return &agnostic{newSharing(o, perApp)} },
	})
	policy.Register(policy.Descriptor{
		Name:  "heterocore-static",
		About: "whole SMs, big and small ones, by isolated IPCs of applications on each kind",
		Options: []policy.Option{
			{Name: "ipc", About: "file with isolated IPCs; with none each has an even part of each kind", Default: "none", File: true},
			{Name: "ipcs", About: "instead of a file: IPC_base16+IPC_base8+IPC_big+IPC_small by order of arrival, such as 400+210+330+150/200+120+118+121", Default: "none"},
			{Name: "goal", About: "classification (thick ones get big SMs), stp (the most throughput), or balanced (as stp, unless all prefer big SMs)", Default: string(Balanced)},
			margin, preempt, claim.Option(""),
		},
		New: newStatic,
	})
	policy.Register(policy.Descriptor{
		Name:  "heterocore",
		About: "whole SMs, big and small ones, by measured IPCs of kernels on each kind",
		Options: []policy.Option{
			{Name: "warmup", About: "cycles, 1k to 1000M, from a change of the kernels to the measurement", Default: "20k"},
			{Name: "measure", About: "cycles, 1k to 1000M, of the measurement", Default: "20k"},
			{Name: "profile", About: "unit of measurement: each kernel, each launch, or each run of an app", Default: "kernel"},
			margin, preempt, claim.Option(""),
		},
		Explains: []*policy.Form{form},
		New:      newDynamic,
	})
}

// newSharing makes the common part of the policies from their options.
func newSharing(o *policy.Options, scope scope) sharing {
	fixed, given := o.MechanismOr("adaptive", "preempt", policy.Switch, policy.Drain, policy.Ideal)
	return sharing{scope: scope, epoch: claim.Epoch(o), fixed: fixed, adaptive: !given}
}

// margin is the value of the option.
func margin(o *policy.Options) float64 { return o.Float("margin", 0, 1, 0.05) }

// agnostic divides each kind evenly.
type agnostic struct{ sharing }

// Decide divides the SMs if the set of tenants has changed, and places.
func (p *agnostic) Decide(v *policy.View, a policy.Actions) {
	if p.meet(v) {
		p.apply(v, nil)
	}
	p.dispatch(v, a)
}
