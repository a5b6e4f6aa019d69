package experiment

import (
	"fmt"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// MostSets is how many sets of kernels are shown of a policy's decision where people
// read it; an application with many kernels makes many.
const MostSets = 8

// ShownSet is a set of kernels and its number, from 1.
type ShownSet struct {
	Number int
	policy.DecidedSet
}

// ShownSets are the sets of kernels of a decision that are shown where people read it:
// the first MostSets, and that which ran last; and how many others there are.
func ShownSets(d *policy.Decision) (sets []ShownSet, left int) {
	for i, s := range d.Sets {
		if i < MostSets || s.Present {
			sets = append(sets, ShownSet{i + 1, s})
		} else {
			left++
		}
	}
	return sets, left
}

// decisions is a table of what policies decided, and one of those that decide by kinds of
// SM; nothing if none says. A dash stands for
// what a policy has not found out, or does not look at, and for a rate without limit.
func decisions(results []*Result) string {
	var kinds, others Table
	var more strings.Builder
	for _, r := range results {
		if r.Decision == nil {
			continue
		}
		kinds.Separate()
		others.Separate()
		sets, left := ShownSets(r.Decision)
		for _, s := range sets {
			for i := range s.Kernels {
				k := &s.Kernels[i]
				t, of := &others, &r.Kernels[k.Tenant]
				row := []any{"Policy", r.Policy, "Set", s.Number, "Phase", s.Phase, "Tenant", tenant.Marked(of.App, of.Mark)}
				if k.OnKinds != nil {
					t = &kinds
				}
				t.Row(append(row, decided(k)...)...)
			}
		}
		if h := r.Decision.Rehearsal; h != nil {
			fmt.Fprintf(&more, "%s: found out in a rehearsal of %d cycles", r.Policy, h.Cycles)
			if !h.Settled {
				more.WriteString(", which was cut off; the rest in the run")
			}
			more.WriteString(".\n")
		}
		if left > 0 {
			fmt.Fprintf(&more, "%s: %d more sets of kernels are in the JSON form.\n", r.Policy, left)
		}
	}
	return others.String() + kinds.String() + more.String()
}

// decided are the columns of a kernel, of those that policies decide on by kinds of SM
// or of the others.
func decided(k *policy.DecidedKernel) []any {
	if on := k.OnKinds; on != nil {
		return []any{"IPC on a big SM", tenth(on.IPCBig), "On a small SM", tenth(on.IPCSmall), "On a base SM, estimated", tenth(on.IPCBase),
			"Big SMs", on.SMsBig, "Small SMs", on.SMsSmall}
	}
	kind, demand, first := "-", (*float64)(nil), ""
	if k.Traffic != nil {
		kind, demand = k.Traffic.Type, k.Traffic.Demand
	}
	if k.First {
		first = "yes"
	}
	return []any{"Type", kind, "Demand", tenth(demand), "CTAs", k.CTAs, "Rate", tenth(k.Rate), "First", first}
}

// tenth is a figure of a decision with a digit behind the point, a dash if there is none.
func tenth(v *float64) Number {
	if v == nil {
		return "-"
	}
	return decimals(*v, 1)
}
