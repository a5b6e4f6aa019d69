package reproduce

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/workload/source"
)

// What is sampled adds up to what the run used.
func TestSamplesAddUpToTheRun(t *testing.T) {
	run := experiment.Spec{GPU: "ccbp16", Policy: "fixed:tbs=2/2", Apps: []string{"lbm?size=tiny", "cfd?size=tiny"}, Cycles: 8_000, Seed: 1}
	gpu, err := presets.Load(run.GPU)
	require.NoError(t, err)
	first := experiment.Run{Spec: experiment.Spec{Policy: run.Policy, Cycles: run.Cycles, Seed: 1}, GPU: gpu}
	for _, spec := range run.Apps {
		app, err := experiment.Open(spec, source.Options{})
		require.NoError(t, err)
		first.Apps = append(first.Apps, app)
	}
	result, err := first.Do(context.Background())
	require.NoError(t, err)
	sampled := Sampler(context.Background(), presets.Load)
	list, err := sampled(run, result)
	require.NoError(t, err)
	require.Len(t, list, 20)
	noc, _ := spread(list, func(s Sample) float64 { return s.NoC })
	dram, _ := spread(list, func(s Sample) float64 { return s.DRAM })
	assert.InEpsilon(t, nocUse(result, gpu, everybody)/sustainedNoC, noc, 0.01)
	assert.InEpsilon(t, result.DRAM.Utilization/sustainedDRAM, dram, 0.01)
	above := false
	for _, s := range list {
		above = above || s.Demand > s.NoC*1.01
	}
	assert.True(t, above, "some wait")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	run.Cycles = 5_000_000
	_, err = Sampler(ended, presets.Load)(run, result)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSpread(t *testing.T) {
	mean, deviation := spread([]Sample{{NoC: 1}, {NoC: 3}, {NoC: 1}, {NoC: 3}}, func(s Sample) float64 { return s.NoC })
	assert.Equal(t, []float64{2, 1}, []float64{mean, deviation})
	mean, deviation = spread(nil, func(s Sample) float64 { return s.NoC })
	assert.True(t, math.IsNaN(mean) && math.IsNaN(deviation))
}

// Bursts count in the second half only.
func TestBurstsAreCompared(t *testing.T) {
	story := func(r experiment.Spec) *experiment.Result {
		x := ccbpStory(func(r experiment.Spec, _ string) float64 {
			if r.Policy == "fixed:tbs=8/6" || len(r.Apps) == 1 {
				return 2
			}
			return 1
		})(r)
		// Of 640,000 reads at most (TestUseOfTheCrossbarIsThatOfReads).
		x.Stats = counts("l2", []string{"reads"}, []uint64{0}, []uint64{192_000})
		if x.DRAM.Utilization = 0.35; strings.HasPrefix(r.Policy, "ccbp") {
			x.DRAM.Utilization, x.Stats = 0.525, counts("l2", []string{"reads"}, []uint64{96_000}, []uint64{192_000})
		}
		return x
	}
	rowsOf := func(name string, sampled func(experiment.Spec, *experiment.Result) ([]Sample, error)) ([]Row, error) {
		e, err := Find(name)
		require.NoError(t, err)
		d := dataOf(e, Quick, story)
		d.Sampled = sampled
		return e.Rows(d)
	}
	sampled := func(r experiment.Spec, known *experiment.Result) ([]Sample, error) {
		require.NotNil(t, known)
		high := 1.2
		switch {
		case strings.HasPrefix(r.Policy, "ccbp"):
			high = 1
		case r.Policy == "fixed:tbs=7":
			require.Equal(t, []string{"fdtd2d?size=medium"}, r.Apps)
			high = 0.8
		}
		of := func(x float64) Sample { return Sample{NoC: x, DRAM: x, Demand: x} }
		return []Sample{of(9), of(9), of(0.8), of(high)}, nil
	}
	for name, want := range map[string]map[string]float64{
		"ccbp-fig3": {"mean NoC demand, 7/4": 100, "deviation of NoC demand, 7/2": 20, "intervals with NoC demand above 100 %, 7/4": 50, "NoC use of CFD, 7/2": 50},
		"ccbp-fig4": {"thread blocks of CFD, best HSpeedup": 8, "thread blocks of FTD, best HSpeedup": 6, "mean DRAM use, CFD+FTD, CTA_oracle": 100,
			"deviation of DRAM use, CFD+FTD, CTA_oracle": 20, "deviation of DRAM use, FTD's 7 thread blocks alone": 0, "mean DRAM use, FTD's 7 thread blocks alone": 80},
		"ccbp-fig12": {"mean NoC use, CTA_oracle": 50, "mean NoC use, CCBP over CTA_oracle": 50, "mean DRAM use, CCBP over CTA_oracle": 50,
			"deviation of NoC use, CTA_oracle": 20, "deviation of DRAM use, CCBP": 10},
	} {
		rows, err := rowsOf(name, sampled)
		require.NoError(t, err)
		for label, x := range want {
			assert.InDelta(t, x, ours(t, rows, label), 1e-9, label)
		}
		failure := errors.New("cut off")
		_, err = rowsOf(name, func(experiment.Spec, *experiment.Result) ([]Sample, error) { return nil, failure })
		assert.ErrorIs(t, err, failure)
		rows, err = rowsOf(name, nil)
		require.NoError(t, err)
		for _, r := range rows {
			assert.Equal(t, strings.HasPrefix(r.Label, "deviation") || strings.HasPrefix(r.Label, "intervals") || strings.HasPrefix(r.Label, "mean NoC demand") || name == "ccbp-fig4" && r.Unit == "%",
				r.Ours == nil, r.Label)
		}
	}
}
