package ccbp

import (
	"errors"
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/protocol"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "ccbp",
		About: "CTA combination and bandwidth partitioning: tenants share SMs, with rates of requests (sm.irc)",
		Options: []policy.Option{
			{Name: "variant", About: "adj: the priority of latency-sensitive kernels is adjusted; drf: it is 1; offline: as adj, but detection and adjusting come before the run, in a rehearsal with epochs ten times as long", Default: "adj"},
			{Name: "metric", About: "aim of adjusting and climbing: hspeedup or wspeedup", Default: "hspeedup"},
			{Name: "ls_unlimited", About: "on: latency-sensitive kernels have no rate; off: they have the rate of their quotas, as in the paper", Default: policy.On},
			{Name: "sustain", About: "part of the sustainable bandwidth to give out, 0.05 to 1", Default: "1"},
			{Name: "refusal", About: "out: a kernel for which nothing is left gets no more, and the other kernels go on, as in the paper's listing; end: that ends the allocation, as in its text", Default: "out"},
			{Name: "climb", About: "on: thread blocks are moved between kernels bound by the crossbar and by the DRAM, if no other kernel shares, while that helps; off, as in the paper", Default: policy.Off},
			{Name: "preempt", About: "how thread blocks beyond new numbers leave: none, they end, or switch", Default: "none"},
			claim.Option("; detection takes 5 epochs of warm-up, 2 for costs and 2 for each further step (1k: a tenth of the paper's times)"),
		},
		Explains: []*policy.Form{sustainedForm, rehearsalForm, setsForm},
		New:      parse,
	})
}

func parse(o *policy.Options) policy.Policy {
	variant := o.Choice("variant", "adj", "drf", "offline")
	mechanism, given := o.MechanismOr("none", "preempt", policy.Switch)
	if !given {
		mechanism = policy.Drain
	}
	return &ccbp{epoch: claim.Epoch(o), mechanism: mechanism, offline: variant == "offline", settings: settings{
		adjusts:   variant != "drf",
		climbs:    o.On("climb"),
		weighted:  o.Choice("metric", "hspeedup", "wspeedup") == "wspeedup",
		unlimited: o.On("ls_unlimited"),
		end:       o.Choice("refusal", "out", "end") == "end",
		sustain:   o.Float("sustain", 0.05, 1, 0.9),
	}}
}

// Needs makes it a policy.Policy. An epoch is the unit of detection's times. Both searches
// compare with isolated IPCs.
func (p *ccbp) Needs() policy.Needs {
	n := policy.Needs{
		Epoch: p.epoch,
		Alone: policy.Alone{IPC: p.adjusts || p.climbs},
		Sends: []policy.Sent{
			policy.Sending[*protocol.Rates](protocol.KindSM, "issue-rate controllers, with sm.irc.sub_queues above 0"),
			policy.Sending[*protocol.ActiveTBs](protocol.KindSM, ""),
		},
		Check:     check,
		Registers: p.registers,
		Explain:   p.explain,
	}
	if p.offline {
		n.Rehearsal = &policy.Rehearsing{Begin: p.rehearsal, Learn: p.learn}
	}
	return n
}

// check: all SMs have the same numbers of thread blocks.
func check(v *policy.View) error {
	m := &v.Machine
	switch {
	case v.Mixed():
		return errors.New("ccbp gives all SMs the same numbers of thread blocks: the GPU has SMs of several kinds")
	case m.ReplyBytesPerSecond <= 0 || m.DRAMBytesPerSecond <= 0 || m.RateIntervalSeconds <= 0 || m.L1LineBytes <= 0 || m.L2LineBytes <= 0:
		return fmt.Errorf("ccbp partitions bandwidth, and the GPU's configuration says too little: %+v", *m)
	}
	return nil
}

// registers shows the study. Unknown and unlimited values are 0. The package's constants
// number type and phase; rates are in requests of an SM in an interval.
func (p *ccbp) registers() []policy.RegisterValue {
	p.shown = p.shown[:0]
	of, prior := none, 0.0
	if s := p.study; s != nil {
		if of = s.phase; of > warmUp {
			prior = s.prior.value()
		}
	}
	p.shown = append(p.shown, policy.RegisterValue{Name: "phase", Tenant: -1, Value: float64(of)},
		policy.RegisterValue{Name: "prior_lsk", Tenant: -1, Value: prior})
	for tenant := range p.targets.TBs {
		var m member
		var o order
		if i := p.place(tenant); i >= 0 {
			m, o = p.study.members[i], p.study.order(i)
		}
		p.shown = append(p.shown,
			policy.RegisterValue{Name: "type", Tenant: tenant, Value: float64(m.kind)},
			policy.RegisterValue{Name: "demand", Tenant: tenant, Value: m.wanted},
			policy.RegisterValue{Name: "rate", Tenant: tenant, Value: o.requests},
			policy.RegisterValue{Name: "tbs", Tenant: tenant, Value: float64(o.ctas)})
	}
	return p.shown
}
