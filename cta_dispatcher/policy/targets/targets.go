// Package targets serves policies that set a number of thread blocks for each tenant on each
// SM. It places up to these numbers, and makes room for a tenant below its own.
package targets

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Targets are the tenants' numbers of thread blocks. New sets all to 0; a policy writes TBs at
// any time, and Dispatch acts on them.
type Targets struct {
	// TBs limits a tenant's thread blocks, by tenant and SM. Thread blocks beyond the limit
	// stay until a tenant below its target needs the room.
	TBs [][]int
	// Demand is, by tenant, the demand of a thread block of its last kernel, zero before the
	// first. Meet keeps it.
	Demand []occupancy.Demand

	// Turn counts how often Starved has asked for another order of dealing thread blocks.
	Turn int

	starved int   // epochs since every kernel had a target
	order   []int // of Dispatch
	evicted []int // by tenant: TBs to leave an SM
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

// Clear sets all targets to 0.
func (t *Targets) Clear() {
	for _, tbs := range t.TBs {
		clear(tbs)
	}
}

// Patience is the number of epochs that a kernel waits for a target before the order changes:
// a context switch of a whole SM takes about one epoch.
const Patience = 10

// Starved is asked once an epoch. When a kernel has had no target for ten epochs, Starved
// moves Turn on, and reports that thread blocks need dealing in another order.
func (t *Targets) Starved(v *policy.View) bool {
	if !slices.ContainsFunc(v.Active, func(tenant int) bool { return t.Sum(tenant) == 0 }) {
		t.starved = 0
		return false
	}
	if t.starved++; t.starved < Patience {
		return false
	}
	t.starved = 0
	t.Turn++
	return true
}

// Sum is a tenant's target on all SMs together.
func (t *Targets) Sum(tenant int) (n int) {
	for _, tbs := range t.TBs[tenant] {
		n += tbs
	}
	return n
}
