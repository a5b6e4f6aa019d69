package dss

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// tokens counts each kernel's tokens.
type tokens struct {
	// given is by order of arrival of the tenants; nil for equal sharing: SMs divided by
	// tenants, and one more for each of the first kernels in the active queue
	// (thesis 5.3.4).
	given []int
	// extra marks, by tenant, a kernel with a token of the remainder. It keeps it to its end.
	extra []bool
	known []bool // by tenant: had a kernel at the last event
	// launch is, by tenant, that kernel's number.
	launch  []uint64
	present int // tenants at the last event
}

// grant hands out the tokens that equal sharing leaves over: to new kernels,
// in the order of the active queue, and to all of them anew when the number of
// tenants has changed.
func (t *tokens) grant(v *policy.View) {
	if t.extra == nil {
		t.extra, t.known = make([]bool, len(v.Tenants)), make([]bool, len(v.Tenants))
		t.launch = make([]uint64, len(v.Tenants))
	}
	left, all := 0, false
	if n := v.Present(); n > 0 {
		left, all = len(v.SMs)%n, n != t.present
		t.present = n
	}
	for tenant := range t.extra {
		if all || !t.same(v, tenant) {
			t.known[tenant], t.extra[tenant] = false, false
		}
		if t.extra[tenant] {
			left--
		}
	}
	for _, tenant := range v.Active {
		if !t.known[tenant] {
			t.known[tenant], t.launch[tenant] = true, v.Tenants[tenant].Launch
			t.extra[tenant] = left > 0
			left--
		}
	}
}

// same reports whether a tenant's kernel is still the kernel of the last event.
func (t *tokens) same(v *policy.View, tenant int) bool {
	return t.known[tenant] && v.Tenants[tenant].Launch == t.launch[tenant] && slices.Contains(v.Active, tenant)
}

// of is the number of tokens of a tenant's kernel, its SMs included.
func (t *tokens) of(v *policy.View, tenant int) int {
	arrival := v.Tenants[tenant].Rank
	switch {
	case t.given != nil:
		return t.given[min(arrival, len(t.given)-1)]
	case !v.Tenants[tenant].Present:
		return 0
	case t.extra[tenant]:
		return len(v.SMs)/v.Present() + 1
	}
	return len(v.SMs) / v.Present()
}
