// Package sets describes the explanation of a policy that decides for sets of kernels: for
// each set a section, for each kernel a row.
package sets

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// Columns that every such policy writes into JSON. A policy lists a column to show it in
// views as well.
var (
	Tenant      = policy.Column{Name: "tenant", Title: "tenant", Kind: policy.TenantNumber}
	Threads     = policy.Column{Name: "threads", Title: "threads of a TB", Detail: true}
	registers   = policy.Column{Name: "registers"} // of 32 bits, of a TB
	sharedBytes = policy.Column{Name: "shared_bytes"}
	MostCTAs    = policy.Column{Name: "most_ctas", Title: "of at most", Detail: true}
	CTAs        = policy.Column{Name: "ctas", Title: "CTAs", Unit: "on an SM"}
	Rate        = policy.Column{Name: "rate", Title: "rate", Kind: policy.Number}
	First       = policy.Column{Name: "first", Title: "first", Kind: policy.Flag}
)

var always = []policy.Column{Tenant, Threads, registers, sharedBytes, MostCTAs, CTAs, Rate, First}

// Form makes a form with these facts of a set, after its phase, and these columns of a
// kernel.
func Form(curves policy.Curves, facts []policy.Column, columns ...policy.Column) *policy.Form {
	var order []string
	for _, c := range always {
		order = append(order, c.Name)
		if !slices.Contains(columns, c) {
			c.Title = ""
			columns = append(columns, c)
		}
	}
	for _, c := range columns {
		if !slices.Contains(order, c.Name) {
			order = append(order, c.Name)
		}
	}
	return &policy.Form{Name: "sets", Title: "Set", Plural: "sets of kernels", RowsKey: "kernels", Columns: columns, Order: order, Curves: curves,
		Facts: append([]policy.Column{
			{Name: "present", Title: "the last that ran", Kind: policy.Present},
			{Name: "phase", Title: "phase", Kind: policy.Text}}, facts...)}
}

// Facts says of a set whether it was the last to share the GPU, and how far the policy has
// come with it.
func Facts(present bool, phase string) policy.Cells {
	return policy.Cells{"present": present, "phase": phase}
}

// Kernel begins the row of a kernel: its tenant, the demand of a thread block, and the most
// thread blocks that fit on an SM, on a big one if there are several kinds.
func Kernel(tenant int, d occupancy.Demand, most int) policy.Cells {
	return policy.Cells{"tenant": tenant, "threads": d.Threads, "registers": d.Registers, "shared_bytes": d.SharedBytes,
		"most_ctas": most, "ctas": 0, "first": false}
}
