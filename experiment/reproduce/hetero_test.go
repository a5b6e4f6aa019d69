package reproduce

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/presets"
)

// heteroStory makes up results: STP and ANTT of mixes, and IPCs of applications alone.
type heteroStory struct {
	mix   func(r experiment.Spec, names []string) (stp, antt float64)
	alone func(r experiment.Spec, name string) float64
}

func (h heteroStory) result(r experiment.Spec) *experiment.Result {
	names := called("heterocore-fig6", r)
	result := &experiment.Result{STP: 1, ANTT: 2}
	for range names {
		result.Kernels = append(result.Kernels, experiment.KernelResult{IPC: 100})
	}
	if len(names) == 1 && h.alone != nil {
		result.Kernels[0].IPC = h.alone(r, names[0])
	}
	if len(names) > 1 && h.mix != nil {
		stp, antt := h.mix(r, names)
		result.STP, result.ANTT = experiment.Figure(stp), experiment.Figure(antt)
	}
	return result
}

func heteroRows(t *testing.T, name string, s Scale, h heteroStory) ([]Row, *Data) {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	d := dataOf(e, s, h.result)
	rows, err := e.Rows(d)
	require.NoError(t, err)
	return rows, d
}

// twelve are IPCs alone. FDTD3D, NQU, STO and HISTO are thick, SC is faster on small SMs,
// and the rest are flat.
func twelve(r experiment.Spec, name string) float64 {
	big, small := 1.0, 1.0
	switch name {
	case "FDTD3D":
		big, small = 1.2, 0.6
	case "NQU":
		big, small = 1.3, 0.7
	case "SC":
		big, small = 0.9, 1.1
	case "SYRK":
		small = 0.97
	case "STO":
		small = 0.9
	case "HISTO":
		big, small = 1.5, 0.97
	}
	switch {
	case r.Policy == "fixed:sms=8":
		return 50
	case strings.HasSuffix(r.Policy, "8+0"), r.GPU == "fermi16-threehalves":
		return 100 * big / float64(1+index(len(r.Policy) > 5))
	case strings.HasSuffix(r.Policy, "0+8"), r.GPU == "fermi16-half":
		return 100 * small / float64(1+index(len(r.Policy) > 5))
	}
	return 100
}

func TestRunsOfTheHeteroCoreExperiments(t *testing.T) {
	for name, want := range map[string]struct{ quick, full int }{
		"heterocore-fig1": {18, 18}, "heterocore-fig2": {18, 18}, "heterocore-fig9": {48, 48}, "heterocore-area": {0, 0},
		"heterocore-energy": {2 * 22, 2 * 66},
		"heterocore-fig10":  {3 * (2 + 19 + 15 + 15), 36 * (2 + 19 + 15 + 15)}, "heterocore-four": {6 * 3, 50 * 3},
		// Without a difference of kinds only STP decides, for the second: one run.
		"heterocore-fig6": {48 + 22*3, 48 + 66*3}, "heterocore-fig7": {48 + 22*5, 48 + 66*5}, "heterocore-fig8": {48 + 22*5, 48 + 66*5},
	} {
		for _, s := range []Scale{Quick, Full} {
			e, err := Find(name)
			require.NoError(t, err)
			d := dataOf(e, s, heteroStory{alone: func(r experiment.Spec, _ string) float64 {
				return 100 / float64(1+index(r.Policy != "fcfs"))
			}}.result)
			count := want.full
			if s.Quick {
				count = want.quick
			}
			assert.Len(t, d.results, count, "%s %v", name, s.Quick)
			for _, r := range d.runs {
				assert.EqualValues(t, map[bool]int{true: 1_000_000, false: 10_000_000}[s.Quick], r.Cycles)
				_, err := policy.Parse(r.Policy)
				assert.NoError(t, err)
				base := ""
				if len(r.Apps) > 1 && r.GPU != "fermi16" {
					base = "fermi16"
				}
				assert.Equal(t, base, r.IsolatedGPU, "%s under %s", r.GPU, r.Policy)
				if strings.HasPrefix(r.Policy, "heterocore") {
					assert.Equal(t, hetero8b8s, r.GPU)
				}
				if strings.HasPrefix(r.Policy, "fixed:tbs") {
					assert.Equal(t, "fermi16?sm.scheduler=kernel-lrr", r.GPU)
				}
			}
		}
	}
}

func TestImprovementsAreOverEvenHalves(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-fig7", Quick, heteroStory{mix: func(r experiment.Spec, names []string) (float64, float64) {
		switch {
		case r.Policy == "fixed:sms=8/8" && r.GPU == "fermi16":
			return 1.25, 2
		case r.Policy == "heterocore" && title(names) == "FDTD3D+LAVAMD": // among 12 heterogeneous pairs
			return 2.5, 1
		case r.Policy == "heterocore" && title(names) == "FDTD3D+NQU": // none of the quick pairs
			return 0, 0
		case r.Policy == "heterocore" && names[0] == "LAVAMD": // among 10 homogeneous pairs
			return 1, 2.5
		}
		return 1.25, 2
	}})
	assert.InDelta(t, 100.0/12, ours(t, rows, "STP, heterogeneous, dynamic"), 1e-9)
	assert.InDelta(t, -20.0/10, ours(t, rows, "STP, homogeneous, dynamic"), 1e-9)
	assert.InDelta(t, -20.0/5, ours(t, rows, "STP, lean+lean, dynamic"), 1e-9)
	assert.InDelta(t, 80.0/22, ours(t, rows, "STP, ALL, dynamic"), 1e-9)
	assert.InDelta(t, 100, ours(t, rows, "STP, highest of ALL, dynamic"), 1e-9)
	assert.InDelta(t, -20, ours(t, rows, "STP, lowest of ALL, dynamic"), 1e-9)
	assert.InDelta(t, -80.0/22, ours(t, rows, "STP, ALL, balanced less dynamic"), 1e-9)
	assert.InDelta(t, -20, ours(t, rows, "STP, lowest of ALL, dynamic over balanced"), 1e-9)
	assert.InDelta(t, 100, ours(t, rows, "STP, FDTD3D+LAVAMD, dynamic"), 1e-9)
	assert.InDelta(t, 0, ours(t, rows, "STP, FDTD3D+LAVAMD, balanced"), 1e-9)
}

func TestANTTIsBetterWhereItIsLower(t *testing.T) {
	stp, antt := measures["STP"], measures["ANTT"]
	assert.InDelta(t, 25, gainOf(antt, 1.5, 2), 1e-9)
	assert.InDelta(t, -87.5, gainOf(antt, 3.75, 2), 1e-9)
	assert.InDelta(t, 25, gainOf(stp, 1.25, 1), 1e-9)
	assert.True(t, math.IsNaN(gainOf(antt, math.NaN(), 2)))
	for _, list := range [][]float64{nil, {1, math.NaN()}, {math.NaN(), 1}} {
		assert.True(t, math.IsNaN(extremes["highest"](list)) && math.IsNaN(extremes["lowest"](list)))
	}
	assert.Equal(t, []float64{3, 1}, []float64{extremes["highest"]([]float64{1, 3, 2}), extremes["lowest"]([]float64{3, 1, 2})})
}

// The numbers of the first stage are in the policies of the second.
func TestStaticPoliciesAreGivenWhatTheFirstRunsFound(t *testing.T) {
	_, data := heteroRows(t, "heterocore-fig6", Full, heteroStory{alone: twelve})
	d := evaluationOf(t, "heterocore-fig6", data)
	const sto, histo = "100+50+50+45", "100+50+75+48.5"
	const fdtd, sc, nqu, syrk, nn = "100+50+60+30", "100+50+45+55", "100+50+65+35", "100+50+50+48.5", "100+50+50+50"
	const even, bySTP = "heterocore-agnostic", "heterocore-static:goal=stp,ipcs="
	for _, c := range []struct {
		mix                        [2]string
		classes, stp, balanced     string
		classesMargin, equalMargin string
	}{
		{[2]string{"FDTD3D", "SC"}, bySTP + fdtd + "/" + sc, bySTP + fdtd + "/" + sc, bySTP + fdtd + "/" + sc, bySTP + fdtd + "/" + sc, bySTP + fdtd + "/" + sc},
		// Both thick: 0.6 + 0.35 is as 0.3 + 0.65, and the second gets the big ones.
		{[2]string{"FDTD3D", "NQU"}, even, bySTP + fdtd + "/" + nqu, even, even, even},
		// SYRK loses 3 % on small SMs: thick, and prefers big ones, unless there is a margin.
		{[2]string{"FDTD3D", "SYRK"}, even, bySTP + fdtd + "/" + syrk, even, bySTP + fdtd + "/" + syrk, bySTP + fdtd + "/" + syrk},
		// HISTO is lean but for 3 %, and has the most of big SMs.
		{[2]string{"STO", "HISTO"}, even, bySTP + sto + "/" + histo, even, "heterocore-static:goal=classification,margin=0.05,ipcs=" + sto + "/" + histo, even},
		{[2]string{"NN", "SC"}, even, bySTP + nn + "/" + sc, bySTP + nn + "/" + sc, even, bySTP + nn + "/" + sc},
	} {
		for i, name := range []string{"classification", "STP-optimised", "balanced", "classification, margin 0.05", "balanced, margin 0.05"} {
			want := [...]string{c.classes, c.stp, c.balanced, c.classesMargin, c.equalMargin}[i]
			w, m := wayIn(t, "heterocore-fig6", name), &mix{apps: c.mix[:]}
			assert.Equal(t, []string{want}, searches[w.Policies](d, w, m, ""), "%v %s", c.mix, name)
			r, run := d.outcome(w, m, "")
			assert.NotNil(t, r, "it was run")
			assert.Equal(t, want, run.Policy)
		}
	}
	unknown := evaluationOf(t, "heterocore-fig6", NewData(Full, presets.Load, nil, nil))
	assert.Nil(t, unknown.static(divisions[0], &mix{apps: []string{"NN", "SC"}}), "the first stage comes before")
	assert.Len(t, unknown.asked.runs, 8, "which is asked for")
}

// On a machine that is named, runs are on it and on 16 SMs of its base kind.
func TestHeteroCoreOnAnotherMachine(t *testing.T) {
	s := Quick
	s.GPU = "heterocore-8b8s?l2.hit_latency=100"
	e, err := Find("heterocore-fig10")
	require.NoError(t, err)
	d := dataOf(e, s, heteroStory{}.result)
	assert.Len(t, d.results, 3*(2+19))
	for _, r := range d.runs {
		if r.GPU != s.GPU {
			assert.Equal(t, s.GPU+"&sms=16", r.GPU)
		}
	}
	_, err = e.Rows(d)
	require.NoError(t, err)
	gpu, err := presets.Load(s.GPU + "&sms=16")
	require.NoError(t, err)
	fermi, err := presets.Load("fermi16")
	require.NoError(t, err)
	assert.Equal(t, fermi.SMList(), gpu.SMList())
	s.GPU = "plain16"
	for _, name := range []string{"heterocore-fig6", "heterocore-fig7", "heterocore-fig9", "heterocore-fig10", "heterocore-energy"} {
		e, err := Find(name)
		require.NoError(t, err)
		_, err = e.Rows(dataOf(e, s, heteroStory{}.result))
		assert.ErrorContains(t, err, "GPU plain16 does not have big and small SMs", name)
	}
	for _, machine := range []string{"half", "three halves"} {
		_, err := presets.Load(figureOf(t, "heterocore-fig1").gpuOf(s, machine))
		assert.NoError(t, err, machine)
	}
}
