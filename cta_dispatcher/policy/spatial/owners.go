// Package spatial serves policies that give whole SMs to tenants: it keeps the owners of SMs,
// places thread blocks on owned SMs, and empties owned SMs on which other tenants still run.
package spatial

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Owners are the tenants that own the SMs, one each. The zero value has none.
type Owners struct {
	owner []int // by SM: the tenant, -1 without an owner
	owned []int // by tenant: number of its SMs of a kind
}

// Assign gives each tenant of a list due(place) SMs of a kind; together these are no more than
// the GPU has. A tenant keeps its first SMs up to its due. Tenants with fewer get free SMs,
// lowest numbers first, in the order of the list. SMs beyond all dues have no owner.
func (o *Owners) Assign(v *policy.View, kind int, order []int, due func(place int) int) {
	if o.owner == nil {
		o.owner, o.owned = make([]int, len(v.SMs)), make([]int, len(v.Tenants))
		for i := range o.owner {
			o.owner[i] = -1
		}
	}
	clear(o.owned)
	for i, tenant := range o.owner {
		if tenant < 0 || v.SMs[i].Kind != kind {
			continue
		}
		if place := slices.Index(order, tenant); place >= 0 && o.owned[tenant] < due(place) {
			o.owned[tenant]++
		} else {
			o.owner[i] = -1
		}
	}
	place := 0
	for i := range o.owner {
		if v.SMs[i].Kind != kind {
			continue
		}
		for place < len(order) && o.owned[order[place]] == due(place) {
			place++
		}
		if o.owner[i] < 0 && place < len(order) {
			o.owner[i] = order[place]
			o.owned[order[place]]++
		}
	}
}

// Of returns the tenant that owns an SM, -1 without an owner.
func (o *Owners) Of(sm int) int {
	if o.owner == nil {
		return -1
	}
	return o.owner[sm]
}

// Even divides the SMs of each kind evenly between n tenants: floor(SMs/tenants) each, and one
// of the remainder for the first tenants. The next kind's remainder goes to the tenants that
// come next. fits excludes tenants from a kind; nil excludes none. The result is by kind and
// place.
func Even(sms []int, n int, fits func(place, kind int) bool) (due [][]int) {
	first := 0 // the place that gets the next SM of a remainder
	for kind, sms := range sms {
		list, able := make([]int, n), make([]int, 0, n)
		for i := range n {
			if place := (first + i) % n; fits == nil || fits(place, kind) {
				able = append(able, place)
			}
		}
		for i, place := range able {
			list[place] = sms / len(able)
			if i < sms%len(able) {
				list[place]++
				first = (place + 1) % n
			}
		}
		due = append(due, list)
	}
	return due
}

// Place places a tenant's thread blocks on its SMs without thread blocks of other tenants.
func (o *Owners) Place(v *policy.View, a policy.Actions, tenant int) {
	policy.Breadth(v, a, tenant, func(sm int) bool { return o.owner[sm] == tenant && v.SMs[sm].Only(tenant) })
}

// Take empties SMs of a tenant on which other tenants still run, one for each of its waiting
// thread blocks.
func (o *Owners) Take(v *policy.View, a policy.Actions, tenant int, m policy.Mechanism) {
	o.TakeBy(v, a, tenant, func(int) policy.Mechanism { return m })
}

// TakeBy is Take with a mechanism for each SM.
func (o *Owners) TakeBy(v *policy.View, a policy.Actions, tenant int, by func(sm int) policy.Mechanism) {
	coming := 0
	for i := range v.SMs {
		if v.SMs[i].Reserved && o.owner[i] == tenant {
			coming++
		}
	}
	for i := range v.SMs {
		s := &v.SMs[i]
		if o.owner[i] == tenant && v.Tenants[tenant].Waiting > coming && !s.Reserved && s.StayingOthers(tenant) && v.Holds(tenant, i) {
			a.PreemptSM(i, by(i))
			coming++
		}
	}
}
