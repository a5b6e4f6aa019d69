// Package npq implements non-preemptive priority queues (thesis 5.3.2): the GPU starts the kernel with
// the highest priority, and a started kernel places all its thread blocks before the next
// one's turn.
package npq

import "cotenant/cta_dispatcher/policy"

func init() {
	policy.Register(policy.Descriptor{
		Name:  "npq",
		About: "non-preemptive priority queues; the kernel with the highest priority starts next",
		New:   func(*policy.Options) policy.Policy { return npq{} },
	})
}

type npq struct{}

// Needs makes npq a policy.Policy.
func (npq) Needs() policy.Needs { return policy.Needs{} }

// Decide places the thread blocks of one kernel after the other while they fit.
func (npq) Decide(v *policy.View, a policy.Actions) {
	for tenant := next(v); tenant >= 0; tenant = next(v) {
		policy.Breadth(v, a, tenant, func(int) bool { return true })
		if v.Tenants[tenant].Waiting > 0 {
			return
		}
	}
}

// next returns the tenant with a started kernel that is not placed whole, or else the tenant
// with the highest priority, the first to arrive among equals; -1 if no thread block waits.
func next(v *policy.View) int {
	best := -1
	for _, tenant := range v.Active {
		t := &v.Tenants[tenant]
		switch {
		case t.Waiting == 0:
		case t.Running > 0:
			return tenant
		case best < 0 || t.Priority > v.Tenants[best].Priority:
			best = tenant
		}
	}
	return best
}
