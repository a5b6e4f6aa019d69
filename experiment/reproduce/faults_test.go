package reproduce

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// kernelOf is the application of a run, and its kernel that is measured.
func kernelOf(t *testing.T, r experiment.Spec) *application {
	t.Helper()
	app, _, _ := strings.Cut(r.Apps[0], "?")
	a, valid := figureOf(t, "thesis-fig6.11").application(app)
	require.NotNil(t, a, valid)
	return a
}

// faultRows are an experiment's rows of made-up speeds: results have two launches of the
// main kernel, the second larger, and a launch of another kernel.
func faultRows(t *testing.T, name string, speed func(k *application, r experiment.Spec) float64) ([]Row, *Data) {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	d := dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		k := kernelOf(t, r)
		x := speed(k, r)
		return &experiment.Result{
			Stats: map[string]stats.Group{"fill": {Total: stats.Counts{{Name: "regions", Value: 7}}}},
			Kernels: []experiment.KernelResult{{Launches: []experiment.LaunchResult{
				{Kernel: "other", TBs: 9, EndCycle: 100, IPC: 3},
				{Kernel: k.Kernel, TBs: 4, StartCycle: 100, EndCycle: 200, IPC: 5},
				{Kernel: k.Kernel, TBs: 5, StartCycle: 300, EndCycle: 300 + uint64(800/x), IPC: 10 * x},
			}}},
		}
	})
	rows, err := e.Rows(d)
	require.NoError(t, err)
	return rows, d
}

func TestRunsOfThePageFaultExperiments(t *testing.T) {
	inputs := sweep.NewInputs(presets.Load)
	for name, want := range map[string]struct {
		runs  int
		pages wiring.PageMode
	}{
		"thesis-fig6.1": {4 * 11, ""}, "thesis-fig6.2": {1, wiring.PagesDemand}, "thesis-fig6.11": {4 * 11, ""}, "thesis-fig6.12": {4 * 11, ""},
		"thesis-fig6.13": {2 * 3 * 11, wiring.PagesDemand}, "thesis-fig6.14": {2 * 2 * 3, wiring.PagesLazyHeap}, "thesis-fig6.15": {2 * 2 * 11, wiring.PagesLazyOutput},
	} {
		e, err := Find(name)
		require.NoError(t, err)
		for _, s := range []Scale{Quick, Full} {
			runs, seen := e.Runs(s), map[string]bool{}
			assert.Len(t, runs, want.runs, name)
			for _, r := range runs {
				assert.Equal(t, want.pages, r.Pages, name)
				assert.False(t, seen[keyOf(r)], "%s twice", r)
				seen[keyOf(r)] = true
				assert.Equal(t, s.Quick && r.Pages == "" && strings.HasPrefix(r.Apps[0], "cutcp"), r.Cycles > 0, "%s", r)
			}
			plan := sweep.NewPlan(inputs, "p")
			for _, r := range runs {
				require.NoError(t, plan.Add(r), "%s", r)
			}
		}
	}
}

// Faults under the baseline have the machine of the preset behind PCIe.
func TestPCIeIsThatOfThePreset(t *testing.T) {
	preset, err := presets.Load("pagefault16-pcie")
	require.NoError(t, err)
	ours, err := presets.Load(with("pagefault16", wayIn(t, "thesis-fig6.13", "PCIe").Options))
	require.NoError(t, err)
	assert.Equal(t, preset.Pager, ours.Pager)
}

func TestPerformanceIsThatOfTheLargestLaunchOfTheMainKernel(t *testing.T) {
	rows, _ := faultRows(t, "thesis-fig6.11", func(k *application, r experiment.Spec) float64 {
		switch {
		case strings.HasSuffix(r.GPU, "sm.faults.scheme=wd-commit"):
			return 0.5
		case strings.HasSuffix(r.GPU, "sm.faults.scheme=replay-queue") && k.Name == "lbm":
			return math.Pow(0.5, 11)
		}
		return 1
	})
	assert.InDelta(t, 0.5, ours(t, rows, "bfs, WD-commit"), 1e-9)
	assert.InDelta(t, 0.5, ours(t, rows, "geometric mean, WD-commit"), 1e-9)
	assert.InDelta(t, 1, ours(t, rows, "geometric mean, WD-lastcheck"), 1e-9)
	assert.InDelta(t, 0.5, ours(t, rows, "geometric mean, replay queue"), 1e-9)
	r := find(t, rows, "lbm, replay queue")
	assert.Equal(t, 0.59, *r.Paper)
	assert.InDelta(t, math.Pow(0.5, 11), *r.Ours, 1e-9)
}

func TestLogsAreOfTheirSizes(t *testing.T) {
	rows, d := faultRows(t, "thesis-fig6.12", func(_ *application, r experiment.Spec) float64 {
		config, err := presets.Load(r.GPU)
		require.NoError(t, err)
		if config.SM.Faults.Scheme == "stall" {
			return 1
		}
		return float64(config.SM.Faults.LogBytes) / 32768
	})
	assert.InDelta(t, 0.25, ours(t, rows, "spmv, operand log, 8 KB"), 1e-9)
	assert.InDelta(t, 0.5, ours(t, rows, "geometric mean, operand log, 16 KB"), 1e-9)
	assert.InDelta(t, 1, ours(t, rows, "lbm, operand log, 32 KB"), 1e-9)
	assert.Len(t, d.runs, 44)
}

func TestOrdersOfFigure61AreThree(t *testing.T) {
	rows, _ := faultRows(t, "thesis-fig6.1", func(_ *application, r experiment.Spec) float64 {
		config, err := presets.Load(r.GPU)
		require.NoError(t, err)
		return map[string]float64{"out-of-order": 1, "in-order": 0.5, "in-order-commit": 0.25, "in-order-both": 0.125}[config.SM.Queue.Order]
	})
	assert.InDelta(t, 0.5, ours(t, rows, "geometric mean, in-order issue"), 1e-9)
	assert.InDelta(t, 0.25, ours(t, rows, "sad, in-order commit"), 1e-9)
	assert.InDelta(t, 0.125, ours(t, rows, "geometric mean, in-order issue and commit"), 1e-9)
}

// Times of use cases are of all launches: 1000 cycles of stalling, of which 800 are the
// largest launch's.
func TestGainsAreOfAllLaunches(t *testing.T) {
	rows, _ := faultRows(t, "thesis-fig6.13", func(k *application, r experiment.Spec) float64 {
		config, err := presets.Load(r.GPU)
		require.NoError(t, err)
		switch b := config.Driver.BlockSwitching; {
		case b.Extra == 0:
			assert.Equal(t, "stall", config.SM.Faults.Scheme)
			return 1
		case b.Ideal:
			return 2
		case config.Pager.Link == "pcie":
			return 0.5
		}
		assert.Equal(t, 16384, config.SM.Faults.LogBytes)
		return 8.0 / 3
	})
	assert.InDelta(t, 100, ours(t, rows, "sgemm, NVLink, switching"), 1e-9)
	assert.InDelta(t, 100.0/1.8-100, ours(t, rows, "geometric mean, PCIe, switching"), 1e-9)
	assert.InDelta(t, 100.0/0.6-100, ours(t, rows, "lbm, PCIe, ideal switching"), 1e-9)
	assert.InDelta(t, 7, ours(t, rows, "faults, lbm"), 1e-9)
}

func TestHandlersAreComparedOnTheSameLink(t *testing.T) {
	for name, apps := range map[string][]string{"thesis-fig6.14": {"add-strings", "random-graph", "grid-points"}, "thesis-fig6.15": {"lbm", "histo"}} {
		rows, _ := faultRows(t, name, func(k *application, r experiment.Spec) float64 {
			config, err := presets.Load(r.GPU)
			require.NoError(t, err)
			if config.MMU.Fill.Local {
				assert.Equal(t, 20_000, config.SM.Faults.HandlerCycles)
				return 8.0 / 3
			}
			if config.Pager.Link == "pcie" {
				return 0.5
			}
			return 1
		})
		nvlink, pcie := 2.0, 3.6
		if name == "thesis-fig6.14" { // of the kernel alone
			nvlink, pcie = 8.0/3, 16.0/3
		}
		for _, app := range apps {
			assert.InDelta(t, nvlink, ours(t, rows, app+", NVLink, handled on the SMs"), 1e-9)
			assert.InDelta(t, pcie, ours(t, rows, app+", PCIe, handled on the SMs"), 1e-9)
		}
		assert.InDelta(t, pcie, ours(t, rows, "geometric mean, PCIe, handled on the SMs"), 1e-9)
	}
}

func TestALaunchThatHasNotEndedHasNoTime(t *testing.T) {
	assert.True(t, math.IsNaN(launched(&experiment.Result{})))
	r := &experiment.Result{Kernels: []experiment.KernelResult{{Launches: []experiment.LaunchResult{{EndCycle: 5}, {StartCycle: 5}}}}}
	assert.True(t, math.IsNaN(launched(r)))
	r.Kernels[0].Launches[1].EndCycle = 9
	assert.EqualValues(t, 9, launched(r))
	assert.True(t, math.IsNaN(mainLaunch(r, "BFS_kernel").IPC))
	assert.True(t, math.IsNaN(geometricMean(nil)) && math.IsNaN(geometricMean([]float64{1, math.NaN()})))
}

func TestASpikeComesAfterCalm(t *testing.T) {
	var list []Sample
	for _, n := range []int{1, 8, 5, 8, 3, 8, 2, 4, 3, 4, 0} {
		list = append(list, Sample{Faults: n})
	}
	peak, spikes := faultSpikes(list)
	assert.EqualValues(t, 8, peak)
	assert.EqualValues(t, 2, spikes)
	peak, spikes = faultSpikes(nil)
	assert.Zero(t, peak+spikes)
}

// Samples of a run with demand paging see its faults and who waits for them.
func TestSamplesSeeFaults(t *testing.T) {
	e, err := Find("thesis-fig6.2")
	require.NoError(t, err)
	run := e.Runs(Quick)[0]
	run.Apps = []string{"bfs?size=tiny&lower=-registers"}
	gpu, err := presets.Load(run.GPU)
	require.NoError(t, err)
	assert.Equal(t, 12, gpu.SMs.Count())
	app, err := experiment.Open(run.Apps[0], source.Options{Seed: 1})
	require.NoError(t, err)
	first := experiment.Run{Spec: experiment.Spec{Policy: run.Policy, Parameters: experiment.Parameters{Pages: run.Pages}, Seed: 1}, GPU: gpu, Apps: []experiment.App{app}}
	result, err := first.Do(context.Background())
	require.NoError(t, err)
	list, err := Sampler(context.Background(), presets.Load)(run, result)
	require.NoError(t, err)
	assert.EqualValues(t, result.Cycles/sampleCycles, len(list))
	most, waiting := 0, 0
	for _, s := range list {
		most, waiting = max(most, s.Faults), max(waiting, s.Faulted)
		assert.LessOrEqual(t, s.Faulted, s.Warps)
	}
	pending, ok := result.Stats["fill"].Total.Get("pending_maximum")
	assert.True(t, ok)
	assert.Positive(t, most)
	assert.LessOrEqual(t, most, int(pending))
	assert.Positive(t, waiting)
}
