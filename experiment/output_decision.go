package experiment

import (
	"fmt"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"

	"github.com/jedib0t/go-pretty/v6/table"
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
	kinds := newTable("Policy", "Set", "Phase", "Tenant", "IPC on a big SM", "On a small SM", "On a base SM, estimated", "Big SMs", "Small SMs")
	t := newTable("Policy", "Set", "Phase", "Tenant", "Type", "Demand", "CTAs", "Rate", "First")
	var more strings.Builder
	for _, r := range results {
		if r.Decision == nil {
			continue
		}
		for _, t := range []table.Writer{t, kinds} {
			if t.Length() > 0 {
				t.AppendSeparator()
			}
		}
		sets, left := ShownSets(r.Decision)
		for _, s := range sets {
			for _, k := range s.Kernels {
				kind, demand, first := "-", (*float64)(nil), ""
				if k.Traffic != nil {
					kind, demand = k.Traffic.Type, k.Traffic.Demand
				}
				if k.First {
					first = "yes"
				}
				of := &r.Kernels[k.Tenant]
				if on := k.OnKinds; on != nil {
					kinds.AppendRow(table.Row{r.Policy, s.Number, s.Phase, tenant.Marked(of.App, of.Mark), tenth(on.IPCBig), tenth(on.IPCSmall), tenth(on.IPCBase), on.SMsBig, on.SMsSmall})
					continue
				}
				t.AppendRow(table.Row{r.Policy, s.Number, s.Phase, tenant.Marked(of.App, of.Mark), kind, tenth(demand), k.CTAs, tenth(k.Rate), first})
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
	text := ""
	for _, t := range []table.Writer{t, kinds} {
		if t.Length() > 0 {
			text += t.Render() + "\n"
		}
	}
	return text + more.String()
}

// tenth is a figure of a decision with a digit behind the point, a dash if there is none.
func tenth(v *float64) string {
	if v == nil {
		return "-"
	}
	return decimals(*v, 1)
}
