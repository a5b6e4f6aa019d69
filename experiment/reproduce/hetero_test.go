package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/platform/presets"
	"cotenant/workload/source"
)

func TestPairsOfHeteroCoreAreThe66OfThePaper(t *testing.T) {
	assert.Equal(t, []int{36, 30, 66, 15, 15}, sizes(heteroGroups(Full)))
	assert.Equal(t, []int{12, 10, 22, 5, 5}, sizes(heteroGroups(Quick)))
	assert.Equal(t, []int{4, 2, 2, 8}, sizes(fewer(Quick, heteroPairs(Quick))))
	assert.Equal(t, []int{36, 15, 15, 66}, sizes(fewer(Full, heteroPairs(Full))))
	assert.Subset(t, heteroMixes(Full), heteroMixes(Quick))
	for _, s := range []Scale{Quick, Full} {
		seen, in := map[string]bool{}, map[string]int{}
		for _, mix := range heteroMixes(s) {
			seen[title(slices.Sorted(slices.Values(mix)))] = true
			for _, name := range mix {
				in[name]++
			}
		}
		assert.Len(t, seen, len(heteroMixes(s)))
		assert.Len(t, in, 12)
		for name, n := range in {
			assert.True(t, n == 11 || s.Quick && (n == 3 || n == 4), "%s is in %d", name, n)
		}
		for i, of := range [][2]bool{{true, false}, {false, false}, {true, true}} {
			for _, mix := range heteroPairs(s)[i].mixes {
				assert.Equal(t, of, [2]bool{heteroNamed(mix[0]).class == thick, heteroNamed(mix[1]).class == thick}, title(mix))
			}
		}
	}
	assert.Len(t, heteroNames(flat), 4)
	assert.Len(t, heteroNames(cacheSensitive), 2)
}

func TestApplicationsOfTable3AreThere(t *testing.T) {
	for _, spec := range heteroSpecs(Scale{Size: "tiny"}, heteroAll()) {
		_, err := source.Open(spec, source.Options{})
		assert.NoError(t, err)
	}
	assert.Equal(t, []string{"btree?size=medium&set=range_queries:6000", "sad"}, append(heteroSpecs(Full, []string{"B+TREE"}), "sad"))
}

func TestMixesOfFourHaveBothClasses(t *testing.T) {
	full, quick := heteroFours(Full).mixes, heteroFours(Quick).mixes
	assert.Len(t, full, 50)
	assert.Equal(t, full[:6], quick)
	seen := map[string]bool{}
	for _, mix := range full {
		seen[title(mix)] = true
		n := 0
		for _, name := range mix {
			n += index(heteroNamed(name).class == thick)
		}
		assert.True(t, len(mix) == 4 && n > 0 && n < 4, title(mix))
	}
	assert.Len(t, seen, 50)
}

// heteroStory makes up results: STP and ANTT of mixes, and IPCs of applications alone.
type heteroStory struct {
	mix   func(r sweep.Run, names []string) (stp, antt float64)
	alone func(r sweep.Run, name string) float64
}

func (h heteroStory) result(r sweep.Run) *experiment.Result {
	var names []string
	for _, app := range r.Apps {
		word, _, _ := strings.Cut(app, "?")
		names = append(names, heteroKernels[slices.IndexFunc(heteroKernels, func(k heteroKernel) bool { return k.app == word })].name)
	}
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

// twelve are IPCs alone by which FDTD3D and NQU are thick, by so much, as are STO and HISTO,
// SC is faster on small SMs, and the others are flat.
func twelve(r sweep.Run, name string) float64 {
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
		"heterocore-fig10": {3 * (2 + 19 + 15 + 15), 36 * (2 + 19 + 15 + 15)}, "heterocore-four": {6 * 3, 50 * 3},
		// Without a difference of kinds only STP decides, for the second: one run.
		"heterocore-fig6": {48 + 22*3, 48 + 66*3}, "heterocore-fig7": {48 + 22*5, 48 + 66*5}, "heterocore-fig8": {48 + 22*5, 48 + 66*5},
	} {
		for _, s := range []Scale{Quick, Full} {
			e, err := Find(name)
			require.NoError(t, err)
			d := dataOf(e, s, heteroStory{alone: func(r sweep.Run, _ string) float64 {
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
	rows, _ := heteroRows(t, "heterocore-fig7", Quick, heteroStory{mix: func(r sweep.Run, names []string) (float64, float64) {
		switch {
		case r.Policy == "fixed:sms=8/8" && r.GPU == "fermi16":
			return 1.25, 2
		case r.Policy == "heterocore" && title(names) == "FDTD3D+LAVAMD": // one of 12 heterogeneous pairs
			return 2.5, 1
		case r.Policy == "heterocore" && title(names) == "FDTD3D+NQU": // none of the quick pairs
			return 0, 0
		case r.Policy == "heterocore" && names[0] == "LAVAMD": // one of 10 homogeneous pairs
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
	assert.InDelta(t, 25, anttOver.of(&experiment.Result{ANTT: 1.5}, &experiment.Result{ANTT: 2}), 1e-9)
	assert.InDelta(t, -87.5, anttOver.of(&experiment.Result{ANTT: 3.75}, &experiment.Result{ANTT: 2}), 1e-9)
	assert.InDelta(t, 25, stpOver.of(&experiment.Result{STP: 1.25}, &experiment.Result{STP: 1}), 1e-9)
	nan := experiment.Figure(math.NaN())
	assert.True(t, math.IsNaN(anttOver.of(&experiment.Result{ANTT: nan}, &experiment.Result{ANTT: 2})))
	for _, list := range [][]float64{nil, {1, math.NaN()}, {math.NaN(), 1}} {
		assert.True(t, math.IsNaN(highest(list)) && math.IsNaN(lowest(list)) && math.IsNaN(average(list)))
	}
	assert.Equal(t, []float64{3, 1, 2}, []float64{highest([]float64{1, 3, 2}), lowest([]float64{3, 1, 2}), average([]float64{1, 3, 2})})
}

// The numbers of the first stage are in the policies of the second.
func TestStaticPoliciesAreGivenWhatTheFirstRunsFound(t *testing.T) {
	_, d := heteroRows(t, "heterocore-fig6", Full, heteroStory{alone: twelve})
	d.Scale.GPU = hetero8b8s
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
		for i, w := range []way{viaClasses, viaSTP, viaBalanced, viaClassesMargin, viaBalancedMargin} {
			want := [...]string{c.classes, c.stp, c.balanced, c.classesMargin, c.equalMargin}[i]
			assert.Equal(t, []string{want}, w.tried(d, c.mix[:], speedup{}), "%v %s", c.mix, w.name)
			r, _ := d.outcome(w, c.mix[:])
			assert.NotNil(t, r, "it was run")
		}
	}
	unknown := NewData(d.Scale, presets.Load, nil, nil)
	assert.Nil(t, viaSTP.tried(unknown, []string{"NN", "SC"}, speedup{}), "the first stage comes before")
	assert.True(t, math.IsNaN(unknown.better(stpOver, viaSTP, viaSTP, []string{"NN", "SC"})))
}

func TestTheBestOfASearchCounts(t *testing.T) {
	rows, d := heteroRows(t, "heterocore-fig4", Quick, heteroStory{mix: func(r sweep.Run, names []string) (float64, float64) {
		switch {
		case r.Policy == "fixed:sms=8/8":
			return 1, 2
		case r.Policy == "fixed:sms=12/4":
			return 1.1, 4
		case r.Policy == "heterocore":
			return 1.2, 1
		case strings.HasPrefix(r.Policy, "fixed:tbs="):
			n := combination(r.Policy)[0]
			return 1 + n/10, 2 + n
		}
		return 0.5, 1 // other partitions
	}})
	d.Scale.GPU = hetero8b8s
	// Of the combinations that are tried, SMK's most and fewest thread blocks of the first.
	mixes := fewer(Quick, heteroPairs(Quick))[3].mixes
	most, fewest := 0.0, 0.0
	for _, mix := range mixes {
		var first []float64
		for _, policy := range d.heteroCTAs(mix, speedup{}) {
			first = append(first, combination(policy)[0])
		}
		most, fewest = most+slices.Max(first)/8, fewest+slices.Min(first)/8
	}
	assert.Greater(t, most, fewest)
	for label, want := range map[string]float64{
		"uneven partition": 10, "SMK of highest STP": 10 * most, "SMK of lowest ANTT": 10 * fewest, "dynamic": 20,
	} {
		assert.InDelta(t, want, ours(t, rows, "STP, ALL of 8 pairs, "+label), 1e-9, label)
	}
	for label, want := range map[string]float64{
		"uneven partition": -100, "SMK of highest STP": -50 * most, "SMK of lowest ANTT": -50 * fewest, "dynamic": 50,
	} {
		assert.InDelta(t, want, ours(t, rows, "ANTT, ALL of 8 pairs, "+label), 1e-9, label)
	}
	full := *d
	full.Scale = Full
	full.Scale.GPU = hetero8b8s
	assert.Subset(t, full.heteroCTAs(mixes[0], speedup{}), d.heteroCTAs(mixes[0], speedup{}))
	assert.Greater(t, len(full.heteroCTAs(mixes[0], speedup{})), len(d.heteroCTAs(mixes[0], speedup{})))
	assert.Equal(t, 14.0, *find(t, rows, "STP, ALL of 8 pairs, SMK of highest STP").Paper)
	assert.Equal(t, -62.4, *find(t, rows, "ANTT, ALL of 8 pairs, SMK of lowest ANTT").Paper)
}

func TestUnevenPartitionsAreInStepsOfTwo(t *testing.T) {
	assert.Equal(t, []string{"fixed:sms=2/14", "fixed:sms=4/12", "fixed:sms=6/10", "fixed:sms=8/8", "fixed:sms=10/6", "fixed:sms=12/4", "fixed:sms=14/2"}, unevenly(nil, nil, speedup{}))
	assert.Equal(t, "fixed:sms=8/8", evenly(2))
	assert.Equal(t, "fixed:sms=4/4/4/4", evenly(4))
}

func TestAssignmentsAreThoseOfThePaper(t *testing.T) {
	d := NewData(Full, presets.Load, nil, nil)
	for gpu, want := range map[string][]string{
		hetero8b8s: {"fixed:sms=0+4/8+4", "fixed:sms=1+3/7+5", "fixed:sms=2+2/6+6", "fixed:sms=3+1/5+7", "fixed:sms=4+0/4+8",
			"fixed:sms=0+8/8+0", "fixed:sms=1+7/7+1", "fixed:sms=2+6/6+2", "fixed:sms=3+5/5+3", "fixed:sms=4+4/4+4",
			"fixed:sms=5+3/3+5", "fixed:sms=6+2/2+6", "fixed:sms=7+1/1+7", "fixed:sms=8+0/0+8",
			"fixed:sms=4+8/4+0", "fixed:sms=5+7/3+1", "fixed:sms=6+6/2+2", "fixed:sms=7+5/1+3", "fixed:sms=8+4/0+4"},
		"heterocore-4b12s": {"fixed:sms=0+4/4+8", "fixed:sms=1+3/3+9", "fixed:sms=2+2/2+10", "fixed:sms=3+1/1+11", "fixed:sms=4+0/0+12",
			"fixed:sms=0+8/4+4", "fixed:sms=1+7/3+5", "fixed:sms=2+6/2+6", "fixed:sms=3+5/1+7", "fixed:sms=4+4/0+8",
			"fixed:sms=0+12/4+0", "fixed:sms=1+11/3+1", "fixed:sms=2+10/2+2", "fixed:sms=3+9/1+3", "fixed:sms=4+8/0+4"},
		"heterocore-12b4s": nil,
	} {
		f, err := d.fleet(gpu)
		require.NoError(t, err)
		if want == nil {
			assert.Len(t, f.assignments(), 15, gpu)
			assert.Equal(t, "fixed:sms=12+0/0+4", f.assignments()[14])
			continue
		}
		assert.Equal(t, want, f.assignments(), gpu)
	}
	small := fleet{sms: [2]int{8, 4}, big: 1} // small ones first
	assert.Equal(t, []int{4, 8}, []int{small.bigs(), small.smalls()})
	assert.Equal(t, "2+1", small.share(1, 2))
	assert.Equal(t, []string{"fixed:sms=0+4", "fixed:sms=8+0"}, []string{small.onKind(true), small.onKind(false)})
	for _, gpu := range []string{"fermi16", "absent"} {
		_, err := d.fleet(gpu)
		assert.Error(t, err)
	}
}

func TestDynamicIsComparedWithTheOptimum(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-fig10", Quick, heteroStory{mix: func(r sweep.Run, names []string) (float64, float64) {
		switch {
		case r.GPU == "fermi16":
			return 1, 2
		case r.Policy == "heterocore":
			return 1.2, 1.5
		case r.GPU == "heterocore-4b12s" && r.Policy == "fixed:sms=4+0/0+12":
			return 1.5, 1.875
		case r.GPU == hetero8b8s && r.Policy == "fixed:sms=8+0/0+8" && names[0] != "HISTO":
			return 1.5, 1.5
		case r.GPU == hetero8b8s && r.Policy == "fixed:sms=4+0/4+8" && names[0] == "HISTO":
			return 1.5, 1.5
		}
		return 0.75, 3
	}})
	assert.InDelta(t, 50, ours(t, rows, "STP, heterogeneous, optimum"), 1e-9)
	assert.InDelta(t, 50, ours(t, rows, "STP, heterogeneous, optimum of 4B12S"), 1e-9)
	assert.InDelta(t, -25, ours(t, rows, "STP, heterogeneous, optimum of 12B4S"), 1e-9)
	assert.InDelta(t, -20, ours(t, rows, "STP, heterogeneous, dynamic over optimum"), 1e-9)
	assert.InDelta(t, -25, ours(t, rows, "ANTT, heterogeneous, optimum of 4B12S over optimum"), 1e-9)
	assert.InDelta(t, 100*2.0/3, ours(t, rows, "pairs whose optimum has as many SMs for each"), 1e-9)
}

func TestKernelsAreOfAKindByTheirCurve(t *testing.T) {
	for want, curves := range map[string][][2]float64{
		flat:           {{1, 1}, {0.95, 1.05}, {1.05, 0.95}},
		cacheSensitive: {{1.06, 1}, {1, 0.94}, {1.06, 1.06}},
		thick:          {{0.94, 1}, {1, 1.06}, {0.6, 1.2}, {0.9, 0.9}},
	} {
		for _, c := range curves {
			assert.Equal(t, want, classOf(c[0], c[1]), "%v", c)
		}
	}
	rows, _ := heteroRows(t, "heterocore-fig1", Quick, heteroStory{alone: twelve})
	assert.InDelta(t, 0.6, ours(t, rows, "IPC, FDTD3D, 1/2 over baseline"), 1e-9)
	assert.InDelta(t, 1.2, ours(t, rows, "IPC, FDTD3D, 3/2 over baseline"), 1e-9)
	assert.Equal(t, 4.0, ours(t, rows, "thick, of the paper's 6"))
	assert.Equal(t, 0.0, ours(t, rows, "DXTC is thick"))
	rows, _ = heteroRows(t, "heterocore-fig2", Quick, heteroStory{alone: twelve})
	assert.Equal(t, 4.0, ours(t, rows, "flat, of the paper's 4"))
	assert.Equal(t, 1.0, ours(t, rows, "cache-sensitive, of the paper's 2"))
}

func TestSingleKernelsAreComparedWithTheConventionalGPU(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-fig9", Quick, heteroStory{alone: func(r sweep.Run, name string) float64 {
		if r.GPU == hetero8b8s && r.Policy == "fcfs" {
			return 120
		}
		return twelve(r, name)
	}})
	assert.InDelta(t, 20, ours(t, rows, "IPC, FDTD3D, all SMs"), 1e-9)
	assert.InDelta(t, -40, ours(t, rows, "IPC, FDTD3D, big SMs"), 1e-9)
	assert.InDelta(t, -70, ours(t, rows, "IPC, FDTD3D, small SMs"), 1e-9)
}

func TestAreaIsThePapersWhereItFollows(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-area", Quick, heteroStory{})
	for label, want := range map[string]float64{
		"area of an SM, big of heterocore-8b8s": 6.9, "area of an SM, small of heterocore-8b8s": -3.1, "area of all SMs, heterocore-8b8s": 1.9,
		"area of an SM, big of heterocore-4b12s": 32.1, "area of all SMs, heterocore-4b12s": 5.7, "speed-up by a 17th SM, at most": 6.25,
		"energy of an instruction, homogeneous mixes, implied": -2.4, "instructions in the same time, implied": 12.18,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 0.005, label)
	}
	assert.Equal(t, 3.8, *find(t, rows, "area of all SMs, heterocore-8b8s").Paper)
	assert.Nil(t, find(t, rows, "area of the chip, heterocore-8b8s").Ours)
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
	for _, name := range []string{"heterocore-fig6", "heterocore-fig7", "heterocore-fig9", "heterocore-fig10"} {
		e, err := Find(name)
		require.NoError(t, err)
		_, err = e.Rows(dataOf(e, s, heteroStory{}.result))
		assert.ErrorContains(t, err, "GPU plain16 does not have big and small SMs", name)
	}
	for _, gpu := range resources(Scale{GPU: "plain16"}) {
		_, err := presets.Load(gpu)
		assert.NoError(t, err, gpu)
	}
}
