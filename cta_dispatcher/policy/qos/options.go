package qos

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/protocol"
)

// terms tell the enhanced warp schedulers how to keep a tenant's quota.
type terms struct {
	refill protocol.Refill
	keep   bool // the rest at the end of an epoch
	first  bool // before tenants without it
}

// scheme is a scheme of the paper (3.4): terms for tenants with a goal, and for tenants
// without.
type scheme struct {
	name       string
	qos, other terms
}

var schemes = []scheme{
	{"naive", terms{refill: protocol.RefillNever}, terms{refill: protocol.RefillAdd}},
	{"elastic", terms{refill: protocol.RefillAdd}, terms{refill: protocol.RefillAdd}},
	{"rollover", terms{refill: protocol.RefillNever, keep: true}, terms{refill: protocol.RefillAdd}},
	{"rollover-time", terms{refill: protocol.RefillNever, keep: true, first: true}, terms{refill: protocol.RefillAdd}},
}

const (
	inEpoch = "epoch"
	bySM    = "sm"

	atCompletion = "done"
	atIssue      = "issue"
)

func init() {
	names := make([]string, len(schemes))
	for i := range schemes {
		names[i] = schemes[i].name
	}
	policy.Register(policy.Descriptor{
		Name:  "qos",
		About: "fine-grained QoS: tenants share SMs, with quotas of instructions by their goals (?qos=, ?qos_time=)",
		Options: []policy.Option{
			{Name: "scheme", About: "treatment of used-up and unused quotas: naive, elastic, rollover or rollover-time", Default: "rollover"},
			{Name: "charge", About: "when an instruction takes from its quota: done, once its results are there, or issue", Default: atCompletion},
			{Name: "history", About: "on: quotas of tenants behind their goals are scaled up; off", Default: policy.On},
			claim.Option(", between new quotas"),
			{Name: "adjust", About: "epoch: tenants behind their goals that also missed them in the last epoch get other tenants' thread blocks; on: all tenants behind their goals; off", Default: inEpoch},
			{Name: "swaps", About: "where thread blocks change tenants in an epoch: sm, one swap on each SM, or gpu, one swap in all", Default: bySM},
			{Name: "preempt", About: "how thread blocks are taken off an SM: switch or ideal", Default: "switch"},
		},
		New: func(o *policy.Options) policy.Policy {
			name, adjust := o.Choice("scheme", names...), o.Choice("adjust", policy.On, inEpoch, policy.Off)
			return &qos{
				scheme:    schemes[max(0, slices.Index(names, name))],
				manager:   manager{epoch: claim.Epoch(o), constant: !o.On("history")},
				charges:   o.Choice("charge", atCompletion, atIssue) == atCompletion,
				adjusts:   adjust != policy.Off,
				lately:    adjust == inEpoch,
				oneSwap:   o.Choice("swaps", bySM, "gpu") != bySM,
				mechanism: o.Mechanism("preempt", policy.Switch, policy.Ideal),
			}
		},
	})
}

// Needs makes it a policy.Policy. An epoch is the time between two settings of the quotas.
func (q *qos) Needs() policy.Needs {
	n := policy.Needs{Epoch: q.manager.epoch, Goals: true, Registers: q.registers,
		Sends: []policy.Sent{policy.Sending[*protocol.Quotas](protocol.KindSM, "")}}
	if q.adjusts {
		n.Sends = append(n.Sends, policy.Sending[*protocol.SampleIdle](protocol.KindSM, ""))
	}
	return n
}

// registers lists the manager's registers of each tenant. Unknown values are 0.
func (q *qos) registers() []policy.RegisterValue {
	q.shown = q.shown[:0]
	for i := range q.manager.tenants {
		r := &q.manager.tenants[i]
		ipc := 0.0
		if r.measured {
			ipc = r.ipc
		}
		q.shown = append(q.shown,
			policy.RegisterValue{Name: "goal", Tenant: i, Value: r.goal},
			policy.RegisterValue{Name: "history", Tenant: i, Value: r.history},
			policy.RegisterValue{Name: "ipc", Tenant: i, Value: ipc},
			policy.RegisterValue{Name: "alpha", Tenant: i, Value: r.alpha},
			policy.RegisterValue{Name: "quota", Tenant: i, Value: float64(r.quota)})
	}
	return q.shown
}
