package reproduce

import "cotenant/experiment/sweep"

func init() {
	// On ccbp16 these make a load that hits the L2 take 400 cycles and one from the DRAM
	// 760, twice the 200 and 380 of Table 1 (docs/workloads.md).
	doubled := func(s Scale) string { return with(with(greedy(s), "l2.hit_latency=231"), "l2.dram_latency=196") }
	names := ccbpNames(latencySensitive)
	register(&Experiment{
		Name:   "ccbp-latency",
		About:  "latency-sensitive kernels alone with the latencies of L2 and DRAM doubled: how much longer they take",
		Source: "CCBP, text 3.2",
		GPU:    "ccbp16",
		Notes:  "Kernels alone with greedy-then-oldest scheduling: IPC over that with doubled latencies. Windows are 2M cycles, 300,000 with --quick. The paper says that these kernels take more than 1.7 times as long.",
		runs: func(s Scale) []sweep.Run {
			return append(aloneOn(s, greedy, names), aloneOn(s, doubled, names)...)
		},
		rows: func(d *Data) (rows []Row, err error) {
			for _, name := range names {
				mix := []string{name}
				rows = append(rows, figureRow(name+", slowdown", "", d.corun(greedy(d.Scale), fcfs.spec, mix).Kernels[0].IPC/
					d.corun(doubled(d.Scale), fcfs.spec, mix).Kernels[0].IPC).is(1.7, "text 3.2: more than"))
			}
			return rows, nil
		},
	})
}
