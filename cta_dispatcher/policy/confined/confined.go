// Package confined places the thread blocks of tenants that may each use a set of the SMs, as
// policies do that limit a process or a context to a part of the GPU. Sets may overlap: on a
// shared SM the tenant with the higher priority goes first, and among equals the one whose
// kernel came first, until all thread blocks of its kernels are placed; others take what is
// left. No running thread block leaves an SM for another.
package confined

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Placement is the part of a policy that places thread blocks. The zero value needs a Lay.
type Placement struct {
	// Lay returns the SMs of a tenant that has arrived, true for each that it may use. It is
	// called once for each tenant, in the order of arrival.
	Lay func(v *policy.View, tenant int) []bool

	sets  [][]bool // by tenant, from its arrival on, and SM
	order []int    // of a Decide
	taken []bool   // by SM, in a Decide: an earlier tenant still waits for room
}

// Decide places thread blocks, tenant by tenant.
func (p *Placement) Decide(v *policy.View, a policy.Actions) {
	if p.sets == nil {
		p.sets, p.taken = make([][]bool, len(v.Tenants)), make([]bool, len(v.SMs))
	}
	for _, tenant := range v.Newcomers(func(tenant int) bool { return p.sets[tenant] != nil }) {
		p.sets[tenant] = p.Lay(v, tenant)
	}
	p.order = append(p.order[:0], v.Active...)
	slices.SortStableFunc(p.order, func(a, b int) int { return v.Tenants[b].Priority - v.Tenants[a].Priority })
	clear(p.taken)
	for _, tenant := range p.order {
		set := p.sets[tenant]
		policy.Breadth(v, a, tenant, func(sm int) bool { return set[sm] && !p.taken[sm] })
		if v.Waits(tenant) {
			for sm := range set {
				p.taken[sm] = p.taken[sm] || set[sm]
			}
		}
	}
}

// Registers lists the number of SMs that each tenant may use.
func (p *Placement) Registers() (list []policy.RegisterValue) {
	for tenant, set := range p.sets {
		n := 0
		for _, in := range set {
			if in {
				n++
			}
		}
		list = append(list, policy.RegisterValue{Name: "sms", Tenant: tenant, Value: float64(n)})
	}
	return list
}
