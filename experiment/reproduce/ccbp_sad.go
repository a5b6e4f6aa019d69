package reproduce

import "cotenant/experiment/sweep"

// Loads on the idle GPU, from their issue to their data, in core cycles (CCBP Table 1).
const (
	idleL2   = 200
	idleDRAM = 380
)

func init() {
	sad := []string{"SAD"}
	policies := []named{{"all thread blocks", fcfs.spec}, {"one thread block", "fixed:tbs=1"}}
	register(&Experiment{
		Name:   "ccbp-sad",
		About:  "SAD alone with one thread block on each SM, and with all: use of the DRAM and read latency over idle",
		Source: "CCBP, text 3.2 and 4.3",
		GPU:    "ccbp16",
		Notes:  "Greedy-then-oldest scheduling; windows are 2M cycles, 300,000 with --quick. Use of the DRAM is of the sustained bandwidth: the paper does not say of what, but its 89 % with one thread block is above the 64 % of the peak that SAD takes with all. Latency is the mean of all reads that leave the SM, over that of an idle GPU for the same share of L2 misses: 380 core cycles for a miss, 200 for a hit (Table 1). The paper's 6.8 is of the DRAM access alone. The run has rate controllers, which limit nobody, since they count latencies.",
		runs: func(s Scale) (runs []sweep.Run) {
			for _, p := range policies {
				runs = append(runs, ccbpRun(s, greedyTimed(s), p.spec, sad))
			}
			return runs
		},
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range policies {
				r := d.corun(greedyTimed(d.Scale), p.spec, sad)
				missed := 1 - float64(r.Kernels[0].L2.HitRate)
				rows = append(rows, figureRow("DRAM use, "+p.name, "%", 100*r.DRAM.Utilization/sustainedDRAM),
					figureRow("read latency over idle, "+p.name, "", readLatency(r, 0)/(missed*idleDRAM+(1-missed)*idleL2)))
			}
			return oldPublished{
				"DRAM use, all thread blocks":               {64 / sustainedDRAM, "Table 2: 64 % of the peak"},
				"read latency over idle, all thread blocks": {6.8, "text 3.2"},
				"DRAM use, one thread block":                {89, "text 4.3"},
				"read latency over idle, one thread block":  {2.3, "text 4.3"},
			}.add(rows), nil
		},
	})
}
