package reproduce

import (
	"context"
	"fmt"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/workload/source"
)

// saveTimes is the column Save Time of the thesis's Table 5.2, in microseconds,
// and the kernels' launches in the order of the application.
var saveTimes = []struct {
	app, kernel  string
	microseconds float64
}{
	{"lbm", "StreamCollide", 16.20},
	{"histo", "final", 14.59}, {"histo", "prescan", 10.24}, {"histo", "intermediates", 8.96}, {"histo", "main", 5.76},
	{"tpacf", "genhists", 2.75},
	{"spmv", "spmvjds", 3.71},
	{"mri-q", "ComputeQ", 10.75}, {"mri-q", "ComputePhiMag", 6.14},
	{"sad", "largersadcalc8", 13.31}, {"sad", "largersadcalc16", 3.33}, {"sad", "mbsadcalc", 4.71},
	{"sgemm", "mysgemmNT", 16.13},
	{"stencil", "block2Dregtiling", 10.50},
	{"cutcp", "lattice6overlap", 3.27},
	{"mri-gridding", "binning", 4.10}, {"mri-gridding", "scaninter1", 5.36}, {"mri-gridding", "scanL1", 7.73},
	{"mri-gridding", "uniformAdd", 4.10}, {"mri-gridding", "reorder", 8.19}, {"mri-gridding", "splitSort", 8.52},
	{"mri-gridding", "griddingGPU", 10.08}, {"mri-gridding", "splitRearrange", 5.20}, {"mri-gridding", "scaninter2", 5.36},
}

func init() {
	register(&Experiment{
		Name:   "thesis-table5.2",
		About:  "time to save the context of one SM of the K20c, for each of 24 kernels",
		Source: "Tanasic's thesis, Table 5.2, column Save Time",
		GPU:    "k20c",
		Notes:  "Simulated: one SM of k20c, full of thread blocks with the kernel's demands (those of the statistical profiles), is switched out alone at its share of the bandwidth. The time is that in which its stores leave; draining before it does not count, as in the table.",
		rows:   table52,
	})
}

func table52(d *Data) (rows []Row, err error) {
	gpu, err := d.GPU(d.Scale.GPU)
	if err != nil {
		return nil, err
	}
	sm := gpu.SM.Capacity()
	for _, k := range saveTimes {
		app, err := source.Open("profile:"+k.app+"?arch=k20c", source.Options{})
		if err != nil {
			return nil, err
		}
		found := false
		for _, kernel := range app.Kernels() {
			if kernel.Name != k.kernel {
				continue
			}
			holds, _ := sm.Occupancy(dispatcher.DemandOf(kernel))
			cycles, tbs, err := saveTime(context.Background(), *gpu, kernel)
			if err != nil {
				return nil, err
			}
			if tbs != uint64(holds) {
				return nil, fmt.Errorf("%s: %d thread blocks were saved, an SM holds %d", kernel.Name, tbs, holds)
			}
			rows = append(rows, row(k.app+", "+k.kernel, "us", float64(cycles)/float64(gpu.Clocks.Core)).is(k.microseconds, "printed"))
			found = true
			break
		}
		if !found {
			return nil, fmt.Errorf("profile:%s has no kernel %s", k.app, k.kernel)
		}
	}
	return rows, nil
}
