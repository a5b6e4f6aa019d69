// Package mig runs a policy of its own in each instance of a divided GPU (NVIDIA Multi-Instance
// GPU): each sees the SMs and the tenants of its instance and nothing else.
package mig

import (
	"errors"
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// Part is an instance.
type Part struct {
	SMs     policy.Range
	Has     func(tenant int) bool
	Machine policy.Machine // its part of the GPU beside the SMs
}

// New returns the policy of a GPU with instances. Make makes the policy of one. An error says
// that a policy cannot run in an instance: one that is not confined to SMs, or that learns from
// a rehearsal.
func New(parts []Part, make func() (policy.Policy, error)) (policy.Policy, error) {
	d := &divided{}
	for _, p := range parts {
		inner, err := make()
		if err != nil {
			return nil, err
		}
		d.parts = append(d.parts, part{Part: p, policy: inner, needs: inner.Needs(), view: policy.View{Machine: p.Machine}})
	}
	for i := range d.parts {
		d.parts[i].all = d
	}
	first := &d.parts[0].needs
	if first.Rehearsal != nil {
		return nil, errors.New("the policy learns from a rehearsal, which instances of MIG do not have; valid: a policy without")
	}
	for _, s := range first.Sends {
		if s.Kind != protocol.KindSM {
			return nil, fmt.Errorf("the policy steers units of kind %s, which belong to no instance of MIG; valid: a policy that steers SMs only", s.Kind)
		}
	}
	for _, kind := range first.Units {
		if kind != protocol.KindSM {
			return nil, fmt.Errorf("the policy counts units of kind %s, which belong to no instance of MIG; valid: a policy that counts SMs only", kind)
		}
	}
	return d, nil
}

// divided is the policy of a divided GPU.
type divided struct {
	parts   []part
	windows []*part // open ones, in the order in which they were opened, nil once ended
	ended   int     // windows that have been dropped from the list
	list    []policy.RegisterValue
}

// part is an instance with its policy.
type part struct {
	Part
	policy policy.Policy
	needs  policy.Needs
	view   policy.View
	all    *divided
	gpu    *policy.View
	policy.Actions
}

// Needs are those of the instances' policy.
func (d *divided) Needs() policy.Needs {
	n := d.parts[0].needs
	n.Check, n.Registers, n.Explain = d.check, d.registers, nil
	return n
}

func (d *divided) check(v *policy.View) error {
	for i := range d.parts {
		p := &d.parts[i]
		if p.needs.Check == nil {
			continue
		}
		v.Within(&p.view, p.SMs, p.Has)
		p.view.Tenants = p.own()
		if err := p.needs.Check(&p.view); err != nil {
			return fmt.Errorf("instance %d: %w", i, err)
		}
	}
	return nil
}

// own are the tenants of the instance alone, for a check before the run.
func (p *part) own() (list []policy.Tenant) {
	for t := range p.view.Tenants {
		if p.Has(t) {
			list = append(list, p.view.Tenants[t])
		}
	}
	return list
}

func (d *divided) registers() []policy.RegisterValue {
	d.list = d.list[:0]
	for i := range d.parts {
		p := &d.parts[i]
		if p.needs.Registers == nil {
			continue
		}
		for _, r := range p.needs.Registers() {
			if r.Tenant < 0 || p.Has(r.Tenant) {
				d.list = append(d.list, r)
			}
		}
	}
	return d.list
}

// Decide lets the policy of each instance decide. The end of a window is an event of the
// instance that has opened it.
func (d *divided) Decide(v *policy.View, a policy.Actions) {
	var whose *part
	if v.Event == policy.WindowEnded {
		at := int(v.Ended) - 1 - d.ended
		whose, d.windows[at] = d.windows[at], nil
		for len(d.windows) > 0 && d.windows[0] == nil {
			d.windows = d.windows[1:]
			d.ended++
		}
	}
	for i := range d.parts {
		p := &d.parts[i]
		if whose != nil && whose != p {
			continue
		}
		v.Within(&p.view, p.SMs, p.Has)
		p.gpu, p.Actions = v, a
		p.policy.Decide(&p.view, p)
	}
}

// Place places on the instance's SM.
func (p *part) Place(tenant, sm int) {
	p.Actions.Place(tenant, p.SMs.First+sm)
	p.view.Refresh(p.gpu, p.Has)
}

// Preempt preempts on the instance's SM.
func (p *part) Preempt(tenant, sm, n int, m policy.Mechanism) {
	p.Actions.Preempt(tenant, p.SMs.First+sm, n, m)
	p.view.Refresh(p.gpu, p.Has)
}

// PreemptSM empties the instance's SM.
func (p *part) PreemptSM(sm int, m policy.Mechanism) {
	p.Actions.PreemptSM(p.SMs.First+sm, m)
	p.view.Refresh(p.gpu, p.Has)
}

// Relocate moves thread blocks within the instance's SM.
func (p *part) Relocate(tenant, sm, n int, m policy.Mechanism) {
	p.Actions.Relocate(tenant, p.SMs.First+sm, n, m)
	p.view.Refresh(p.gpu, p.Has)
}

// Window counts the GPU's SMs, of which the instance sees its own.
func (p *part) Window(cycles uint64, kinds ...string) {
	p.all.windows = append(p.all.windows, p)
	p.Actions.Window(cycles, kinds...)
}

// Send steers the instance's SM.
func (p *part) Send(u protocol.Unit, c protocol.Control) {
	u.Index += p.SMs.First
	p.Actions.Send(u, c)
}
