package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/metrics"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample has two policies; under the second a tenant starves.
func sample() []*Result {
	kernels := func(ipc ...float64) (list []KernelResult) {
		for i, app := range []string{"profile:sgemm", "profile:lbm?arch=k20c&x=1"} {
			k := KernelResult{Name: "kernel" + string(rune('A'+i)), App: app, WarpInstructions: 1234, ThreadInstructions: 39488,
				Cycles: 200000, IPC: ipc[i], IsolatedIPC: 800, NormalizedIPC: Figure(ipc[i] / 800), NTT: undefined, Completions: uint64(i), ArrivalCycle: uint64(7 * i), Priority: -i,
				TurnaroundCycles: []uint64{300, 301}, MeanTurnaroundCycles: 300.5, MeanTurnaroundUS: 0.25, IsolatedTurnaroundCycles: 200,
				Stalls: map[string]uint64{"issued": 1200, "raw_long": 7}, L1: CacheResult{Accesses: 100, Hits: 60}}
			k.promise(0)
			if ipc[i] > 0 {
				k.NTT = Figure(800 / ipc[i])
			}
			list = append(list, k)
		}
		return list
	}
	return []*Result{
		{Schema: Schema, GPU: "gtx980", Policy: "spart", Seed: 1, Version: "dev", ConfigHash: "0123456789abcdef", Mode: "cycles",
			Cycles: 200000, WarpInstructions: 2468, ThreadInstructions: 78976, WallSeconds: 1.25, IsolatedWallSeconds: 2.5,
			Kernels: kernels(400, 600), STP: 1.25, ANTT: 1.6666666666666665, Fairness: 0.6666666666666666, WSpeedup: 1.25, HSpeedup: 0.6},
		{Schema: Schema, GPU: "gtx980", Policy: "fcfs", Seed: 1, Version: "dev", ConfigHash: "fedcba9876543210", Mode: "cycles",
			Cycles: 200000, WallSeconds: 1, Kernels: kernels(800, 0), STP: 1, ANTT: undefined, WSpeedup: 1},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

func TestTableShowsTenantsAndPolicies(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteTable(&out, sample()...))
	golden(t, "table.txt", out.Bytes())
}

// promised is the sample with goals: the first tenant's is reached, the second's is
// missed under the second policy.
func promised() []*Result {
	results := sample()
	for _, r := range results {
		r.Kernels[0].promise(400)
		r.Kernels[1].promise(float64(600 - 100*r.Kernels[1].Completions))
	}
	return results
}

func TestTableSaysOfGoalsWhetherTheyWereReached(t *testing.T) {
	var out bytes.Buffer
	results := promised()
	results[0].Kernels[1].promise(0)
	require.NoError(t, WriteTable(&out, results...))
	golden(t, "goals.txt", out.Bytes())
}

func TestGoalIsReportedExactly(t *testing.T) {
	for _, c := range []struct {
		ipc, goal, over float64
		reached         bool
		words           string
	}{
		{400, 400, 1, true, "reached"},
		{500, 400, 1.25, true, "reached"},
		{math.Nextafter(400, 0), 400, math.Nextafter(1, 0), false, "missed by 1e-14 %"},
		{399, 400, 0.9975, false, "missed by 0.2 %"},
		{100, 400, 0.25, false, "missed by 75.0 %"},
		{0, 400, 0, false, "missed by 100.0 %"},
	} {
		k := KernelResult{IPC: c.ipc}
		k.promise(c.goal)
		require.True(t, k.HasGoal())
		assert.Equal(t, []any{Figure(c.goal), Figure(c.over), c.reached, c.words}, []any{k.GoalIPC, k.IPCOverGoal, *k.GoalReached, k.Promise()})
	}
	k := KernelResult{IPC: 5}
	k.promise(0)
	assert.False(t, k.HasGoal() || k.GoalIPC.Defined() || k.IPCOverGoal.Defined())
	assert.Empty(t, k.Promise())
}

func TestGoalsInJSONAndCSV(t *testing.T) {
	r := promised()[1]
	r.Kernels[0].promise(0)
	var out bytes.Buffer
	require.NoError(t, WriteJSON(&out, r))
	var list struct{ Kernels []map[string]any }
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	for i, want := range []map[string]any{{"goal_ipc": nil, "ipc_over_goal": nil, "goal_reached": nil}, {"goal_ipc": 500.0, "ipc_over_goal": 0.0, "goal_reached": false}} {
		for name, value := range want {
			got, there := list.Kernels[i][name]
			assert.True(t, there, name)
			assert.Equal(t, value, got, name)
		}
	}
	out.Reset()
	require.NoError(t, WriteCSV(&out, r))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	first := slices.Index(rows[0], "goal_ipc")
	assert.Equal(t, [][]string{{"goal_ipc", "ipc_over_goal", "goal_reached"}, {"", "", ""}, {"500", "0", "false"}}, [][]string{rows[0][first : first+3], rows[1][first : first+3], rows[2][first : first+3]})
}

func TestRunReachesGoalsIfAllTenantsDo(t *testing.T) {
	_, has := sample()[0].Case()
	assert.False(t, has)
	for i, want := range []metrics.Case{{IPC: 400, Goal: 400}, {IPC: 0, Goal: 500}} {
		c, has := promised()[i].Case()
		assert.True(t, has)
		assert.Equal(t, want, c)
	}
}

func TestInstructionsOfARunAreThoseOfACompleteOne(t *testing.T) {
	k := KernelResult{Launches: []LaunchResult{{ThreadInstructions: 30}, {ThreadInstructions: 12}}, ThreadInstructions: 100}
	assert.Zero(t, k.RunInstructions())
	k.Completions = 2
	assert.Equal(t, uint64(42), k.RunInstructions())
}

func TestCSVHasOneRowForEachTenant(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteCSV(&out, sample()...))
	golden(t, "results.csv", out.Bytes())
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+4)
	seen := map[string]bool{}
	for _, name := range rows[0] {
		assert.False(t, seen[name], "column %s is there twice", name)
		seen[name] = true
	}
}

func TestJSONReadsBackAsItWasWritten(t *testing.T) {
	var out bytes.Buffer
	want := blocked()
	require.NoError(t, WriteJSON(&out, want))
	assert.True(t, strings.HasPrefix(out.String(), "{\n  \"schema\": 2,\n  \"gpu\": \"gtx980\",\n"))
	assert.Contains(t, out.String(), `"app": "profile:lbm?arch=k20c&x=1"`)
	var got Result
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, want, &got)
}

func TestWhatIsNotDefinedIsNullInJSONAndEmptyInCSV(t *testing.T) {
	starved := sample()[1]
	var out bytes.Buffer
	require.NoError(t, WriteJSON(&out, starved))
	assert.Contains(t, out.String(), `"ntt": null,`)
	assert.Contains(t, out.String(), `"antt": null,`)
	assert.Contains(t, out.String(), `"fairness": 0,`, "which is its worst value, and defined")
	var got Result
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.False(t, got.ANTT.Defined() || got.Kernels[1].NTT.Defined())
	assert.True(t, got.Kernels[0].NTT.Defined())
	out.Reset()
	require.NoError(t, WriteCSV(&out, starved))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	for name, want := range map[string][2]string{"antt": {"", ""}, "fairness": {"0", "0"}, "ntt": {"1", ""}, "normalized_ipc": {"1", "0"}} {
		at := slices.Index(rows[0], name)
		assert.Equal(t, want, [2]string{rows[1][at], rows[2][at]}, name)
	}
}

func TestSweepCSVNumbersTheRunsAndHasNoWallTimes(t *testing.T) {
	var out bytes.Buffer
	results := sample()
	require.NoError(t, WriteSweepCSV(&out, []*Result{nil, results[0], results[1]}))
	for _, r := range results {
		r.WallSeconds, r.IsolatedWallSeconds = r.WallSeconds+1, r.IsolatedWallSeconds+1
	}
	var again bytes.Buffer
	require.NoError(t, WriteSweepCSV(&again, []*Result{nil, results[0], results[1]}))
	assert.Equal(t, out.String(), again.String())
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	var runs []string
	for _, row := range rows {
		require.Len(t, row, len(columns)-2+1)
		runs = append(runs, row[0])
	}
	assert.Equal(t, []string{"run", "2", "2", "3", "3"}, runs)
	assert.Equal(t, []string{"schema", "gpu", "policy"}, rows[0][1:4])
}

func TestSummarySaysInHowManyMixesGoalsWereReached(t *testing.T) {
	var out bytes.Buffer
	results := promised()
	missed, none := *results[0], *sample()[0]
	missed.Kernels = slices.Clone(missed.Kernels)
	missed.Kernels[1].promise(601)
	require.NoError(t, WriteSummary(&out, []*Result{results[0], nil, results[1], &missed, &none}))
	golden(t, "summary_goals.txt", out.Bytes())
}

func TestSummaryIsTheMeanOfTheMixes(t *testing.T) {
	var out bytes.Buffer
	results := sample()
	more := *results[0]
	more.STP, more.ANTT, more.Fairness = 1.75, 1.8, 0.7
	more.Kernels = slices.Clone(more.Kernels)
	more.Kernels[1].App = "another" // the mix of the first two lacks an ANTT under fcfs
	require.NoError(t, WriteSummary(&out, []*Result{results[0], nil, results[1], &more}))
	golden(t, "summary.txt", out.Bytes())
}

// blocked is a run on a GPU that has a block, which counts 3 packets, of tenant
// 1, and 7 drops of none.
func blocked() *Result {
	r := promised()[0]
	r.Blocks = map[string]stats.Group{"gate": {Total: stats.Counts{{Name: "drops", Value: 7}, {Name: "packets", Value: 3}},
		Tenants: []stats.Counts{{{Name: "packets", Value: 0}}, {{Name: "packets", Value: 3}}}}}
	return r
}

func TestCSVEndsInTheCountersOfBlocks(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteCSV(&out, sample()[1], blocked()))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	var last [][]string
	for _, row := range rows {
		last = append(last, row[len(columns):])
	}
	assert.Equal(t, [][]string{{"total_blocks_gate_drops", "total_blocks_gate_packets", "blocks_gate_packets"},
		{"", "", ""}, {"", "", ""}, // that GPU has no gate
		{"7", "3", "0"}, {"7", "3", "3"}}, last)
}

// spartForm belongs to a policy of this test: nothing else knows its columns.
var spartForm = &policy.Form{Name: "sets", Title: "Set", Plural: "sets of kernels", RowsKey: "kernels",
	Facts: []policy.Column{{Name: "present", Title: "the last", Kind: policy.Present}, {Name: "phase", Title: "phase", Kind: policy.Text}},
	Columns: []policy.Column{
		{Name: "tenant", Title: "tenant", Kind: policy.TenantNumber},
		{Name: "traffic.type", Title: "type", Kind: policy.Text},
		{Name: "traffic.demand", Title: "demand", Kind: policy.Number},
		{Name: "traffic.rf", Title: "rf", Kind: policy.Number, Detail: true},
		{Name: "ctas", Title: "CTAs"},
		{Name: "rate", Title: "rate", Kind: policy.Number},
		{Name: "first", Title: "first", Kind: policy.Flag}}}

var spartNote = &policy.Form{Name: "rehearsal", Note: "learnt in {cycles} cycles{settled}.",
	Facts: []policy.Column{{Name: "cycles"}, {Name: "settled", Kind: policy.Flag, Words: [2]string{", and not all", ""}}}}

// explaining is a policy that explains itself with tables.
type explaining struct{ tables []policy.Table }

func (explaining) Decide(*policy.View, policy.Actions) {}

func (e explaining) Needs() policy.Needs {
	return policy.Needs{Explain: func() []policy.Table { return e.tables }}
}

func silent(*policy.Options) policy.Policy { return explaining{} }

func init() {
	policy.Register(policy.Descriptor{Name: "spart", Explains: []*policy.Form{spartNote, spartForm}, New: silent})
}

// decisive is the sample with an explanation of the first policy: eleven sets, and the last
// set ran last.
func decisive(notes ...policy.Table) []*Result {
	results := sample()
	sets := policy.Table{Form: spartForm}
	for i := range 11 {
		sets.Sections = append(sets.Sections, policy.Section{Facts: policy.Cells{"present": i == 10, "phase": "settled"}, Rows: []policy.Cells{
			{"tenant": 0, "ctas": i, "first": true, "traffic.type": "LS", "traffic.demand": 8.625},
			{"tenant": 1, "ctas": 4, "first": false, "rate": 14.4}}})
	}
	results[0].Decision = policy.Explain(explaining{append(notes, sets)})
	return results
}

func TestTableWritesThePoliciesNotes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteTable(&out, decisive(spartNote.With(policy.Cells{"cycles": 12345, "settled": false}))...))
	require.Contains(t, out.String(), "spart: learnt in 12345 cycles, and not all.\nspart: 2 more sets of kernels are in the JSON form.\n")
}

func TestTableSaysWhatPoliciesDecided(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteTable(&out, decisive()...))
	golden(t, "decision.txt", out.Bytes())
}

func TestTablesOfOtherColumnsAreApart(t *testing.T) {
	results := sample()
	form := &policy.Form{Name: "kinds", Columns: []policy.Column{
		{Name: "tenant", Title: "tenant", Kind: policy.TenantNumber},
		{Name: "big", Title: "IPC on a big SM", Kind: policy.Number},
		{Name: "small", Title: "on a small SM", Kind: policy.Number},
		{Name: "sms", Title: "big SMs"}}}
	policy.Register(policy.Descriptor{Name: "kinds", Explains: []*policy.Form{form}, New: silent})
	results[1].Policy = "kinds"
	results[1].Decision = policy.Explain(explaining{[]policy.Table{form.With(nil,
		policy.Cells{"tenant": 0, "big": 41.25, "small": 20.5, "sms": 8}, policy.Cells{"tenant": 1, "small": 17.0, "sms": 0})}})
	var out bytes.Buffer
	require.NoError(t, WriteTable(&out, results...))
	lines := strings.Split(out.String(), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "IPC on a big SM") })
	require.Positive(t, at)
	fields := func(line string) (list []string) {
		for _, f := range strings.Split(strings.Trim(line, "│"), "│") {
			list = append(list, strings.TrimSpace(f))
		}
		return list
	}
	require.Equal(t, []string{"Policy", "Tenant", "IPC on a big SM", "On a small SM", "Big SMs"}, fields(lines[at]))
	require.Equal(t, []string{"41.2", "20.5", "8"}, fields(lines[at+2])[2:])
	require.Equal(t, []string{"-", "17.0", "0"}, fields(lines[at+3])[2:])
	require.NotContains(t, out.String(), "Demand", "a table of nothing")
}

func TestDecisionComesBackFromJSON(t *testing.T) {
	var out bytes.Buffer
	r := decisive()[0]
	require.NoError(t, WriteJSON(&out, r))
	back := &Result{}
	require.NoError(t, json.Unmarshal(out.Bytes(), back))
	require.JSONEq(t, string(r.Decision), string(back.Decision))
	require.Equal(t, policy.Tables("spart", r.Decision), policy.Tables("spart", back.Decision))
	require.Equal(t, 8.625, policy.Tables("spart", back.Decision)[0].Sections[3].Rows[0]["traffic.demand"])
	out.Reset()
	require.NoError(t, WriteJSON(&out, sample()[1]))
	require.NotContains(t, out.String(), "decision", "who explains nothing")
}
