package reproduce

import (
	"fmt"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/ccbp"
)

// table3Printed are the passes of Table 3: CTAs, units of the crossbar and of the DRAM,
// of K1, K2 and K3. Fractions are cut off, not rounded.
var table3Printed = []struct {
	pass            int
	ctas, noc, dram [3]float64
}{
	{1, [3]float64{1, 0, 0}, [3]float64{0.5, 0, 0}, [3]float64{0.5, 0, 0}},
	{2, [3]float64{1, 1, 0}, [3]float64{0.5, 0.5, 0}, [3]float64{0.5, 1, 0}},
	{3, [3]float64{1, 1, 1}, [3]float64{0.5, 0.5, 1}, [3]float64{0.5, 1, 0.33}},
	{6, [3]float64{2, 1, 1}, [3]float64{1, 1, 2}, [3]float64{1, 2, 0.66}},
	{11, [3]float64{4, 1, 1}, [3]float64{2, 2, 3}, [3]float64{2, 4, 1}},
	{12, [3]float64{4, 1, 2}, [3]float64{2, 2, 4}, [3]float64{2, 4, 1.33}},
	{16, [3]float64{6, 2, 2}, [3]float64{2.5, 2.5, 5}, [3]float64{2.5, 5, 1.66}},
}

func init() {
	register(&Experiment{
		Name:   "ccbp-table3",
		About:  "the example of Algorithm 1: thread blocks and bandwidths after each printed iteration",
		Source: "CCBP, Table 3",
		GPU:    "ccbp16",
		Notes:  "Algorithm 1 by itself: ten units of each resource, of which a thread block of any kernel takes one. The paper cuts fractions off: 0.66 is 2/3.",
		rows:   func(*Data) ([]Row, error) { return table3() },
	})
}

// table3 runs Algorithm 1 on the example.
func table3() (rows []Row, err error) {
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
	ccbp.Allocate(&ten, kernels, 10, 10, 1, grants, func(ccbp.Pass) {
		pass++
		for _, p := range table3Printed {
			if p.pass != pass {
				continue
			}
			for k, g := range grants {
				label := fmt.Sprintf("iteration %d, K%d, ", pass, k+1)
				rows = append(rows, row(label+"CTAs", "", float64(g.CTAs)).is(p.ctas[k], "printed"),
					row(label+"NoC units", "", g.NoC).is(p.noc[k], "printed"),
					row(label+"DRAM units", "", g.DRAM).is(p.dram[k], "printed"))
			}
		}
	})
	return rows, nil
}
