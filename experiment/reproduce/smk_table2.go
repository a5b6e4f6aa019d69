package reproduce

import (
	"fmt"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment/sweep"
	"cotenant/workload/source"
)

// occupancies is Table 2 of the SMK paper, in percent of an SM.
var occupancies = []struct {
	kernel, app                        string
	registers, shared, threads, stalls float64
}{
	{"lattice6overlap", "cutcp", 87.5, 67.1, 100, 54.5},
	{"StreamCollide", "lbm", 92.3, 0, 52.7, 89.9},
	{"mysgemmNT", "sgemm", 94.5, 5.7, 68.8, 52.5},
	{"spmvjds", "spmv", 46.9, 0, 93.8, 91.2},
	{"block2Dregtiling", "stencil", 75.0, 0, 100, 91.2},
	{"genhists", "tpacf", 76.6, 94.8, 87.5, 60.2},
}

func init() {
	register(&Experiment{
		Name:   "smk-table2",
		About:  "occupancy and stall cycles of six kernels alone on the GTX 980",
		Source: "SMK, Table 2",
		GPU:    "smk16",
		Notes:  "Occupancies are computed from the demands of the real kernels. The paper rounds its percentages to a tenth. Stall cycles are the share of scheduler-cycles in which nothing issued.",
		runs: func(s Scale) []sweep.Run {
			var mixes [][]string
			for _, k := range occupancies {
				mixes = append(mixes, []string{k.app})
			}
			return smkRuns(s, mixes, fcfs)
		},
		rows: table2,
	})
}

func table2(d *Data) (rows []Row, err error) {
	gpu, err := d.GPU(d.Scale.GPU)
	if err != nil {
		return nil, err
	}
	sm := gpu.SM.Capacity()
	for _, k := range occupancies {
		mix := sized(d.Scale, []string{k.app})
		app, err := source.Open(mix[0], source.Options{})
		if err != nil {
			return nil, err
		}
		kernel := app.Kernels()[0]
		if kernel.Name != k.kernel {
			return nil, fmt.Errorf("%s starts with kernel %s, not with %s", k.app, kernel.Name, k.kernel)
		}
		demand := dispatcher.DemandOf(kernel)
		tbs, _ := sm.Occupancy(demand)
		taken := demand.Times(tbs)
		percent := func(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
		result := d.of(fcfs.spec, mix)
		total := 0.0
		for _, n := range result.Stalls {
			total += float64(n)
		}
		rows = append(rows,
			row(k.kernel+", registers", "%", percent(taken.Registers, sm.Registers)).is(k.registers, "printed"),
			row(k.kernel+", shared memory", "%", percent(taken.SharedBytes, sm.SharedOptions[0])).is(k.shared, "printed"),
			row(k.kernel+", threads", "%", percent(taken.Threads, sm.Threads)).is(k.threads, "printed"),
			row(k.kernel+", stall cycles", "%", 100-100*float64(result.Stalls["issued"])/total).is(k.stalls, "printed"))
	}
	return rows, nil
}
