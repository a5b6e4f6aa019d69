package reproduce

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// policySpec is a policy by its name alone.
type policySpec struct{ spec string }

var (
	naive          = policySpec{"qos:scheme=naive"}
	spartQoS       = policySpec{"spart-qos"}
	rollover       = policySpec{"qos:scheme=rollover"}
	rolloverTime   = policySpec{"qos:scheme=rollover-time"}
	rolloverIdeal  = policySpec{"qos:scheme=rollover,preempt=ideal"}
	rolloverPast   = policySpec{"qos:scheme=rollover,history=off"}
	rolloverStatic = policySpec{"qos:scheme=rollover,adjust=off"}
)

func TestPairsWithGoalsAreThe90OfThePaper(t *testing.T) {
	for _, c := range []struct {
		s            Scale
		mixes, of    int   // of one application with a goal
		cases        []int // pairs, C+C, C+M, M+M, trios
		fewer, trios int   // mixes on 56 SMs, trios
	}{
		{Full, 90, 9, []int{900, 120, 480, 300, 600, 600}, 90, 60},
		{Quick, 20, 2, []int{60, 12, 30, 18, 18, 18}, 7, 6},
	} {
		pairs, seen, with := mixesIn(t, "qos-fig7", "pairs", c.s), map[string]bool{}, map[string]int{}
		for _, mix := range pairs {
			seen[title(mix)] = true
			with[mix[0]]++
			assert.NotEqual(t, mix[0], mix[1])
		}
		assert.Len(t, seen, c.mixes)
		assert.Len(t, with, 10)
		for app, n := range with {
			assert.Equal(t, c.of, n, app)
		}
		assert.Equal(t, c.cases, sizesIn(t, "qos-fig7", c.s, "pairs", "C+C", "C+M", "M+M", "trios with one goal", "trios with two goals"))
		assert.Len(t, mixesIn(t, "qos-fig12", "few", c.s), c.fewer)
		assert.Len(t, mixesIn(t, "qos-fig6", "trios with one goal", c.s), c.trios)
	}
}

// Each application once with a partner of each class (spec of the quick scale).
func TestQuickPairsHaveBothClassesOfPartners(t *testing.T) {
	pairs := mixesIn(t, "qos-fig6", "pairs", Quick)
	for i, app := range slices.Concat(compute, memory) {
		require.Equal(t, app, pairs[2*i][0])
		require.Equal(t, app, pairs[2*i+1][0])
		assert.Contains(t, compute, pairs[2*i][1])
		assert.Contains(t, memory, pairs[2*i+1][1])
	}
	assert.Equal(t, []string{"tpacf", "cutcp"}, pairs[6])
	assert.Equal(t, []string{"tpacf", "sad"}, pairs[7])
	assert.Equal(t, []string{"stencil", "mri-q"}, pairs[18])
	assert.Equal(t, []string{"stencil", "histo"}, pairs[19])
}

func TestTriosAreEverySecondSetTurnedByItsNumber(t *testing.T) {
	full := mixesIn(t, "qos-fig6", "trios with one goal", Full)
	assert.Equal(t, [][]string{{"cutcp", "histo", "lbm"}, {"histo", "mri-q", "cutcp"}, {"sgemm", "cutcp", "histo"}, {"cutcp", "histo", "stencil"}}, full[:4])
	assert.Equal(t, full, mixesIn(t, "qos-fig6", "trios with two goals", Full))
	sets, first := map[string]bool{}, map[string]int{}
	for _, mix := range full {
		first[mix[0]]++
		sorted := slices.Sorted(slices.Values(mix))
		assert.Len(t, slices.Compact(slices.Clone(sorted)), 3)
		sets[title(sorted)] = true
	}
	assert.Len(t, sets, 60)
	assert.Len(t, first, 10, "every application has a goal in some")
	for i, mix := range mixesIn(t, "qos-fig6", "trios with one goal", Quick) {
		assert.Equal(t, full[10*i], mix)
	}
}

func TestGoalsAreThoseOfThePaper(t *testing.T) {
	f := figureOf(t, "qos-fig6")
	assert.Equal(t, []int{50, 75, 95}, f.group(Quick, "pairs").percents())
	assert.Equal(t, []int{25, 50, 70}, f.group(Quick, "trios with two goals").percents())
	assert.Equal(t, []int{50, 55, 60, 65, 70, 75, 80, 85, 90, 95}, f.group(Full, "trios with one goal").percents())
	assert.Equal(t, []int{25, 30, 35, 40, 45, 50, 55, 60, 65, 70}, f.group(Full, "trios with two goals").percents())
	assert.Equal(t, []string{"cutcp?size=medium&set=regions:26&qos=0.55", "histo?size=medium"},
		f.specs(Quick, &way{}, &mix{apps: []string{"cutcp", "histo"}, goals: 1, percent: 55}))
	assert.Equal(t, []string{"lbm?size=medium&qos=0.7", "sad?size=medium&qos=0.7", "spmv?size=medium"},
		f.specs(Full, &way{}, &mix{apps: []string{"lbm", "sad", "spmv"}, goals: 2, percent: 70}))
}

func TestRunsOfTheQoSExperiments(t *testing.T) {
	quick, full := map[string]bool{}, map[string]bool{}
	for name, want := range map[string][2]int{
		"qos-fig5": {60, 900}, "qos-fig6": {240 + 36 + 36, 3600 + 1200 + 1200}, "qos-fig7": {120, 1800}, "qos-fig8": {192, 4200},
		"qos-fig9": {120, 1800}, "qos-fig10": {120, 1800}, "qos-fig11": {120, 1800}, "qos-fig12": {42, 1800}, "qos-fig13": {42, 1800},
		"qos-fig14": {120, 1800}, "qos-text48": {198, 3000},
	} {
		e, err := Find(name)
		require.NoError(t, err)
		for i, s := range []Scale{Quick, Full} {
			runs := e.Runs(s)
			assert.Len(t, runs, want[i], name)
			for _, r := range runs {
				require.Equal(t, s.Cycles, r.Cycles)
				[]map[string]bool{quick, full}[i][keyText(r.GPU, r.Policy, r.Apps)] = true
			}
		}
	}
	// What figures have in common is run once: seven policies on the pairs and one on
	// the M+M ones, two on both kinds of trios, two on 56 SMs.
	assert.Len(t, quick, 7*60+18+4*18+2*21)
	assert.Len(t, full, 7*900+300+4*600+2*900)
}

func TestEveryRunOfTheQoSExperimentsParses(t *testing.T) {
	for _, e := range All() {
		if !strings.HasPrefix(e.Name, "qos-") {
			continue
		}
		for _, r := range e.Runs(Full) {
			_, err := policy.Parse(r.Policy)
			require.NoError(t, err)
			goals := 0
			for i, app := range r.Apps {
				rest, a, err := source.Split(app)
				require.NoError(t, err)
				assert.NotContains(t, rest, "qos")
				if a.QoS > 0 {
					assert.Equal(t, i, goals, "the first have goals")
					goals++
				}
			}
			assert.Positive(t, goals)
			assert.Less(t, goals, len(r.Apps))
		}
	}
}

// promised makes the results of a set's runs. Each application has an IPC of 1000 alone.
// outcome gives the ratio of tenants with goals to their goals, and the normalised IPC of
// the rest.
func promised(t *testing.T, name string, s Scale, outcome func(p string, app string, goal float64) (over, other float64)) ([]Row, *Data) {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	d := dataOf(e, s, func(r experiment.Spec) *experiment.Result {
		result := &experiment.Result{Cycles: r.Cycles}
		first, over, other := "", 0.0, 0.0
		for i, app := range r.Apps {
			_, a, err := source.Split(app)
			require.NoError(t, err)
			if i == 0 {
				first, _, _ = strings.Cut(app, "?")
				over, other = outcome(r.Policy, first, a.QoS)
			}
			if a.QoS == 0 {
				result.Kernels = append(result.Kernels, experiment.KernelResult{NormalizedIPC: experiment.Figure(other)})
				continue
			}
			result.Kernels = append(result.Kernels, experiment.KernelResult{IPC: over * 1000 * a.QoS, GoalIPC: experiment.Figure(1000 * a.QoS)})
		}
		return result
	})
	rows, err := e.Rows(d)
	require.NoError(t, err)
	return rows, d
}

// Rollover reaches 50 and 75 %, and 95 % for cutcp alone; Spart 50 %, and 75 % for
// the six memory-intensive applications. What is not reached has figures that would
// show in a mean.
func story(p, app string, goal float64) (over, other float64) {
	m := slices.Contains(memory, app)
	switch {
	case p == rollover.spec && goal == 0.5:
		return 1.02, 0.6
	case p == rollover.spec && goal == 0.75:
		if m {
			return 1.04, 0.4
		}
		return 1.04, 0.7
	case p == rollover.spec && app == "cutcp":
		return 1, 0.2
	case p == spartQoS.spec && goal == 0.5:
		return 1.1, 0.3
	case p == spartQoS.spec && goal == 0.75 && m:
		return 1.2, 0.25
	}
	return 0.97, 0.9
}

func ours(t *testing.T, rows []Row, label string) float64 {
	t.Helper()
	r := find(t, rows, label)
	require.NotNil(t, r.Ours, label)
	return *r.Ours
}

func TestReachIsTheShareOfTheCases(t *testing.T) {
	rows, _ := promised(t, "qos-fig6", Quick, func(p, app string, goal float64) (float64, float64) {
		if p == naive.spec {
			return 0.9999, 1
		}
		return story(p, app, goal)
	})
	for label, want := range map[string]float64{
		"pairs, 50 %, Rollover": 100, "pairs, 75 %, Rollover": 100, "pairs, 95 %, Rollover": 10, "pairs, all goals, Rollover": 70,
		"pairs, 50 %, Spart": 100, "pairs, 75 %, Spart": 60, "pairs, 95 %, Spart": 0, "pairs, all goals, Spart": 100 * 32. / 60,
		"pairs, all goals, Naive": 0, "pairs, all goals, Rollover over Spart": 100 * (42./32 - 1),
	} {
		assert.InDelta(t, want, ours(t, rows, "QoSreach, "+label), 1e-9, label)
	}
	assert.Equal(t, 78.8, *find(t, rows, "QoSreach, pairs, all goals, Spart").Paper)
	assert.Equal(t, 0.0, *find(t, rows, "QoSreach, trios with two goals, 70 %, Spart").Paper)
}

// The second of two goals counts as much as the first.
func TestTwoGoalsAreReachedTogether(t *testing.T) {
	e, err := Find("qos-fig6")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		for i := range r.Apps {
			result.Kernels[i].GoalIPC, result.Kernels[i].IPC = 100, 100
		}
		if strings.HasPrefix(r.Apps[1], "histo") {
			result.Kernels[1].IPC = 99
		}
		return result
	}))
	require.NoError(t, err)
	seconds := 0
	for _, mix := range mixesIn(t, "qos-fig6", "trios with two goals", Quick) {
		if mix[1] == "histo" {
			seconds++
		}
	}
	require.Positive(t, seconds)
	assert.InDelta(t, 100*float64(6-seconds)/6, ours(t, rows, "QoSreach, trios with two goals, all goals, Rollover"), 1e-9)
	assert.Equal(t, 100.0, ours(t, rows, "QoSreach, trios with one goal, all goals, Rollover"), "there it has none")
}

func TestReachByApplicationAndClass(t *testing.T) {
	rows, _ := promised(t, "qos-fig7", Quick, story)
	for label, want := range map[string]float64{
		"QoSreach, cutcp, all goals, Rollover": 100, "QoSreach, histo, all goals, Rollover": 100 * 4. / 6, "QoSreach, histo, all goals, Spart": 100 * 4. / 6,
		"QoSreach, sgemm, all goals, Spart": 100 * 2. / 6, "QoSreach, C+C, all goals, Rollover": 100 * 9. / 12, "QoSreach, C+C, all goals, Spart": 100 * 4. / 12,
		"QoSreach, C+M, all goals, Rollover": 100 * 21. / 30, "QoSreach, C+M, all goals, Spart": 100 * 16. / 30, "QoSreach, M+M, all goals, Spart": 100 * 12. / 18,
		"applications that reach all goals, Rollover": 1, "applications that reach all goals, Spart": 0,
		"QoSreach, pairs, all goals, Rollover": 100 * 42. / 60, "QoSreach, pairs, all goals, Spart": 100 * 32. / 60,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
}

func TestThroughputIsThatOfTheCasesThatReachTheirGoals(t *testing.T) {
	rows, _ := promised(t, "qos-fig8", Quick, story)
	roll, spatial := (20*0.6+12*0.4+8*0.7+2*0.2)/42, (20*0.3+12*0.25)/32
	for label, want := range map[string]float64{
		"throughput, pairs, 50 %, Spart": 0.3, "throughput, pairs, 75 %, Spart": 0.25, "throughput, pairs, all goals, Spart": spatial,
		"throughput, pairs, 50 %, Rollover": 0.6, "throughput, pairs, 75 %, Rollover": 0.52, "throughput, pairs, 95 %, Rollover": 0.2,
		"throughput, pairs, all goals, Rollover":                             roll,
		"throughput, pairs, all goals, Rollover over Spart":                  100 * (roll/spatial - 1),
		"throughput, pairs, 75 %, Rollover over Spart":                       108,
		"reached by both, pairs, 75 %, Spart and Rollover":                   60,
		"reached by both, pairs, all goals, Spart and Rollover":              100 * 32. / 60,
		"throughput where both reach, pairs, 75 %, Rollover over Spart":      60,
		"throughput where both reach, pairs, all goals, Rollover over Spart": 100 * ((20*0.6+12*0.4)/(20*0.3+12*0.25) - 1),
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	for _, label := range []string{"throughput, pairs, 95 %, Spart", "throughput, pairs, 95 %, Rollover over Spart", "throughput where both reach, pairs, 95 %, Rollover over Spart"} {
		assert.Nil(t, find(t, rows, label).Ours, label+": none is reached")
	}
	assert.Equal(t, 75.5, *find(t, rows, "throughput, trios with one goal, 95 %, Rollover over Spart").Paper)
	assert.Equal(t, 900.0, *find(t, rows, "throughput, trios with two goals, 70 %, Rollover over Spart").Paper)
}

// Two tenants without goals count as one, by their mean.
func TestThroughputOfSeveralTenantsIsTheirMean(t *testing.T) {
	e, err := Find("qos-fig8")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := equal(r)
		for i := range r.Apps {
			result.Kernels[i].GoalIPC, result.Kernels[i].IPC = 100, 100
			result.Kernels[i].NormalizedIPC = experiment.Figure([]float64{0.1, 0.2, 0.6}[i])
		}
		return result
	}))
	require.NoError(t, err)
	for label, want := range map[string]float64{"pairs": 0.2, "trios with one goal": 0.4, "trios with two goals": 0.6} {
		assert.InDelta(t, want, ours(t, rows, "throughput, "+label+", all goals, Spart"), 1e-9, label)
	}
}

func TestGoalsAreExceededByTheCasesThatReachThem(t *testing.T) {
	rows, _ := promised(t, "qos-fig9", Quick, story)
	for label, want := range map[string]float64{
		"over the goal, pairs, 50 %, Rollover":                       2,
		"over the goal, pairs, 95 %, Rollover":                       0,
		"over the goal, pairs, all goals, Rollover":                  (20*2 + 20*4.) / 42,
		"over the goal, pairs, all goals, Spart":                     (20*10 + 12*20.) / 32,
		"over the goal where both reach, pairs, 75 %, Rollover":      4,
		"over the goal where both reach, pairs, all goals, Spart":    (20*10 + 12*20.) / 32,
		"over the goal where both reach, pairs, all goals, Rollover": (20*2 + 12*4.) / 32,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	assert.Nil(t, find(t, rows, "over the goal, pairs, 95 %, Spart").Ours)
}

func TestMissesAreCountedByTheirSize(t *testing.T) {
	rows, _ := promised(t, "qos-fig5", Quick, func(_, app string, goal float64) (float64, float64) {
		switch goal {
		case 0.5:
			return 1.013, 1
		case 0.75:
			return 0.96, 1
		}
		if app == "cutcp" {
			return 0.5, 1
		}
		return 0.88, 1
	})
	for label, want := range map[string]float64{
		"QoSreach, pairs, all goals, Naive": 100. / 3, "missed, pairs, all goals, Naive": 200. / 3,
		"missed by at most 5 %, pairs, all goals, Naive": 100. / 3, "missed by 5 to 10 %, pairs, all goals, Naive": 0,
		"missed by 10 to 15 %, pairs, all goals, Naive": 100 * 18. / 60, "missed by more than 20 %, pairs, all goals, Naive": 100 * 2. / 60,
		"missed by at most 5 %, of all missed": 50, "over the goal, pairs, all goals, Naive": 1.3,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	rows, _ = promised(t, "qos-fig5", Quick, func(string, string, float64) (float64, float64) { return 1, 1 })
	assert.Nil(t, find(t, rows, "missed by at most 5 %, of all missed").Ours, "none is missed")
}

func TestTurnsAndSMsAreComparedInPoints(t *testing.T) {
	by := func(p, app string, goal float64) (float64, float64) {
		switch {
		case p == rolloverTime.spec && goal == 0.95:
			return 0.9, 0.1
		case p == rolloverTime.spec:
			return 1, 0.4
		}
		return story(p, app, goal)
	}
	rows, _ := promised(t, "qos-fig10", Quick, by)
	assert.InDelta(t, 70-100*2./3, ours(t, rows, "QoSreach, pairs, all goals, Rollover less Rollover-Time"), 1e-9)
	assert.Equal(t, "points", find(t, rows, "QoSreach, pairs, 50 %, Rollover less Rollover-Time").Unit)
	rows, _ = promised(t, "qos-fig11", Quick, by)
	assert.InDelta(t, 50, ours(t, rows, "throughput, pairs, 50 %, Rollover over Rollover-Time"), 1e-9)
	assert.Equal(t, 47.0, *find(t, rows, "throughput, pairs, all goals, Rollover over Rollover-Time").Paper)

	// Of the seven pairs with goals one has cutcp, which alone reaches 95 %, and four a
	// memory-intensive application.
	rows, _ = promised(t, "qos-fig12", Quick, story)
	assert.InDelta(t, 100*(15./21-11./21), ours(t, rows, "QoSreach, pairs, all goals, Rollover less Spart"), 1e-9)
	rows, _ = promised(t, "qos-fig13", Quick, story)
	assert.InDelta(t, 100, ours(t, rows, "throughput, pairs, 50 %, Rollover over Spart"), 1e-9)
}

func TestWhatIsSwitchedOffIsComparedWithRollover(t *testing.T) {
	rows, _ := promised(t, "qos-text48", Quick, func(p, app string, goal float64) (float64, float64) {
		switch {
		case p == rolloverIdeal.spec && app == "lbm" && goal == 0.5:
			return 0.9, 0.99 // does not count: missed
		case p == rollover.spec && app == "lbm" && goal == 0.5:
			return 1, 0.2 // counts where the other one's does not
		case p == rolloverIdeal.spec:
			return 1, 0.5
		case p == rolloverPast.spec && goal < 0.9, p == rolloverStatic.spec && goal > 0.9:
			return 0.9, 0.9
		case p == rolloverStatic.spec:
			return 1, 0.35
		case p == rollover.spec && goal == 0.75:
			return 0.9, 0.9
		}
		return 1, 0.49
	})
	for label, want := range map[string]float64{
		"cost of preemption, pairs, all goals, Rollover":                                             100 * (1 - (38*0.49+2*0.2)/40/0.5),
		"QoSreach, pairs, all goals, Rollover without history":                                       100. / 3,
		"QoSreach, pairs, all goals, Rollover over Rollover without history":                         100,
		"throughput, M+M, all goals, Rollover over Rollover without adjustment of thread blocks":     100 * ((11*0.49+0.2)/12/0.35 - 1),
		"reached by both, M+M, all goals, Rollover without adjustment of thread blocks and Rollover": 100. / 3,
		"cost of preemption where both reach, pairs, all goals, Rollover":                            2,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
}

// counted is a result with the given instructions, and bytes of DRAM as its only event.
func counted(instructions, bytes uint64) *experiment.Result {
	zero := func(names ...string) stats.Group {
		var g stats.Group
		for _, name := range names {
			g.Total = append(g.Total, stats.Count{Name: name})
		}
		return g
	}
	r := &experiment.Result{Cycles: 1_216_000, ThreadInstructions: instructions, SMs: make([]experiment.SMResult, 16), Stats: map[string]stats.Group{
		"sm":          zero("thread_instructions", "tensor_multiply_adds", "tensor_steps", "lsu_shared_accesses", "lsu_shared_conflicts", "l1_accesses", "l1_writes", "l1_atomics", "l1_bypasses", "l1_sectors"),
		"l2":          zero("reply_bytes", "written_sectors"),
		"request_noc": zero("packets", "flits"),
		"reply_noc":   zero("packets", "flits"),
		"dram":        zero("activates", "read_bytes", "written_bytes"),
	}}
	r.DRAM.Bytes = bytes
	r.Stats["sm"].Total[0].Value, r.Stats["dram"].Total[1].Value = instructions, bytes
	for range 2 {
		r.Kernels = append(r.Kernels, experiment.KernelResult{IPC: 100, GoalIPC: 100})
	}
	return r
}

// Static power takes 57.74 mJ in a millisecond. The bytes take as much again, and the
// instructions next to nothing.
func TestInstructionsPerWattAreComparedCaseByCase(t *testing.T) {
	e, err := Find("qos-fig14")
	require.NoError(t, err)
	d := dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		half := uint64(math.Round(57.74e-3 / (8 * 30.55e-12)))
		result := counted(1000, half)
		switch last := strings.HasSuffix(r.Apps[0], "qos=0.95"); {
		case r.Policy == rollover.spec && strings.HasPrefix(r.Apps[0], "cutcp"):
			result = counted(1000, 0) // twice as many a watt
		case r.Policy == rollover.spec && last:
			result = counted(1500, half)
		case last: // Spart
			result.Kernels[0].IPC = 99
		}
		return result
	})
	rows, err := e.Rows(d)
	require.NoError(t, err)
	for label, want := range map[string]float64{
		"instructions per watt, pairs, 50 %, Rollover over Spart":                       100 * 2. / 20,
		"instructions per watt, pairs, 95 %, Rollover over Spart":                       (100*2. + 50*18) / 20,
		"instructions per watt, pairs, all goals, Rollover over Spart":                  (100*6. + 50*18) / 60,
		"instructions per watt where both reach, pairs, all goals, Rollover over Spart": 100 * 4. / 40,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 0.01, label)
	}
	assert.Equal(t, 9.3, *find(t, rows, "instructions per watt, pairs, all goals, Rollover over Spart").Paper)
	rows, err = e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := counted(1, 1)
		delete(result.Stats, "l2")
		return result
	}))
	require.NoError(t, err)
	assert.Nil(t, find(t, rows, "instructions per watt, pairs, 50 %, Rollover over Spart").Ours, "a counter is missing")
}

func TestEventsAreSumsOfTheirCounters(t *testing.T) {
	gpu, err := presets.Load("smk16?reply_noc.flit_bytes=64")
	require.NoError(t, err)
	r := counted(7, 11)
	for i := range r.Stats["sm"].Total[1:] {
		r.Stats["sm"].Total[1+i].Value = 1 << i
	}
	r.Stats["l2"].Total[0].Value, r.Stats["l2"].Total[1].Value = 1000, 3
	r.Stats["request_noc"].Total[0].Value, r.Stats["request_noc"].Total[1].Value, r.Stats["reply_noc"].Total[1].Value = 10, 14, 9
	r.Stats["dram"].Total[0].Value = 13
	assert.Equal(t, metrics.Events{Seconds: 1e-3, SMs: 16, Instructions: 7 + 32*2, TensorMultiplyAdds: 1, SharedPasses: 4 + 8, L1Accesses: 16 + 32 + 64 + 128, L1Sectors: 256 + 4*(64+128) + 3,
		L2Bytes: 1000 + 4*32, Flits: 14 + 2*9, Activates: 13, DRAMBytes: 11}, gpu.Events(r.Stats, wiring.All, r.Cycles))
}

// A counter that is renamed would make the figure undefined.
func TestEventsOfARealRunAreAllThere(t *testing.T) {
	ofReal := func(gpu *wiring.Config, name string, cycles uint64) *experiment.Result {
		app, err := experiment.Open(name, source.Options{})
		require.NoError(t, err)
		run := experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Cycles: cycles, Seed: 1}, GPU: gpu, Apps: []experiment.App{app}}
		result, err := run.Do(context.Background())
		require.NoError(t, err)
		return result
	}
	a100, err := presets.Load("a100-1g")
	require.NoError(t, err)
	result := ofReal(a100, "gemm-f16?size=tiny", 0)
	assert.Equal(t, 128.*128*160, a100.Events(result.Stats, wiring.All, result.Cycles).TensorMultiplyAdds)

	gpu, err := presets.Load("smk16")
	require.NoError(t, err)
	result = ofReal(gpu, "sgemm?size=tiny", 20_000)
	events := reflect.ValueOf(gpu.Events(result.Stats, wiring.All, result.Cycles))
	for i := range events.NumField() {
		if name := events.Type().Field(i).Name; name != "TensorMultiplyAdds" {
			assert.Positive(t, events.Field(i).Float(), name)
		}
	}
	watts := metrics.Maxwell.Energy(gpu.Events(result.Stats, wiring.All, result.Cycles)) / (20_000 / 1216e6)
	assert.True(t, watts > 57 && watts < 300, "%v W", watts)
	// Every reply has its header in its first flit, so the flits behind it are the data.
	data := 32 * float64(result.NoC.RequestFlits-result.NoC.RequestPackets+result.NoC.ReplyFlits-result.NoC.ReplyPackets)
	assert.InEpsilon(t, data, gpu.Events(result.Stats, wiring.All, result.Cycles).L2Bytes, 0.05)
}
