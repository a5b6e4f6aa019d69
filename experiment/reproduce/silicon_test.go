package reproduce

import (
	"testing"

	"cotenant/experiment"
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

// A row is the mean over the kernel's launches that have ended; 993 ns are 1407.1 cycles of
// 1417 MHz.
func TestSiliconTakesTheMeanOfAKernelsLaunches(t *testing.T) {
	rows := kernelRows(t,
		experiment.LaunchResult{Kernel: "findK", StartCycle: 100, EndCycle: 1100, IdleCycles: 320 * 100, SharedAccesses: 6,
			Sectors: experiment.SectorResult{L1Read: 10, L1Fetched: 4, L2Read: 4, L2Fetched: 3, L2Written: 7, DRAMRead: 3, DRAMWritten: 2}},
		experiment.LaunchResult{Kernel: "findRangeK", StartCycle: 1100, EndCycle: 1101},
		experiment.LaunchResult{Kernel: "findK", StartCycle: 2000, EndCycle: 5000, IdleCycles: 320 * 100},
		experiment.LaunchResult{Kernel: "findK", StartCycle: 6000})
	ours := func(metric string) float64 { return *rows["b+tree, findK, "+metric].Ours }
	require.InDelta(t, 2000+1407.1, ours("elapsed cycles"), 0.1)
	require.InDelta(t, 80*((100+1407.1)/(1000+1407.1)+(100+1407.1)/(3000+1407.1))/2, ours("idle SMs"), 0.1)
	require.Equal(t, []float64{3, 2, 3, 0.5, 1.5, 3.5, 1.5, 1}, []float64{ours("L1 read hits"), ours("L1 read misses"), ours("shared accesses"), ours("L2 read hits"),
		ours("L2 read misses"), ours("L2 write hits"), ours("DRAM reads"), ours("DRAM writes")})
	require.Nil(t, rows["hotspot, calculate_temp, elapsed cycles"].Ours)
	first, second := 1-3407.1/80883, 1-1408.1/66543
	require.InDelta(t, 50*(first+second), *rows["mean absolute error of cycles, 2 kernels"].Ours, 0.01)
	require.InDelta(t, 100*second, *rows["largest of them"].Ours, 0.01)
}

func TestSiliconWithoutALaunchHasNoError(t *testing.T) {
	rows := kernelRows(t)
	require.Nil(t, rows["mean absolute error of cycles, 0 kernels"].Ours)
	require.Nil(t, rows["largest of them"].Ours)
}
