// Package claim says which tenants hold a part of a divided GPU. The papers' kernels run
// without end; an application pauses between its launches, and Claims says for how long it
// keeps its part.
package claim

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Claims are the tenants with a claim to a part of the GPU. A tenant has one from its arrival
// to its end. Between two launches it keeps its part, so that a short pause moves no thread
// blocks. After a whole window, from one Epoch event to the next, without a kernel it lends
// its part until its next kernel arrives: otherwise a long CPU phase would leave SMs idle.
//
// The zero value has no claims. The policy needs an Epoch.
type Claims struct {
	// Order lists the tenants with a claim in the order of their arrival.
	Order []int

	held []bool
	idle []int // windows that began since the tenant had a kernel
}

// Update looks at the View, which a policy does first in every Decide, and
// reports whether claims have changed.
func (c *Claims) Update(v *policy.View) (changed bool) {
	if c.held == nil {
		c.held, c.idle = make([]bool, len(v.Tenants)), make([]int, len(v.Tenants))
		c.Order = make([]int, 0, len(v.Tenants))
	}
	if v.Event == policy.Epoch {
		for tenant := range c.idle {
			c.idle[tenant]++
		}
	}
	for _, tenant := range v.Active {
		c.idle[tenant] = 0
	}
	for tenant := range v.Tenants {
		// The window in which the kernel finished was not a whole one.
		holds := v.Tenants[tenant].Present && c.idle[tenant] < 2
		if !v.Tenants[tenant].Present {
			c.idle[tenant] = 0
		}
		if holds != c.held[tenant] {
			c.held[tenant] = holds
			changed = true
		}
	}
	if changed {
		c.Order = c.Order[:0]
		for tenant, holds := range c.held {
			if holds {
				c.Order = append(c.Order, tenant)
			}
		}
		slices.SortFunc(c.Order, func(a, b int) int { return v.Tenants[a].Rank - v.Tenants[b].Rank })
	}
	return changed
}

// Holds reports whether a tenant has a claim.
func (c *Claims) Holds(tenant int) bool { return c.held[tenant] }

// Option is the window of a policy with Claims; about says what else it is, before its range.
func Option(about string) policy.Option {
	return policy.Option{Name: "epoch", About: "cycles, 1k to 1000M" + about + "; a tenant without a kernel for a whole epoch lends its part", Default: "10k"}
}

// Epoch is the option's value in cycles.
func Epoch(o *policy.Options) uint64 { return o.Cycles("epoch", 1000) }
