package heterocore

import (
	"maps"
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/sets"
)

var phaseNames = [...]string{even: "even", warmUp: "warm-up", measure: "measurement", parted: "by kind", halved: "halves"}

// String returns the phase as results write it.
func (p phase) String() string { return phaseNames[p] }

// form describes each kernel on big and on small SMs (HeteroCore 4.3). IPCs are thread
// instructions in a core cycle on one SM, unknown where the kernel does not run.
var form = sets.Form(policy.Curves{}, nil, sets.Tenant, sets.Threads,
	policy.Column{Name: "on_kinds.ipc_big", Title: "IPC on a big SM", Kind: policy.Number},
	policy.Column{Name: "on_kinds.ipc_small", Title: "on a small SM", Kind: policy.Number},
	policy.Column{Name: "on_kinds.ipc_base", Title: "on a base SM, estimated", Kind: policy.Number},
	policy.Column{Name: "on_kinds.sms_big", Title: "big SMs"},
	policy.Column{Name: "on_kinds.sms_small", Title: "small SMs"})

// told is the explanation of a set of kernels. The set stays the same however often the
// applications run.
type told struct {
	set     []member // without run, launch and rank
	phase   phase
	kernels []policy.Cells
}

// tell notes the state of the set that shares the GPU, with the measured kernels if there
// are any. A single kernel makes no set.
func (p *dynamic) tell(v *policy.View, kernels []Kernel) {
	if len(p.set) < 2 {
		return
	}
	var set []member
	for _, m := range p.set {
		now := &p.last[m.tenant]
		set = append(set, member{tenant: m.tenant, code: now.code, demand: now.demand})
	}
	at := slices.IndexFunc(p.told, func(t told) bool { return slices.Equal(t.set, set) })
	if at < 0 {
		at = len(p.told)
		t := told{set: set}
		for _, m := range set {
			most, _ := v.SMs[p.samples[p.big]].Capacity.Occupancy(m.demand)
			t.kernels = append(t.kernels, sets.Kernel(m.tenant, m.demand, most))
		}
		p.told = append(p.told, t)
	}
	p.present = at
	t := &p.told[at]
	t.phase = p.phase
	for place, k := range t.kernels {
		tenant := set[place].tenant
		k["on_kinds.sms_big"], k["on_kinds.sms_small"] = p.owned[tenant][0], p.owned[tenant][1]
		if kernels == nil {
			continue
		}
		k["on_kinds.ipc_big"], k["on_kinds.ipc_small"], k["on_kinds.ipc_base"] = nil, nil, kernels[place].Base
		if p.may(place, true) {
			k["on_kinds.ipc_big"] = kernels[place].Big
		}
		if p.may(place, false) {
			k["on_kinds.ipc_small"] = kernels[place].Small
		}
	}
}

// explain tells, for each set that shared the GPU, the last measurement and the division of
// the SMs.
func (p *dynamic) explain() []policy.Table {
	if len(p.told) == 0 {
		return nil
	}
	table := policy.Table{Form: form}
	for i, t := range p.told {
		set := policy.Section{Facts: sets.Facts(i == p.present, t.phase.String())}
		for _, k := range t.kernels {
			set.Rows = append(set.Rows, maps.Clone(k))
		}
		table.Sections = append(table.Sections, set)
	}
	return []policy.Table{table}
}
