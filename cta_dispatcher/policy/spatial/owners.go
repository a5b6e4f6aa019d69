// Package spatial is what policies have in common that give whole SMs to tenants:
// who owns which SM, placing on the SMs that a tenant owns, and taking those back
// on which others still run.
package spatial

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Owners are the tenants that own the SMs, one each. The zero value has none.
type Owners struct {
	owner []int // by SM: the tenant, -1 if nobody owns it
	owned []int // by tenant: how many SMs of a kind it owns
}

// Assign gives each tenant of a list as many of the SMs of a kind as due says of
// its place in the list; together they are due no more than there are. A tenant
// keeps the first of those that it has, and what is due to it besides is what is
// free from the first on, in the order of the list. SMs that are due to nobody
// have no owner.
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

// Of is the tenant that owns an SM, -1 if nobody does.
func (o *Owners) Of(sm int) int {
	if o.owner == nil {
		return -1
	}
	return o.owner[sm]
}

// Even is how many SMs of each kind are due to each of n tenants, by kind and place,
// when as many of each kind are divided evenly: floor(SMs/tenants), and the first one
// more of what is left over; of what is left over of the next kind, those get one who
// come next. Those to whom fits is false get none of a kind; with nil all get some.
func Even(sms []int, n int, fits func(place, kind int) bool) (due [][]int) {
	first := 0 // who gets what is left over
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

// Place places a tenant's thread blocks on the SMs that it owns and nobody else is
// still using.
func (o *Owners) Place(v *policy.View, a policy.Actions, tenant int) {
	policy.Breadth(v, a, tenant, func(sm int) bool { return o.owner[sm] == tenant && v.SMs[sm].Only(tenant) })
}

// Take empties SMs that a tenant owns and others are still using, one for each of
// its thread blocks that waits.
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
