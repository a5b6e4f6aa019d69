package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/occupancy"
	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/presets"
)

func TestPairsOfCCBPAreThe66OfThePaper(t *testing.T) {
	classes := []string{"LS+NBI", "LS+DBI", "NBI+DBI", "LS+LS"}
	groups := []string{"LS+LS", "LS+BI", "NBI+DBI", "ALL"}
	few := []string{"few LS+LS", "few LS+BI", "few NBI+DBI", "few"}
	assert.Equal(t, []int{20, 20, 16, 10}, sizesIn(t, "ccbp-fig14", Full, classes...))
	assert.Equal(t, []int{7, 7, 5, 3}, sizesIn(t, "ccbp-fig14", Quick, classes...))
	assert.Equal(t, []int{10, 40, 16, 66}, sizesIn(t, "ccbp-fig9", Full, groups...))
	assert.Equal(t, []int{10, 40, 16, 66}, sizesIn(t, "ccbp-fig9", Full, few...))
	assert.Equal(t, []int{3, 14, 5, 22}, sizesIn(t, "ccbp-fig9", Quick, groups...))
	assert.Equal(t, []int{1, 5, 2, 8}, sizesIn(t, "ccbp-fig9", Quick, few...))
	assert.Equal(t, "ALL of 8 pairs", figureOf(t, "ccbp-fig9").group(Quick, "few").name)
	f := figureOf(t, "ccbp-fig9")
	for _, s := range []Scale{Quick, Full} {
		all := mixesIn(t, "ccbp-fig9", "ALL", s)
		seen, kernels := map[string]bool{}, map[string]bool{}
		for _, mix := range all {
			seen[title(slices.Sorted(slices.Values(mix)))] = true
			kernels[mix[0]], kernels[mix[1]] = true, true
		}
		assert.Len(t, seen, len(all))
		assert.Len(t, kernels, 13)
		for _, mix := range [][]string{{"BP", "CFD"}, {"BT", "CFD"}, {"CFD", "FTD"}} {
			assert.Contains(t, all, mix)
		}
		for _, mix := range [][]string{{"BP", "CFD"}, {"CFD", "FTD"}} {
			assert.Contains(t, mixesIn(t, "ccbp-fig9", "few", s), mix)
		}
		for _, group := range classes {
			first, second, _ := strings.Cut(group, "+")
			for _, mix := range mixesIn(t, "ccbp-fig14", group, s) {
				assert.True(t, f.hasClass(mix[0], first) && f.hasClass(mix[1], second), title(mix))
			}
		}
	}
	assert.Subset(t, mixesIn(t, "ccbp-fig9", "ALL", Full), mixesIn(t, "ccbp-fig9", "ALL", Quick))
}

func TestMixesOfThreeAndFourBeginWithTheOneThatIsNamed(t *testing.T) {
	for i, group := range []string{"3 kernels", "4 kernels"} {
		full, quick := mixesIn(t, "ccbp-fig13", group, Full), mixesIn(t, "ccbp-fig13", group, Quick)
		assert.Equal(t, full[:6], quick)
		seen := map[string]bool{}
		for _, mix := range full {
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(mix))), 3+i)
			seen[title(mix)] = true
		}
		assert.Len(t, seen, 40)
	}
	assert.Equal(t, []string{"HG", "LBM", "SAD"}, mixesIn(t, "ccbp-fig13", "3 kernels", Quick)[0])
}

// ccbpStory makes up results: the IPC of each kernel, by GPU, policy and kernels.
func ccbpStory(ipc func(r experiment.Spec, name string) float64) func(experiment.Spec) *experiment.Result {
	return func(r experiment.Spec) *experiment.Result {
		result := &experiment.Result{HSpeedup: 99, WSpeedup: 99, Cycles: r.Cycles, Stats: map[string]stats.Group{}}
		for _, name := range namesOf(r) {
			result.Kernels = append(result.Kernels, experiment.KernelResult{IPC: ipc(r, name), IsolatedIPC: 1, NormalizedIPC: 99})
		}
		return result
	}
}

// namesOf are the kernels of a run.
func namesOf(r experiment.Spec) []string { return called("ccbp-fig9", r) }

func ccbpRows(t *testing.T, name string, s Scale, ipc func(r experiment.Spec, name string) float64) ([]Row, *Data) {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	d := dataOf(e, s, ccbpStory(ipc))
	rows, err := e.Rows(d)
	require.NoError(t, err)
	return rows, d
}

// Numbers of runs with made-up results, and what holds for all.
func TestRunsOfTheCCBPExperiments(t *testing.T) {
	counts := map[string]struct{ quick, full int }{
		"ccbp-table2": {13, 13}, "ccbp-table3": {0, 0}, "ccbp-latency": {10, 10}, "ccbp-sad": {2, 2},
		"ccbp-fig2": {13, 13}, "ccbp-fig3": {2, 2}, "ccbp-fig11": {14, 14}, "ccbp-fig13": {52, 256},
		"ccbp-fig14": {13 + 22*6, 13 + 66*6}, "ccbp-fig15": {13 + 5*34, 13 + 5*146}, "ccbp-fig16": {13 + 22*9, 13 + 66*9},
		"ccbp-arbiter": {13 + 22*4, 13 + 66*5},
	}
	counted := 0
	for _, e := range All() {
		if !strings.HasPrefix(e.Name, "ccbp-") {
			continue
		}
		for _, s := range []Scale{Quick, Full} {
			d := dataOf(e, s, ccbpStory(func(experiment.Spec, string) float64 { return 1 }))
			if want, ok := counts[e.Name]; ok {
				assert.Len(t, d.results, map[bool]int{true: want.quick, false: want.full}[s.Quick], "%s %v", e.Name, s.Quick)
				counted++
			}
			gpus, policies := map[string]bool{}, map[string]bool{}
			for _, r := range d.runs {
				gpus[r.GPU], policies[r.Policy] = true, true
				assert.EqualValues(t, map[bool]int{true: 300_000, false: 2_000_000}[s.Quick], r.Cycles)
				assert.True(t, len(r.Apps) > 1 || strings.Contains(r.GPU, "sm.scheduler=gto"), "alone with gto: %s", r.GPU)
				if len(r.Apps) > 1 && e.Name != "ccbp-fig16" {
					assert.NotContains(t, r.GPU, "sm.scheduler")
				}
				if strings.HasPrefix(r.Policy, "ccbp") {
					assert.Contains(t, r.Policy, map[bool]string{true: "epoch=1k", false: "epoch=10k"}[s.Quick])
				}
			}
			for gpu := range gpus {
				_, err := presets.Load(gpu)
				assert.NoError(t, err, e.Name)
			}
			for p := range policies {
				_, err := policy.Parse(p)
				assert.NoError(t, err, e.Name)
			}
		}
	}
	assert.Equal(t, 2*len(counts), counted)
}

// Two cores make about 720 runs of 300,000 cycles in half an hour, runs of single
// applications for each machine included.
// The paper's times of detection need the paper's windows, whatever the number of pairs.
func TestLongWindowsHaveThePapersTimesOfDetection(t *testing.T) {
	quickButLong, fullButShort := Quick, Full
	quickButLong.Window, fullButShort.Window = Full.Cycles, Full.Cycles-1
	for scale, want := range map[Scale]struct{ policies, lacks []string }{
		Quick:        {[]string{"ccbp:variant=offline,epoch=1k", "ccbp:epoch=1k"}, []string{"ccbp:epoch=10k"}},
		quickButLong: {[]string{"ccbp:epoch=10k", "ccbp:variant=offline,epoch=10k"}, []string{"ccbp:variant=offline,epoch=1k", "ccbp:epoch=1k"}},
		Full:         {[]string{"ccbp:epoch=10k", "ccbp:variant=offline,epoch=10k"}, []string{"ccbp:variant=offline,epoch=1k", "ccbp:epoch=1k"}},
		fullButShort: {[]string{"ccbp:variant=offline,epoch=1k", "ccbp:epoch=1k"}, []string{"ccbp:epoch=10k"}},
	} {
		count := map[string]int{}
		for _, r := range figureOf(t, "ccbp-fig9").Runs(scale) {
			if r.GPU == "ccbp16-irc" {
				count[r.Policy]++
			}
		}
		pairs := 66
		if scale.Quick {
			pairs = 22
		}
		for _, p := range want.policies {
			assert.Equal(t, pairs, count[p], "%s at %+v", p, scale)
		}
		for _, p := range want.lacks {
			assert.Zero(t, count[p], "%s at %+v", p, scale)
		}
	}
}

func TestQuickExperimentsOfCCBPTakeHalfAnHour(t *testing.T) {
	for _, e := range All() {
		if !strings.HasPrefix(e.Name, "ccbp-") {
			continue
		}
		// A search that finds less the more thread blocks there are takes longest.
		d := dataOf(e, Quick, ccbpStory(func(r experiment.Spec, _ string) float64 {
			sum := 1.0
			for _, n := range combination(r.Policy) {
				sum += n
			}
			return 1 / sum
		}))
		all := map[string]bool{}
		for _, r := range d.runs {
			all[keyText(r.GPU, r.Policy, r.Apps)] = true
			for _, app := range r.Apps {
				all[keyText(r.GPU, "fcfs", []string{app})] = true
			}
		}
		assert.Less(t, len(all), 720, e.Name)
	}
}

func TestSpeedupsAreOverTheRunsAloneAndMeansGeometric(t *testing.T) {
	rows, _ := ccbpRows(t, "ccbp-fig9", Quick, func(r experiment.Spec, name string) float64 {
		alone := 200.0
		if figureOf(t, "ccbp-fig9").hasClass(name, "DBI") {
			alone = 400
		}
		switch names := namesOf(r); {
		case len(names) == 1 && r.GPU == "ccbp16?sm.scheduler=gto":
			return alone
		case len(names) == 1:
			return 1 // no run that counts
		case r.Policy == "ccbp:variant=offline,epoch=1k" && r.GPU == "ccbp16-irc" && slices.Contains(names, "CFD"):
			return alone * 0.9
		case r.Policy == "ccbp:variant=offline,epoch=1k" && r.GPU == "ccbp16-irc":
			return alone * 0.4
		case r.Policy == "ccbp:ls_unlimited=off,variant=offline,epoch=1k" && r.GPU == "ccbp16-irc":
			return alone * 0.3
		case r.Policy == "smk-pw" && name == names[0]:
			return alone * 0.2
		case strings.Contains(r.Policy, "sms="):
			return alone * 0.1
		case strings.HasPrefix(r.Policy, "fixed"):
			return alone * 0.25
		}
		return alone * 0.6
	})
	// CFD is in 2 of the 14 LS+BI pairs, in 1 of 5 NBI+DBI and in none of 3 LS+LS.
	of := func(with, all int) float64 {
		return math.Exp((float64(with)*math.Log(0.9) + float64(all-with)*math.Log(0.4)) / float64(all))
	}
	cfd := 0
	for _, mix := range mixesIn(t, "ccbp-fig9", "ALL", Quick) {
		if slices.Contains(mix, "CFD") {
			cfd++
		}
	}
	assert.Equal(t, 3, cfd)
	smkH := 2 / (1/0.2 + 1/0.6)
	for label, want := range map[string]float64{
		"HSpeedup, LS+LS, CCBP": 0.4, "WSpeedup, LS+LS, CCBP": 0.8, "HSpeedup, LS+BI, CCBP": of(2, 14), "HSpeedup, NBI+DBI, CCBP": of(1, 5),
		"HSpeedup, ALL, CCBP": of(3, 22), "HSpeedup, ALL, SMK": smkH, "WSpeedup, ALL, SMK": 0.8, "WSpeedup, ALL, WS": 1.2,
		"HSpeedup, ALL, Spatial_oracle": 0.1, "WSpeedup, ALL, CTA_oracle": 0.5,
		"HSpeedup, ALL, CCBP over SMK":                                     100 * (of(3, 22)/smkH - 1),
		"WSpeedup, ALL, CCBP over WS":                                      100 * (of(3, 22)/0.6 - 1),
		"HSpeedup, LS+LS, CCBP over Spatial_oracle":                        300,
		"HSpeedup, LS+LS of 1 pairs, CCBP, ls_unlimited=off over CCBP":     -25,
		"HSpeedup, LS+LS of 1 pairs, CCBP, sustain=0.85 over CTA_oracle":   140,
		"HSpeedup, LS+LS of 1 pairs, CCBP, sm.lsu.skip=false over CCBP":    50,
		"WSpeedup, NBI+DBI, CCBP, climb=on over CCBP":                      100 * (0.6/of(1, 5) - 1),
		"HSpeedup, ALL of 8 pairs, CCBP, ls_unlimited=off over CTA_oracle": 20,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	assert.Equal(t, 78.0, *find(t, rows, "HSpeedup, ALL, CCBP over SMK").Paper)
	assert.Equal(t, 5.0, *find(t, rows, "WSpeedup, NBI+DBI, CCBP over CTA_oracle").Paper)
}

// The best of the harmonic and that of the weighted speedup are two combinations.
func TestOraclesCountByTheBestOfEachMetric(t *testing.T) {
	rows, d := ccbpRows(t, "ccbp-fig2", Quick, func(r experiment.Spec, name string) float64 {
		bp := name == "BP"
		switch {
		case len(r.Apps) == 1:
			return 100
		case r.Policy == "fixed:tbs=5/11": // the best H
			return 70
		case r.Policy == "fixed:tbs=6/8" && bp: // the best W
			return 130
		case r.Policy == "fixed:tbs=7/4" && bp:
			return 50
		case r.Policy == "fixed:tbs=7/4":
			return 80
		case r.Policy == "fixed:tbs=7/2": // more than any, but not one to which none can be added
			return 90
		}
		return 20
	})
	for label, want := range map[string]float64{
		"thread blocks of BP, best HSpeedup": 5, "thread blocks of CFD, best HSpeedup": 11,
		"thread blocks of BP, best WSpeedup": 6, "thread blocks of CFD, best WSpeedup": 8,
		"WSpeedup, BP+CFD, 7/4": 1.3, "WSpeedup, BP+CFD, 7/2": 1.8, "HSpeedup, BP+CFD, 7/4": 2 / (2 + 1.25),
		"slowdown of BP, 7/4": 2, "slowdown of CFD, 7/4": 1.25,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	assert.Equal(t, 7.0, *find(t, rows, "thread blocks of BP, best WSpeedup").Paper)
	assert.Equal(t, 4.0, *find(t, rows, "thread blocks of CFD, best HSpeedup").Paper)
	var tried []string
	for _, r := range d.runs {
		if r.GPU == "ccbp16" && r.Policy != "fcfs" {
			tried = append(tried, r.Policy)
		}
	}
	// Of CFD 16 fit alone, of BP 8 (TestThePublishedBestCombinationsAreOnTheFront).
	assert.ElementsMatch(t, []string{"fixed:tbs=7/4", "fixed:tbs=7/2", "fixed:tbs=1/15", "fixed:tbs=2/14", "fixed:tbs=3/13", "fixed:tbs=4/12", "fixed:tbs=5/11", "fixed:tbs=6/8"}, tried)
}

// The search goes on where it is better, by as many runs as it needs.
func TestSpatialOracleIsSearchedFor(t *testing.T) {
	peak := func(tbs []float64) float64 { return 90 - math.Abs(tbs[0]-3) - math.Abs(tbs[1]-6) }
	story := func(r experiment.Spec, _ string) float64 {
		if strings.Contains(r.Policy, "sms=") {
			assert.True(t, strings.HasSuffix(r.Policy, ",sms=8/8"))
			return peak(combination(r.Policy))
		}
		return 100
	}
	figures, err := load(fstest.MapFS{
		"papers/ccbp.yaml":    {Data: must(embedded.ReadFile("papers/ccbp.yaml"))},
		"figures/search.yaml": {Data: []byte("paper: ccbp\nrows:\n  - {metrics: [HSpeedup, WSpeedup], groups: BP+CFD, ways: Spatial_oracle}\n")},
	})
	require.NoError(t, err)
	search := func(s Scale) *evaluation {
		e := figures[0]
		return newEvaluation(dataOf(e, s, ccbpStory(story)), e, &asking{seen: map[string]bool{}})
	}
	spatial, _ := figures[0].way("Spatial_oracle")
	bpCFD := &mix{apps: []string{"BP", "CFD"}}
	d := search(Full)
	r, run := d.outcome(spatial, bpCFD, "HSpeedup")
	assert.Equal(t, "fixed:tbs=3/6,sms=8/8", run.Policy)
	assert.InDelta(t, 0.9, d.good(r, bpCFD, "HSpeedup"), 1e-9)
	// Beside those alone: BP's 8 numbers beside 16 of CFD, CFD's other 15 beside 3 of BP,
	// BP's other 7 beside 6 of CFD, and the neighbours that differ in both numbers.
	assert.Len(t, d.results, 2+8+15+7+4)

	d = search(Quick)
	_, run = d.outcome(spatial, bpCFD, "WSpeedup")
	assert.Equal(t, "fixed:tbs=2/4,sms=8/8", run.Policy, "of quarters, 2 to 8 and 4 to 16, four are equal: the first that was tried")
	for _, r := range d.runs {
		if tbs := combination(r.Policy); tbs != nil {
			assert.Zero(t, math.Mod(tbs[0], 2))
			assert.Zero(t, math.Mod(tbs[1], 4))
		}
	}
}

func TestDemandIsThatOfTheKernelOfWhichFewestFit(t *testing.T) {
	gpu, err := presets.Load("ccbp16")
	require.NoError(t, err)
	capacity := gpu.SM.Capacity()
	for name, want := range map[string]occupancy.Demand{
		"SRT": {TBs: 1, Threads: 128, Warps: 4, Registers: 128 * 18}, // bucketprefix
		"CFD": {TBs: 1, Threads: 64, Warps: 2, Registers: 64 * 61},
	} {
		got, err := demandOf(&capacity, figureOf(t, "ccbp-fig9").spec(Quick, name))
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
	d := evaluationOf(t, "ccbp-fig2", NewData(Scale{GPU: "ccbp16?sm.threads=256"}, presets.Load, nil, nil))
	assert.Nil(t, fullSMs(d, wayIn(t, "ccbp-fig2", "CTA_oracle"), &mix{apps: []string{"BP", "CFD"}}, ""))
	assert.Error(t, d.err)
}

func TestInLine(t *testing.T) {
	assert.True(t, inLine([][]int{{1, 2}, {3, 2}, {1, 2}}))
	assert.False(t, inLine([][]int{{1, 2}, {3, 2}, {1, 3}}))
	assert.False(t, inLine([][]int{{1, 2}, {3, 3}}))
}

func TestTable3IsExact(t *testing.T) {
	rows, _ := ccbpRows(t, "ccbp-table3", Full, nil)
	assert.Len(t, rows, 63)
	for _, r := range rows {
		difference, ok := r.Difference()
		assert.True(t, ok && difference >= -1e-9 && difference < 0.01, "%s: cut off, not rounded", r.Label)
	}
	assert.Equal(t, 6.0, ours(t, rows, "iteration 16, K1, CTAs"))
}

// must is a value without its error, which must not be.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
