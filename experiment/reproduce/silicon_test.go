package reproduce

import (
	"encoding/csv"
	"os"
	"testing"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// kernelRows gives a figure of CUDA programs one result with launches for every run.
func kernelRows(t *testing.T, launches ...experiment.LaunchResult) map[string]Row {
	t.Helper()
	e, err := Find("silicon-gv100")
	require.NoError(t, err)
	s := Full
	s.Programs = "folder"
	runs := e.Runs(s)
	results := make([]*experiment.Result, len(runs))
	for i := range results {
		require.Contains(t, runs[i].Apps[0], "cuda:folder/")
		require.Equal(t, "gv100?l2.cold_launches=true", runs[i].GPU)
		results[i] = &experiment.Result{Kernels: []experiment.KernelResult{{Launches: launches}}}
	}
	list, err := e.Rows(NewData(s, presets.Load, runs, results))
	require.NoError(t, err)
	rows := map[string]Row{}
	for _, r := range list {
		rows[r.Label] = r
	}
	return rows
}

// A row is the mean over the kernel's launches that have ended.
func TestSiliconTakesTheMeanOfAKernelsLaunches(t *testing.T) {
	rows := kernelRows(t,
		experiment.LaunchResult{Kernel: "findK", StartCycle: 100, EndCycle: 1100, IdleCycles: 320 * 100, SharedAccesses: 6,
			Sectors: experiment.SectorResult{L1Read: 10, L1Fetched: 4, L2Read: 4, L2Fetched: 3, L2Written: 7, DRAMRead: 3, DRAMWritten: 2}},
		experiment.LaunchResult{Kernel: "findRangeK", StartCycle: 1100, EndCycle: 1101},
		experiment.LaunchResult{Kernel: "findK", StartCycle: 2000, EndCycle: 5000, IdleCycles: 320 * 100},
		experiment.LaunchResult{Kernel: "findK", StartCycle: 6000})
	ours := func(metric string) float64 { return *rows["b+tree, findK, "+metric].Ours }
	require.InDelta(t, 2000+1882.0, ours("elapsed cycles"), 0.1)
	require.InDelta(t, 80*((100+1882.0)/(1000+1882.0)+(100+1882.0)/(3000+1882.0))/2, ours("idle SMs"), 0.1)
	require.Equal(t, []float64{3, 2, 3, 0.5, 1.5, 3.5, 1.5, 1}, []float64{ours("L1 read hits"), ours("L1 read misses"), ours("shared accesses"), ours("L2 read hits"),
		ours("L2 read misses"), ours("L2 write hits"), ours("DRAM reads"), ours("DRAM writes")})
	require.Nil(t, rows["hotspot, calculate_temp, elapsed cycles"].Ours)
	first, second := 1-3882.0/80883, 1-1883.0/66543
	require.InDelta(t, 50*(first+second), *rows["mean absolute error of cycles, 2 kernels"].Ours, 0.01)
	require.InDelta(t, 100*second, *rows["largest error of cycles"].Ours, 0.01)
}

// The power of a launch is that of its events in its time when it repeats. The mean error leaves out the
// kernels on which the energies are fitted.
func TestSiliconHasThePowerOfLaunches(t *testing.T) {
	launch := experiment.LaunchResult{StartCycle: 100, EndCycle: 100100, ThreadInstructions: 1e9, SharedAccesses: 1e6, SharedConflicts: 2e6,
		L1: experiment.CacheResult{Accesses: 1e5, Writes: 2e5, Atomics: 3e5}, DRAM: experiment.DRAMShare{RowMisses: 1000, RowConflicts: 2000},
		Sectors: experiment.SectorResult{L1Read: 1e5, L2Read: 1e5, L2Written: 2e5, DRAMRead: 3e5, DRAMWritten: 4e5}}
	first, second := launch, launch
	first.Kernel, second.Kernel = "findRangeK", "findK" // fitted, and not
	rows := kernelRows(t, first, second)
	c := metrics.GV100
	seconds := 100_000/1417e6 + 993e-9
	joules := 1e9*c.Instruction + 3e6*c.SharedPass + (1e5+2e5+4*3e5)*c.L1Sector + 3e5*(32*c.L2Byte+c.Flit) + 3000*c.Activate + 7e5*32*c.DRAMByte
	watts := joules/seconds + c.Static
	require.InDelta(t, watts, *rows["b+tree, findK, mean power"].Ours, 1e-6)
	require.InDelta(t, watts, *rows["b+tree, findRangeK, mean power"].Ours, 1e-6)
	require.InDelta(t, 100*(watts/156.9762-1), *rows["largest error of power that was not fitted"].Ours, 1e-6)
	require.Contains(t, rows, "mean absolute error of power that was not fitted, 1 kernels")
	// The energies are fitted on the same kernels as in the test of metrics.
	file, err := os.Open("../../metrics/testdata/gv100.csv")
	require.NoError(t, err)
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var fitted []string
	for _, row := range table[1:] {
		require.Contains(t, rows, row[0]+", mean power")
		if row[1] == "yes" {
			fitted = append(fitted, row[0])
		}
	}
	require.ElementsMatch(t, powerFitted, fitted)
}

func TestSiliconWithoutALaunchHasNoError(t *testing.T) {
	rows := kernelRows(t)
	require.Nil(t, rows["mean absolute error of cycles, 0 kernels"].Ours)
	require.Nil(t, rows["largest error of cycles"].Ours)
}
