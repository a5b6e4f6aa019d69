// Package fcfs implements the baseline of today's GPUs: kernels in order of arrival,
// back to back. A later kernel gets only what is left over once every thread
// block of the earlier ones has been placed.
package fcfs

import "cotenant/cta_dispatcher/policy"

func init() {
	policy.Register(policy.Descriptor{
		Name:  "fcfs",
		About: "first come first served; a later kernel takes what earlier ones leave over",
		New:   func(*policy.Options) policy.Policy { return fcfs{} },
	})
}

type fcfs struct{}

// Decide places the first kernel's thread blocks while they fit, then the
// next's if none of the first is left.
func (fcfs) Decide(v *policy.View, a policy.Actions) {
	for _, tenant := range v.Active {
		policy.Breadth(v, a, tenant, anywhere)
		if v.Waits(tenant) {
			return
		}
	}
}

// Needs makes fcfs a policy.Policy.
func (fcfs) Needs() policy.Needs { return policy.Needs{Concurrent: true, Clusters: true} }

func anywhere(int) bool { return true }
