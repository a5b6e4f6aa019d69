// Package spart is spatial partitioning: every tenant owns an equal number of
// whole SMs. Without preemption, an SM that changes its owner first finishes
// the thread blocks it has. Of more tenants than SMs, the last to arrive wait.
package spart

import "cotenant/cta_dispatcher/policy"

func init() {
	policy.Register(policy.Descriptor{
		Name:  "spart",
		About: "spatial partition: an equal number of SMs for each tenant",
		New:   func(policy.Options) (policy.Policy, error) { return spart{}, nil },
	})
}

type spart struct{}

// Decide places each tenant's thread blocks on the SMs that it owns and nobody
// else is still using.
func (spart) Decide(v *policy.View, p policy.Placer) {
	for _, tenant := range v.Active {
		policy.Breadth(v, p, tenant, func(sm int) bool {
			s := &v.SMs[sm]
			return owner(v, sm) == tenant && s.TBs[tenant] == s.Usage.TBs
		})
	}
}

// owner is the tenant to which an SM belongs: tenants that are present get
// floor(SMs/tenants) neighbouring SMs each in order of arrival, and the first
// of them one more if SMs are left over (equal sharing of the thesis, 5.2.4).
func owner(v *policy.View, sm int) int {
	n := v.Present()
	share, extra := len(v.SMs)/n, len(v.SMs)%n
	rank := 0
	if wide := extra * (share + 1); sm < wide {
		rank = sm / (share + 1)
	} else {
		rank = extra + (sm-wide)/share
	}
	for tenant := range v.Tenants {
		if v.Tenants[tenant].Present && earlier(v, tenant) == rank {
			return tenant
		}
	}
	return -1
}

// earlier counts the tenants that are present and arrived before a tenant.
func earlier(v *policy.View, tenant int) int {
	n := 0
	for i := range v.Tenants {
		if v.Tenants[i].Present && v.Tenants[i].Arrival < v.Tenants[tenant].Arrival {
			n++
		}
	}
	return n
}
