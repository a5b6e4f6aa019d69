package reproduce

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy/ccbp"
	"cotenant/experiment"
	"cotenant/experiment/oracle"
)

// kernel is CCBP's decision for a kernel, from a result's JSON (docs/output.md, decision).
type kernel struct {
	Tenant  int      `json:"tenant"`
	CTAs    int      `json:"ctas"`
	Rate    *float64 `json:"rate"`
	First   bool     `json:"first"`
	Traffic *traffic `json:"traffic"`
}

type traffic struct {
	Type   string   `json:"type"`
	Demand *float64 `json:"demand"`
}

// decision is CCBP's decision for each set of kernels.
type decision struct {
	Sets []kernelSet `json:"sets"`
}

type kernelSet struct {
	Kernels []kernel `json:"kernels"`
}

// decided returns CCBP's decision for a tenant's kernel in the first set of kernels with
// known types, or else in the first set; nothing without a decision.
func decided(r *experiment.Result, tenant int) (first kernel) {
	var all decision
	if json.Unmarshal(r.Decision, &all) != nil {
		return first
	}
	found := false
	for _, set := range all.Sets {
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

func init() {
	searches["as CCBP decided"] = asDecided
	measures["thread blocks decided"] = &metric{of: func(p *point) float64 { return float64(decided(p.result, p.tenant()).CTAs) }}
	measures["demand found"] = &metric{of: func(p *point) float64 { return wanted(decided(p.result, p.tenant())) }}
	measures["kernels detected as printed"] = &metric{unit: "%", whole: detectedAsPrinted}
}

// asDecided is the policy that gives the kernels of a mix, whichever runs of an
// application with several, what the paper's way CCBP decided; nothing before that has run.
// So everybody has from the beginning what was decided: for what is less than the noise of
// detection.
func asDecided(d *evaluation, _ *way, m *mix, _ string) []string {
	ccbp, _ := d.figure.way("CCBP")
	r, _ := d.outcome(ccbp, m, "")
	if r == nil {
		return nil
	}
	var tbs []int
	var rates, first []string
	for i := range m.apps {
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
func wanted(k kernel) float64 {
	if k.Traffic == nil || k.Traffic.Demand == nil {
		return math.NaN()
	}
	return *k.Traffic.Demand
}

// detectedAsPrinted is the percentage of the kernels of a row's mixes that a way puts into
// the paper's class; NaN if a mix lacks a decision.
func detectedAsPrinted(d *evaluation, c *cell, w *way) float64 {
	right, all, silent := 0.0, 0.0, false
	for i := range c.mixes {
		m := &c.mixes[i]
		r, _ := d.outcome(w, m, "")
		if silent = silent || r == nil || r.Decision == nil; silent {
			continue
		}
		for tenant, name := range m.apps {
			all++
			if k := decided(r, tenant); k.Traffic != nil && d.figure.hasClass(name, k.Traffic.Type) {
				right++
			}
		}
	}
	if silent {
		return math.NaN()
	}
	return 100 * (right / all)
}
