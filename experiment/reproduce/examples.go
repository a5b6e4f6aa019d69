package reproduce

import (
	"cotenant/components/occupancy"
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
