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

func init() {
	register(&Experiment{
		Name:   "smk-fig8",
		About:  "partitions of two kernels on one SM, and the example of quotas",
		Source: "SMK, Figure 8 and the example of 5.4",
		GPU:    "smk16",
		rows: func(*Data) ([]Row, error) {
			tbs := make([]int, 2)
			drf.Partition(&figure8, figure8Kernels, []int{0, 1}, tbs, func(int, *occupancy.Usage) {})
			rows := []Row{
				row("thread blocks of K1", "", float64(tbs[0])).is(6, "text 5.3.2"),
				row("thread blocks of K2", "", float64(tbs[1])).is(12, "text 5.3.2"),
			}
			const epoch = 10_000 // cycles, as in 6.1
			quotas := make([]int, 2)
			smkpw.Quotas(epoch, []smkpw.Profile{{WIPC: 0.4, Isolated: 8, Shared: 2}, {WIPC: 0.5, Isolated: 8, Shared: 4}}, quotas)
			for i, paper := range []float64{0.1 / 0.35, 0.25 / 0.35} {
				name := []string{"K1", "K2"}[i]
				rows = append(rows, row("quota of "+name, "%", 100*float64(quotas[i])/epoch).is(100*paper, "text 5.4"))
			}
			return rows, nil
		},
	})
}
