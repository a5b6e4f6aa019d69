// Package targets is what policies have in common that decide how many thread blocks
// each tenant is to have on each SM, rather than who gets the next: placing up to
// those numbers, and making room for a tenant that is below its own.
package targets

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Targets are the numbers of thread blocks that tenants are to have. New makes them,
// all 0; a policy writes TBs whenever it likes and lets Dispatch do what follows.
type Targets struct {
	// TBs is, by tenant and SM, how many thread blocks it is to have there at most.
	// What more it has stays until somebody who is below its target needs the room.
	TBs [][]int
	// Demand is, by tenant, that of a thread block of its last kernel, nothing before
	// its first. Meet keeps it.
	Demand []occupancy.Demand

	order   []int // of Dispatch
	evicted []int // by tenant: TBs that are to leave an SM
}

// New makes the Targets of a GPU.
func New(v *policy.View) *Targets {
	n := len(v.Tenants)
	t := &Targets{Demand: make([]occupancy.Demand, n), evicted: make([]int, n)}
	for range n {
		t.TBs = append(t.TBs, make([]int, len(v.SMs)))
	}
	return t
}

// Meet notes the demands of the tenants' kernels, which a policy does first in every
// Decide, and reports whether a tenant has a kernel with another demand than its last.
func (t *Targets) Meet(v *policy.View) (changed bool) {
	for _, tenant := range v.Active {
		if d := v.Tenants[tenant].Demand; d != t.Demand[tenant] {
			t.Demand[tenant] = d
			changed = true
		}
	}
	return changed
}

// Sum is a tenant's target on all SMs together.
func (t *Targets) Sum(tenant int) (n int) {
	for _, tbs := range t.TBs[tenant] {
		n += tbs
	}
	return n
}
