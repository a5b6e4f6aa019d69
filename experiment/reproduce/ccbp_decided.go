package reproduce

import (
	"math"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/ccbp"
	"cotenant/experiment"
	"cotenant/experiment/oracle"
)

// decided is what CCBP has found out and decided of a tenant's kernel in the first set of
// kernels whose types it knows, or in the first; nothing where it does not say.
func decided(r *experiment.Result, tenant int) (first policy.DecidedKernel) {
	if r.Decision == nil {
		return first
	}
	found := false
	for _, set := range r.Decision.Sets {
		for _, k := range set.Kernels {
			switch known := k.Traffic != nil && k.Traffic.Type != ccbp.Unknown.String(); {
			case k.Tenant != tenant:
			case known:
				return k
			case !found:
				first, found = k, true
			}
		}
	}
	return first
}

// asDecided is the policy that gives the kernels of a mix, whichever runs of an
// application with several, what CCBP decided; nothing before CCBP has run.
func (d *Data) asDecided(mix []string, _ speedup) []string {
	r := d.known(viaCCBP.machine(d.Scale), viaCCBP.policy(d.Scale), ccbpSpecs(d.Scale, mix))
	if r == nil {
		return nil
	}
	var tbs []int
	var rates, first []string
	for i := range mix {
		k := decided(r, i)
		tbs = append(tbs, max(k.CTAs, 1))
		rate, sensitive := "-", "0"
		if k.Rate != nil {
			rate = strconv.FormatFloat(*k.Rate, 'g', -1, 64)
		}
		if k.First {
			sensitive = "1"
		}
		rates, first = append(rates, rate), append(first, sensitive)
	}
	return []string{oracle.Policy(tbs, nil) + ",rates=" + strings.Join(rates, "/") + ",first=" + strings.Join(first, "/")}
}

// wanted is the demand of a kernel in requests of an SM in an interval, NaN if it is not
// known.
func wanted(k policy.DecidedKernel) float64 {
	if k.Traffic == nil || k.Traffic.Demand == nil {
		return math.NaN()
	}
	return *k.Traffic.Demand
}

// asPrinted is the part of the kernels of some mixes that are of the type that Table 2
// has, by a contender's detection; NaN if it says nothing in one of them.
func (d *Data) asPrinted(c contender, mixes [][]string) float64 {
	right, all := 0.0, 0.0
	for _, mix := range mixes {
		r := d.corun(c.machine(d.Scale), c.policy(d.Scale), mix)
		if r.Decision == nil {
			return math.NaN()
		}
		for i, name := range mix {
			all++
			if k := decided(r, i); k.Traffic != nil && k.Traffic.Type == kernelNamed(name).class {
				right++
			}
		}
	}
	return right / all
}
