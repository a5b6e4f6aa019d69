package reproduce

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/ccbp"
	"cotenant/cta_dispatcher/policy/drf"
	"cotenant/cta_dispatcher/policy/smkpw"
)

// figure8 is the SM of SMK's Figure 8, and what a thread block of each kernel
// takes of it: 10 % of the registers and 6.66 % of the threads; 3 % of the
// registers, 6 % of the shared memory and 5 % of the threads.
var (
	figure8        = occupancy.Capacity{TBs: 1000, Threads: 1500, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}
	figure8Kernels = []occupancy.Demand{
		{TBs: 1, Threads: 100, Warps: 4, Registers: 100},
		{TBs: 1, Threads: 75, Warps: 3, Registers: 30, SharedBytes: 60},
	}
)

// The worked examples of papers, by their kernels K1, K2 and K3.
func init() {
	kernel := func(p *point) int { return int(p.of[1] - '1') }
	measures["thread blocks"] = &metric{without: func(p *point) float64 {
		tbs := make([]int, 2)
		drf.Partition(&figure8, figure8Kernels, []int{0, 1}, tbs, func(int, *occupancy.Usage) {})
		return float64(tbs[kernel(p)])
	}}
	measures["quota"] = &metric{unit: "%", without: func(p *point) float64 {
		const epoch = 10_000 // cycles, as in 6.1
		quotas := make([]int, 2)
		smkpw.Quotas(epoch, []smkpw.Profile{{WIPC: 0.4, Isolated: 8, Shared: 2}, {WIPC: 0.5, Isolated: 8, Shared: 4}}, quotas)
		return 100 * float64(quotas[kernel(p)]) / epoch
	}}
}

// The example of CCBP's Algorithm 1: ten units of each resource, and the kernels' demands of
// the crossbar and of the DRAM for a thread block.
func init() {
	for name, of := range map[string]func(*ccbp.Grant) float64{
		"CTAs":       func(g *ccbp.Grant) float64 { return float64(g.CTAs) },
		"NoC units":  func(g *ccbp.Grant) float64 { return g.NoC },
		"DRAM units": func(g *ccbp.Grant) float64 { return g.DRAM },
	} {
		measures[name] = &metric{without: func(p *point) float64 {
			wanted, err := strconv.Atoi(strings.TrimPrefix(p.way.Name, "iteration "))
			if err != nil {
				p.fail(err)
				return math.NaN()
			}
			grants := iteration(wanted)
			return of(&grants[p.of[1]-'1'])
		}}
	}
}

// iteration is what the kernels of the example have after an iteration of Algorithm 1.
func iteration(wanted int) (then []ccbp.Grant) {
	ten := occupancy.Capacity{TBs: 10, Threads: 10, Warps: 10, SharedOptions: []int{0}}
	kernels := make([]ccbp.Kernel, 3)
	for i, k := range []struct {
		kind      ccbp.Kind
		noc, dram float64 // of a CTA
	}{{ccbp.Sensitive, 0.5, 0.5}, {ccbp.DRAMBound, 2, 4}, {ccbp.NoCBound, 3, 1}} {
		kernels[i] = ccbp.Kernel{Kind: k.kind, Demand: occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}}
		for n := range 11 {
			kernels[i].NoC = append(kernels[i].NoC, float64(n)*k.noc)
			kernels[i].DRAM = append(kernels[i].DRAM, float64(n)*k.dram)
		}
	}
	grants, pass := make([]ccbp.Grant, 3), 0
	ccbp.Allocate(&ten, kernels, ccbp.Rule{Whole: 10, Most: 10, Prior: 1}, grants, func(ccbp.Pass) {
		if pass++; pass == wanted {
			then = slices.Clone(grants)
		}
	})
	return then
}
