package reproduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/workload/source"
)

// dataOf makes the data of an experiment from results that a function makes up.
func dataOf(e *Experiment, s Scale, result func(experiment.Spec) *experiment.Result) *Data {
	d, runs := NewData(s, presets.Load, nil, nil), []experiment.Spec(nil)
	var results []*experiment.Result
	for next := e.Runs(s); next != nil; next = e.More(d) {
		for _, r := range next {
			results = append(results, result(r))
		}
		runs = append(runs, next...)
		d = NewData(s, presets.Load, runs, results)
	}
	return d
}

// equal is the same result for every run.
func equal(r experiment.Spec) *experiment.Result {
	result := &experiment.Result{STP: 1.25, ANTT: 2, Fairness: 0.5, Stalls: map[string]uint64{"issued": 60, "raw_long": 30, "control": 10}}
	for range r.Apps {
		result.Kernels = append(result.Kernels, experiment.KernelResult{NTT: 2})
	}
	return result
}

func find(t *testing.T, rows []Row, label string) Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Label == label })
	require.GreaterOrEqual(t, i, 0, label)
	return rows[i]
}

// unprinted are figures without published numbers: drawings, and tables of our own.
var unprinted = []string{"elv-3", "sharing-today", "sharing-today-a100", "thesis-fig6.1", "thesis-fig6.2"}

func TestPairsAreThe45OfThePaper(t *testing.T) {
	assert.Equal(t, []int{6, 24, 15, 45}, sizesIn(t, "smk-fig10", Quick, "C+C", "C+M", "M+M", "all pairs"))
	seen := map[string]bool{}
	for _, mix := range mixesIn(t, "smk-fig10", "all pairs", Quick) {
		slices.Sort(mix)
		seen[title(mix)] = true
	}
	assert.Len(t, seen, 45)
}

func TestMeansAndChangesAreThoseOfTheGroup(t *testing.T) {
	e, err := Find("smk-fig12")
	require.NoError(t, err)
	d := dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		if result.STP = 1; r.Policy == "smk-pw" {
			result.STP = 1.5
		}
		if strings.HasPrefix(r.Apps[0], "cutcp") { // 3 of the C+C, 6 of the C+M pairs
			result.STP *= 2
		}
		return result
	})
	rows, err := e.Rows(d)
	require.NoError(t, err)
	r := find(t, rows, "STP, C+M, Spart")
	assert.Equal(t, 1+6.0/24, *r.Ours)
	assert.Equal(t, 1.30, *r.Paper)
	difference, ok := r.Difference()
	assert.True(t, ok)
	assert.InDelta(t, -0.05, difference, 1e-9)
	assert.Equal(t, 1+3.0/6, *find(t, rows, "STP, C+C, Spart").Ours)
	assert.Equal(t, 1+9.0/45, *find(t, rows, "STP, all pairs, Spart").Ours)
	r = find(t, rows, "STP, C+M, SMK-(P+W) over Spart")
	assert.InDelta(t, 50, *r.Ours, 1e-9)
	assert.Equal(t, "%", r.Unit)
	_, ok = find(t, rows, "STP, C+C, Spart").Difference()
	assert.False(t, ok, "the paper has no number")
}

func TestTurnaroundTimeThatIsNotDefinedHasNoMean(t *testing.T) {
	e, err := Find("smk-fig12")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		if r.Apps[1] == "lbm?size=medium" {
			result.ANTT = experiment.Figure(math.NaN())
		}
		return result
	}))
	require.NoError(t, err)
	assert.Nil(t, find(t, rows, "ANTT, C+M, Spart").Ours)
	assert.Equal(t, 2.0, *find(t, rows, "ANTT, C+C, Spart").Ours)
}

func TestStallsAreComparedByTheirKind(t *testing.T) {
	e, err := Find("smk-fig14")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		result.Stalls = map[string]uint64{"idle": 5, "lsu_full": 60, "pipe_other": 40, "control": 10, "raw_long": 70, "raw_other": 30}
		if r.Policy == "smk-pw" {
			result.Stalls = map[string]uint64{"idle": 500, "lsu_full": 10, "pipe_other": 40, "control": 5, "raw_long": 80, "raw_other": 40}
		}
		return result
	}))
	require.NoError(t, err)
	for kind, want := range map[string]float64{"pipeline": -50, "control": -50, "data": 20, "all three": -100 * 35.0 / 210} {
		assert.InDelta(t, want, *find(t, rows, kind+" stalls, C+M, SMK-(P+W) over Spart").Ours, 1e-9, kind)
	}
}

func TestLargerMixesHaveEveryNumberOfComputeIntensiveOnes(t *testing.T) {
	for i, group := range []string{"3 kernels", "4 kernels"} {
		quick, full := mixesIn(t, "smk-fig15", group, Quick), mixesIn(t, "smk-fig15", group, Full)
		assert.Len(t, full, []int{56, 70}[i])
		for _, mixes := range [][][]string{quick, full} {
			seen, number := map[string]bool{}, map[int]int{}
			for _, mix := range mixes {
				require.Len(t, mix, 3+i)
				seen[title(mix)] = true
				n := 0
				for _, app := range mix {
					n += index(slices.Contains(compute, app))
				}
				number[n]++
			}
			assert.Len(t, seen, len(mixes))
			assert.Len(t, number, 4+i)
		}
		assert.Equal(t, quick, full[:len(quick)])
	}
}

func TestEveryApplicationIsTheFirstProcessEquallyOften(t *testing.T) {
	f := figureOf(t, "thesis-fig5.4")
	for _, s := range []Scale{Quick, Full} {
		for _, n := range []int{2, 4, 6, 8} {
			first := map[string]int{}
			for _, m := range f.group(s, fmt.Sprintf("%d processes", n)).mixes {
				require.Len(t, m.apps, n)
				first[m.apps[m.preferred]]++
				sorted := slices.Clone(m.apps)
				slices.Sort(sorted)
				assert.Len(t, slices.Compact(sorted), n, "no application twice")
			}
			require.Len(t, first, map[bool]int{true: 3, false: 10}[s.Quick])
			for app, times := range first {
				assert.Equal(t, map[bool]int{true: 1, false: 5}[s.Quick], times, app)
			}
		}
	}
	m := &mix{apps: []string{"sgemm", "lbm"}, preferred: 1}
	assert.Equal(t, []string{"sgemm?size=small&set=m:768,n:480,k:64&arch=k20c", "lbm?size=small&set=y:26,z:8,steps:6&arch=k20c&priority=1"}, f.specs(Quick, wayIn(t, "thesis-fig5.4", "NPQ"), m))
	assert.Equal(t, "lbm?size=medium&arch=k20c", f.specs(Full, wayIn(t, "thesis-fig5.4", "FCFS"), m)[1])
}

func TestTurnaroundImprovementIsThatOfTheFirstProcess(t *testing.T) {
	e, err := Find("thesis-fig5.4")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		for i, app := range r.Apps {
			if strings.HasSuffix(app, "priority=1") && strings.HasPrefix(r.Policy, "ppq") {
				result.Kernels[i].NTT = 0.5
				if strings.HasPrefix(app, "histo") || strings.HasPrefix(app, "spmv") {
					result.Kernels[i].NTT = 0.25
				}
			}
		}
		return result
	}))
	require.NoError(t, err)
	assert.Equal(t, 8.0, *find(t, rows, "SHORT, 2 processes, PPQ exclusive, context switch").Ours)
	assert.Equal(t, 4.0, *find(t, rows, "LONG, 8 processes, PPQ exclusive, draining").Ours)
	assert.InDelta(t, (8+2*4)/3.0, *find(t, rows, "AVERAGE, 6 processes, PPQ exclusive, context switch").Ours, 1e-9)
	assert.Equal(t, 1.0, *find(t, rows, "AVERAGE, 6 processes, NPQ").Ours)
}

// The baseline of the priorities is an execution without any (thesis 5.3.2).
func TestPriorityIsComparedWithNonPrioritizedExecution(t *testing.T) {
	e, err := Find("thesis-fig5.4")
	require.NoError(t, err)
	for _, r := range e.Runs(Quick) {
		prioritized := strings.Contains(strings.Join(r.Apps, " "), "priority=1")
		assert.Equal(t, r.Policy != "fcfs", prioritized, r.Policy)
		assert.Equal(t, map[bool]string{true: "k20c?host.pcie.scheduler=npq", false: "k20c"}[prioritized], r.GPU)
	}
}

// SMK Table 2 to the tenth of a percent to which the paper rounds, and Table 5.2
// of the thesis within 1 %.
func TestTablesOfOccupancyAndSaveTimesAreExact(t *testing.T) {
	e, err := Find("smk-table2")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, equal))
	require.NoError(t, err)
	assert.Len(t, rows, 6*4)
	for _, r := range rows {
		if strings.HasSuffix(r.Label, "stall cycles") {
			assert.InDelta(t, 40, *r.Ours, 1e-9, r.Label)
			continue
		}
		difference, ok := r.Difference()
		assert.True(t, ok && math.Abs(difference) <= 0.05+1e-9, r.Label)
	}
	e, err = Find("thesis-table5.2")
	require.NoError(t, err)
	rows, err = e.Rows(dataOf(e, Quick, equal))
	require.NoError(t, err)
	assert.Len(t, rows, 24)
	for _, r := range rows {
		difference, ok := r.Difference()
		assert.True(t, ok && math.Abs(difference) < 0.01**r.Paper, r.Label)
	}
}

func TestWhatABuildLacksIsOneLine(t *testing.T) {
	figures, err := load(fstest.MapFS{
		"papers/p.yaml": {Data: []byte("gpu: smk16\napplications:\n  - {name: a}\ngroups:\n  - {name: a, mixes: [a]}\n")},
		"figures/x.yaml": {Data: []byte("paper: p\nuntil: dawn\nways:\n  - {name: x, policy: best}\n  - {name: y, policy: 'best:a=1'}\n" +
			"rows:\n  - {metrics: STP, groups: a, ways: [x, y]}\n")},
	})
	require.NoError(t, err)
	_, err = figures[0].Check(Quick)
	assert.EqualError(t, err, "x needs parts that this build lacks: policy best; run --until dawn; policy best:a=1")
	for _, e := range All() {
		scale := Full
		if e.TakesPrograms() {
			_, err := e.Check(scale)
			assert.EqualError(t, err, e.Name+" runs CUDA programs; give their folder by --programs (docs/silicon.md)")
			scale.Programs = "folder"
		}
		_, err := e.Check(scale)
		assert.NoError(t, err, e.Name)
	}
	_, err = Find("smk-fig99")
	assert.ErrorContains(t, err, `unknown experiment "smk-fig99"; valid: ccbp-arbiter, ccbp-fig10, ccbp-fig11, `)
}

func TestApplicationsOfThePairsAreThere(t *testing.T) {
	for _, app := range slices.Concat(compute, memory) {
		_, err := source.Open(app+"?size=tiny", source.Options{})
		assert.NoError(t, err)
	}
}

func TestReportIsATableAndJSON(t *testing.T) {
	ours, paper := 1.25, 1.3
	r := &Report{Name: "n", About: "a", Source: "S, Figure 1", Notes: "But so.", GPU: "g", Cycles: 5, Size: "small", Mixes: 2, Policies: 1, Simulations: 4,
		Rows: []Row{{Label: "STP", Paper: &paper, From: "text 6", Ours: &ours, Mixes: 2, OfMixes: 4, Low: new(1.2), High: new(1.375)}, {Label: "ANTT", Unit: "%"}}}
	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out))
	assert.Equal(t, `n: a (S, Figure 1)
┌──────┬──────┬───────┬───────┬────────────────┬────────┬────────────┬──────────────────┐
│      │ Unit │ Paper │  Ours │  95 % interval │  Mixes │ Difference │ Paper's value is │
├──────┼──────┼───────┼───────┼────────────────┼────────┼────────────┼──────────────────┤
│ STP  │      │ 1.300 │ 1.250 │ 1.200 to 1.375 │ 2 of 4 │     -0.050 │ text 6           │
│ ANTT │ %    │     - │     - │              - │      - │          - │                  │
└──────┴──────┴───────┴───────┴────────────────┴────────┴────────────┴──────────────────┘
On g. Mixes: 2; policies: 1; each ran for 5 cycles, inputs of size small; simulations, single applications included: 4.
But so.
`, out.String())
	out.Reset()
	require.NoError(t, experiment.WriteJSON(&out, r))
	var back Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	assert.Equal(t, *r, back)
	assert.Contains(t, out.String(), `"paper": null`)
	r.Cycles, r.OwnWindows, r.Size = 0, true, ""
	assert.Equal(t, "On g. Mixes: 2; policies: 1; each ran for a window of its own; simulations, single applications included: 4.", r.Conditions())
}

func TestReportSaysWhatWasRun(t *testing.T) {
	for name, want := range map[string]Report{
		"thesis-fig5.4": {Mixes: 12, Policies: 4, Size: "small and tiny"},
		"smk-fig16":     {Mixes: 45, Policies: 4, Size: "small"},
		// Pairs and single applications; those alone are under four policies.
		"heterocore-fig6": {Mixes: 22 + 12, Policies: 3 + 4, Size: "medium"},
		"qos-fig6":        {Mixes: 26, Policies: 4, Size: "medium"}, // each with three goals, trios with one and with two
	} {
		e, err := Find(name)
		require.NoError(t, err)
		r, err := e.Report(dataOf(e, Quick, equal), 7)
		require.NoError(t, err)
		assert.Equal(t, want, Report{Mixes: r.Mixes, Policies: r.Policies, Size: r.Size}, name)
	}
}

func TestKernelTimesAreThoseOfTheLaunches(t *testing.T) {
	e, err := Find("thesis-times")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		if strings.HasPrefix(r.Apps[0], "histo") {
			result.Kernels[0].Launches = []experiment.LaunchResult{
				{Kernel: "prescan", StartCycle: 100, EndCycle: 100 + 706*10},
				{Kernel: "prescan", StartCycle: 200, EndCycle: 200 + 706*30},
				{Kernel: "main", StartCycle: 300, EndCycle: 300 + 706*300},
				{Kernel: "final", StartCycle: 400}, // did not end
			}
		}
		return result
	}))
	require.NoError(t, err)
	assert.InDelta(t, 20, *find(t, rows, "prescan (histo)").Ours, 1e-9)
	assert.InDelta(t, 300, *find(t, rows, "main (histo)").Ours, 1e-9)
	assert.Nil(t, find(t, rows, "final (histo)").Ours)
	assert.Nil(t, find(t, rows, "spmvjds (spmv)").Ours)
	assert.InDelta(t, math.Sqrt(20/20.87*300/372.58), *find(t, rows, "geometric mean of ours over the paper's").Ours, 1e-9)
}

func TestAnotherMachineIsThatOfAllRuns(t *testing.T) {
	for _, e := range All() {
		s := Quick
		for _, r := range e.Runs(s) {
			// HeteroCore is compared with another GPU.
			other := e.Setting.GPU == hetero8b8s && r.GPU == "fermi16"
			assert.True(t, other || strings.HasPrefix(r.GPU, e.Setting.GPU), "%s: %s", e.Name, r.GPU)
		}
		s.GPU = "mine.yaml?sms=4"
		for _, r := range e.Runs(s) {
			assert.True(t, r.GPU == s.GPU || strings.HasPrefix(r.GPU, s.GPU+"&"), "%s: %s", e.Name, r.GPU)
		}
	}
}

func TestContextsAreWhatMovesBothWaysOfTheTraffic(t *testing.T) {
	e, err := Find("smk-fig10")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		result.DRAM.Bytes = 1000
		result.Kernels[0].ContextBytes, result.Kernels[1].RestoredBytes = 30, 20
		return result
	}))
	require.NoError(t, err)
	row := find(t, rows, "contexts in DRAM traffic, C+M, SMK-P")
	assert.InDelta(t, 5, *row.Ours, 1e-9)
	assert.Equal(t, "%", row.Unit)
}

// What a search asks for is made once, and the search goes on with what it was.
func TestRunsThatResultsAskForAreMadeOnce(t *testing.T) {
	e, err := Find("ccbp-fig4")
	require.NoError(t, err)
	rounds, seen := 0, map[string]bool{}
	d := NewData(Quick, presets.Load, nil, nil)
	var runs []experiment.Spec
	var results []*experiment.Result
	for next := e.Runs(Quick); next != nil; next = e.More(d) {
		rounds++
		for _, r := range next {
			assert.False(t, seen[keyOf(r)], "%s", r)
			seen[keyOf(r)] = true
			results = append(results, ccbpStory(func(experiment.Spec, string) float64 { return 1 })(r))
		}
		runs = append(runs, next...)
		d = NewData(Quick, presets.Load, runs, results)
	}
	assert.Equal(t, 3, rounds)
	_, err = e.Rows(d)
	require.NoError(t, err)
	_, err = e.Rows(NewData(Quick, presets.Load, runs[:1], results[:1]))
	assert.ErrorContains(t, err, "was not simulated")
}
