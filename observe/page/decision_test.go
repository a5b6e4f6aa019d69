package page

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/observe/browsertest"
	"cotenant/observe/look"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decision holds a pair that CCBP has fully detected, and a pair that it has just met.
func decision() *policy.Decision {
	n := func(v float64) *float64 { return &v }
	return &policy.Decision{Sustained: &policy.Sustained{Replies: 24, Accesses: 18.17, Units: 20}, Sets: []policy.DecidedSet{
		{Present: true, Phase: "settled", Prior: n(0.8), Kernels: []policy.DecidedKernel{
			{Tenant: 0, Threads: 256, MostCTAs: 8, CTAs: 7, First: true, Traffic: &policy.Traffic{Type: "LS", RF: n(0.9336), DF: n(0.0721), EvenRate: n(12.85),
				Demand: n(8.625), NBW: []float64{0, 1, 2}, DBW: []float64{0, 0.1, 0.2}, NoC: 2.5, DRAM: 0.25}},
			{Tenant: 1, Threads: 64, MostCTAs: 32, CTAs: 4, Rate: n(14.4), Traffic: &policy.Traffic{Type: "NBI", Demand: n(46.77), NBW: []float64{0, 5, 10, 15, 15}, DBW: []float64{0, 0, 0, 0, 0}}},
		}},
		{Phase: "warm-up", Kernels: []policy.DecidedKernel{{Tenant: 0, Threads: 512, MostCTAs: 4, CTAs: 2, Traffic: &policy.Traffic{Type: "unknown"}}}},
	}}
}

func TestPageShowsWhatThePolicyDecided(t *testing.T) {
	r := report(t, 2)
	r.Result.Decision = decision()
	text := written(t, r)
	assert.Contains(t, text, "in which 24 replies with data and 18.17 accesses of the DRAM are sustained: 20 units each.")
	assert.NotContains(t, text, "rehearsal")
	assert.Contains(t, text, "<p>Set 1, settled, priorLSK 0.8: the last that ran</p>")
	assert.Contains(t, text, `<td>256</td><td class="text">LS</td><td>0.9336</td><td>0.0721</td><td>12.85</td><td>8.625</td><td>7</td><td>8</td><td>2.5</td><td>0.25</td><td>–</td><td>yes</td></tr>`)
	assert.Contains(t, text, `<td class="text">NBI</td><td>–</td><td>–</td><td>–</td><td>46.77</td><td>4</td><td>32</td><td>0</td><td>0</td><td>14.4</td><td>no</td></tr>`)
	assert.Contains(t, text, "<p>Set 2, warm-up</p>")
	charts := options(t, text)
	require.Len(t, charts, 9, "no chart of what is not known")
	curves := charts["curves-1"]
	require.Len(t, curves.Option.Series, 4)
	assert.Equal(t, hostile+", DRAM", curves.Option.Series[3].Name)
	assert.Equal(t, []float64{0, 5, 10, 15, 15}, points(t, curves, 2))
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, curves.Option.XAxis[0].Data)

	r.Result.Decision.Rehearsal = &policy.Rehearsal{Cycles: 1234567, Settled: true}
	assert.Contains(t, written(t, r), "It was found out in a rehearsal of 1,234,567 cycles.")
	r.Result.Decision.Rehearsal.Settled = false
	assert.Contains(t, written(t, r), "1,234,567 cycles found out was used, which was cut off.")
}

func TestPageShowsHowKernelsScale(t *testing.T) {
	r := report(t, 1)
	r.Result.Decision = &policy.Decision{Sets: []policy.DecidedSet{{Phase: "shared", Kernels: []policy.DecidedKernel{
		{Tenant: 0, Threads: 64, MostCTAs: 2, CTAs: 1, Scaling: &policy.Scaling{Performance: []float64{0, 0.5, 1}, Predicted: 0.5}}}}}}
	text := written(t, r)
	assert.Contains(t, text, "<td>64</td><td>1</td><td>2</td><td>0.5</td></tr>")
	assert.NotContains(t, text, "goes first")
	assert.Equal(t, []float64{0, 0.5, 1}, points(t, options(t, text)["curves-1"], 0))
}

func TestPageShowsWhatKernelsAchieveOnKindsOfSM(t *testing.T) {
	r := report(t, 1)
	n := func(v float64) *float64 { return &v }
	r.Result.Decision = &policy.Decision{Sets: []policy.DecidedSet{{Phase: "by kind", Kernels: []policy.DecidedKernel{
		{Tenant: 0, Threads: 64, OnKinds: &policy.OnKinds{IPCBig: n(41.25), IPCBase: n(30.96), SMsBig: 8}}}}}}
	text := written(t, r)
	assert.Contains(t, text, "<td>64</td><td>41.25</td><td>–</td><td>30.96</td><td>8</td><td>0</td></tr>")
	assert.NotContains(t, text, "CTAs on an SM</th>")
}

func TestPageOfAPolicyThatExplainsNothingSaysNothing(t *testing.T) {
	assert.NotContains(t, written(t, report(t, 2)), "decided")
}

func TestBrowserDrawsCurves(t *testing.T) {
	r := report(t, 2)
	r.Result.Decision = decision()
	p := browsertest.Render(t, written(t, r), 1280, "")
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 1280)
	for k := range 2 {
		assert.Greater(t, p.Charts["curves-1"].Colours[look.Colour(k)], 300)
	}
}
