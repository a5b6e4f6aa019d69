// Package even splits every SM's resources equally: each of n tenants may take up to one n-th
// of the threads, registers, shared memory and TB slots of each SM. A tenant with a larger
// thread block may still have one on each SM where it fits.
package even

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "even",
		About: "every SM's threads, registers, shared memory and TB slots split equally between tenants",
		New:   func(*policy.Options) policy.Policy { return even{} },
	})
}

type even struct{}

// Needs makes even a policy.Policy.
func (even) Needs() policy.Needs { return policy.Needs{Concurrent: true} }

// Decide gives tenants one thread block each in turn, so that on a GPU with room for only one
// large thread block no tenant is always first.
func (even) Decide(v *policy.View, a policy.Actions) {
	tenants := v.Present()
	for placed := true; placed; {
		placed = false
		for _, tenant := range v.Active {
			if sm := candidate(v, tenant, tenants); sm >= 0 {
				a.Place(tenant, sm)
				placed = true
			}
		}
	}
}

// candidate is the SM with the fewest of the tenant's thread blocks that may take another, -1
// for none.
func candidate(v *policy.View, tenant, tenants int) int {
	best := -1
	for i := range v.SMs {
		s := &v.SMs[i]
		if best >= 0 && s.TBs[tenant] >= v.SMs[best].TBs[tenant] || !v.Fits(tenant, i) {
			continue
		}
		grown := s.Tenants[tenant].Add(v.Tenants[tenant].Demand)
		if s.TBs[tenant] == 0 || s.Capacity.Fits(&occupancy.Usage{}, grown.Times(tenants)) {
			best = i
		}
	}
	return best
}
