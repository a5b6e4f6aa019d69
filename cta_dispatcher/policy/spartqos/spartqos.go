// Package spartqos implements spatial partitioning for goals, the baseline of the QoS paper
// (QoS 4.1; Aguilera et al., "QoS-aware dynamic resource allocation for spatial-
// multitasking GPUs", ASP-DAC 2014): every tenant owns whole SMs, and hill climbing moves
// SMs between tenants until each tenant with a goal reaches it. The paper says only that it
// divides SMs and takes IPC for a linear function of their number (QoS 5). The rules below
// are ours, in that spirit.
//
// Shares are equal at first, as under spart. At the end of each window the policy compares
// each tenant's instructions per cycle with its goal, and takes one step:
//
//   - The tenant that misses its goal by most gets an SM: from the tenant without a goal
//     that has most, else from the tenant with the largest predicted margin over its goal
//     with an SM less.
//   - If no tenant misses its goal, the tenant with the largest margin gives an SM to the
//     tenant without a goal that has fewest, if it is predicted to keep its goal.
//   - A tenant's first step goes at once to the number of SMs that the model predicts.
//   - A step that costs a tenant its goal is undone at the end of that window, and not tried
//     again for five windows. Meanwhile a tenant that lost its goal by giving SMs gives none;
//     if there is no such tenant, the takers get none.
//   - No tenant gives its last SM. With more tenants than SMs, the last to arrive wait.
//   - A tenant without an instruction in a window is passed over: its IPC predicts nothing.
//     A step costs it its goal only if it gave SMs in that step.
//
// The epoch after a change of shares does not count, nor do further epochs until no SM is
// being emptied; with more than one such epoch the window lasts longer.
//
// A new tenant gets SMs of the other tenants until no tenant that can spare one has two more
// than it. The SMs of an ended tenant go to tenants that miss their goals, then to tenants
// without a goal. Either event begins a new window, and a tenant's next step may again be a
// large one. A tenant that lends its SMs because it has no kernel (package claim) gets the
// same number back with its next kernel; a tenant with borrowed SMs is not measured.
//
// Goals cover the whole time since a tenant's arrival, pauses included; steps look at the
// window alone.
package spartqos

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/spatial"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "spart-qos",
		About: "spatial partition for goals: hill climbing moves SMs to tenants that miss theirs",
		Options: []policy.Option{
			{Name: "preempt", About: "how an SM that changes its owner is emptied: switch, drain or ideal", Default: "switch"},
			{Name: "window", About: "cycles from one step to the next, up to 1000M, a multiple of epoch", Default: "100k"},
			claim.Option("; the epoch after a step does not count"),
		},
		New: parse,
	})
}

func parse(o *policy.Options) policy.Policy {
	p := &spartqos{mechanism: o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal), epoch: claim.Epoch(o)}
	window := o.Cycles("window", 1000)
	if p.epoch == 0 {
		return nil
	}
	if window%p.epoch != 0 {
		o.Fail(fmt.Errorf("option window=%s: must be a multiple of epoch=%s", o.Text("window"), o.Text("epoch")))
	}
	p.measure.length = int(window / p.epoch)
	return p
}

type spartqos struct {
	mechanism policy.Mechanism
	epoch     uint64
	claims    claim.Claims
	owners    spatial.Owners

	shares []share // of present tenants, in the order of arrival
	climber
	measure measure

	present []share // of tenants with a claim, with borrowed SMs
	owns    []int   // by tenant: SMs, with borrowed ones
	borrows []int   // by tenant: borrowed SMs
}

// Needs makes it a policy.Policy. An epoch is the time between two measurements, and the pause
// between launches that costs a tenant its SMs. As under spart, several kernels of one tenant
// may run on an SM.
func (p *spartqos) Needs() policy.Needs {
	return policy.Needs{Concurrent: true, Epoch: p.epoch, Goals: true, Check: check, Registers: p.registers}
}

func check(v *policy.View) error {
	if v.Mixed() {
		return errors.New("a tenant's IPC does not follow from its number of SMs alone: the GPU has SMs of several kinds")
	}
	return nil
}

// Decide takes a step at the end of a window, places each tenant's thread blocks on its SMs,
// and preempts SMs that it needs.
func (p *spartqos) Decide(v *policy.View, a policy.Actions) {
	if p.owns == nil {
		p.allocate(v)
	}
	if v.Event == policy.Epoch {
		p.measure.end(v, p.borrows)
	}
	lent, changed := p.claims.Update(v), p.attend(v)
	switch {
	case changed:
		p.measure.begin(true)
		p.stepped = false
	case v.Event == policy.Epoch && p.measure.complete():
		for i := range p.shares {
			s := &p.shares[i]
			ok := false
			if s.ipc, ok = p.measure.of(s.tenant); ok {
				s.measured = s.sms
			} else {
				s.measured = 0
			}
		}
		changed = p.step(p.shares)
		p.measure.begin(changed)
	}
	if lent || changed {
		p.divide(v)
	}
	for _, tenant := range v.Active {
		p.owners.Place(v, a, tenant)
		p.owners.Take(v, a, tenant, p.mechanism)
	}
}

func (p *spartqos) allocate(v *policy.View) {
	n := len(v.Tenants)
	p.shares, p.present = make([]share, 0, n), make([]share, 0, n)
	p.owns, p.borrows = make([]int, n), make([]int, n)
}

// attend notes arrived and ended tenants, and reports whether there are any.
func (p *spartqos) attend(v *policy.View) (changed bool) {
	all := len(p.shares)
	p.shares = slices.DeleteFunc(p.shares, func(s share) bool { return !v.Tenants[s.tenant].Present })
	if changed = len(p.shares) < all; changed {
		deal(p.shares, len(v.SMs)-total(p.shares))
	}
	here := func(tenant int) bool {
		return slices.ContainsFunc(p.shares, func(s share) bool { return s.tenant == tenant })
	}
	for _, next := range v.Newcomers(here) {
		changed = true
		p.shares = append(p.shares, share{tenant: next, goal: v.Tenants[next].Goal})
		if len(p.shares) == 1 {
			deal(p.shares, len(v.SMs))
		} else {
			join(p.shares)
		}
	}
	if changed {
		for i := range p.shares {
			p.shares[i].jumped = false
		}
	}
	return changed
}

// divide gives the tenants with a claim their SMs, and lends them the rest.
func (p *spartqos) divide(v *policy.View) {
	p.present = p.present[:0]
	lent := len(v.SMs)
	for _, s := range p.shares {
		if p.claims.Holds(s.tenant) {
			p.present = append(p.present, s)
			lent -= s.sms
		}
	}
	deal(p.present, lent)
	clear(p.owns)
	clear(p.borrows)
	for _, s := range p.present {
		p.owns[s.tenant] = s.sms
	}
	for _, s := range p.shares {
		p.borrows[s.tenant] = max(0, p.owns[s.tenant]-s.sms)
	}
	p.owners.Assign(v, v.SMs[0].Kind, p.claims.Order, func(place int) int { return p.present[place].sms })
}

// registers lists the goal of each tenant, its IPC in the last window, 0 if nothing was
// measured, and the number of SMs that it owns.
func (p *spartqos) registers() (list []policy.RegisterValue) {
	for tenant, sms := range p.owns {
		var of share
		if i := slices.IndexFunc(p.shares, func(s share) bool { return s.tenant == tenant }); i >= 0 {
			of = p.shares[i]
		}
		list = append(list, policy.RegisterValue{Name: "goal", Tenant: tenant, Value: of.goal},
			policy.RegisterValue{Name: "ipc", Tenant: tenant, Value: of.ipc}, policy.RegisterValue{Name: "sms", Tenant: tenant, Value: float64(sms)})
	}
	return list
}
