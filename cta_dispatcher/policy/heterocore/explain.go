package heterocore

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

var phaseNames = [...]string{even: "even", warmUp: "warm-up", measure: "measurement", parted: "by kind", halved: "halves"}

// String is the phase as results have it.
func (p phase) String() string { return phaseNames[p] }

// told is what results say of a set of kernels, which is the same set however often the
// applications are run.
type told struct {
	set     []member // of no run, launch or rank
	phase   phase
	kernels []policy.DecidedKernel
}

// tell notes how it stands with the set that shares the GPU; with kernels what was
// measured of them. One alone is no set.
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
			k := policy.Decided(m.tenant, m.demand, most)
			k.OnKinds = &policy.OnKinds{}
			t.kernels = append(t.kernels, k)
		}
		p.told = append(p.told, t)
	}
	p.present = at
	t := &p.told[at]
	t.phase = p.phase
	for place := range t.kernels {
		k := t.kernels[place].OnKinds
		tenant := t.kernels[place].Tenant
		k.SMsBig, k.SMsSmall = int(p.shown[2*tenant].Value), int(p.shown[2*tenant+1].Value)
		if kernels == nil {
			continue
		}
		k.IPCBig, k.IPCSmall, k.IPCBase = nil, nil, policy.DecisiveFigure(kernels[place].Base)
		if p.may(place, true) {
			k.IPCBig = policy.DecisiveFigure(kernels[place].Big)
		}
		if p.may(place, false) {
			k.IPCSmall = policy.DecisiveFigure(kernels[place].Small)
		}
	}
}

// explain says of each set that shared the GPU what was measured
// last and how the SMs were divided.
func (p *dynamic) explain() *policy.Decision {
	if len(p.told) == 0 {
		return nil
	}
	d := &policy.Decision{}
	for i, t := range p.told {
		set := policy.DecidedSet{Present: i == p.present, Phase: t.phase.String()}
		for _, k := range t.kernels {
			on := *k.OnKinds
			k.OnKinds = &on
			set.Kernels = append(set.Kernels, k)
		}
		d.Sets = append(d.Sets, set)
	}
	return d
}
