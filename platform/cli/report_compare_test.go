package cli

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
)

// comparisonSteps reads the tables of a comparison's page, without the table of all numbers, its
// rows, and the series of its charts.
const comparisonSteps = chartSteps + `
found.tables = [...document.querySelectorAll("table:not(#all)")].map((table) => cells(table.rows));
found.all = cells(document.querySelectorAll("#all tbody tr"));
`

// comparisonWant is what the page of two runs of two tenants has to show of their results.
type comparisonWant struct {
	results [2]any            // JSON trees
	flat    [2]map[string]any // the numbers of results by path, but for those over time
	runs    []any             // names
	tenants []string
	rows    map[string][2]string // tenant and name by path
	order   []string             // of the paths
}

// pair are the cells of a number of both runs.
func (w *comparisonWant) pair(path string) []any {
	first, ok := w.flat[0][path].(float64)
	second, also := w.flat[1][path].(float64)
	a, b := any("-"), any("-")
	if ok {
		a = first
	}
	if also {
		b = second
	}
	if change := 100 * (second - first) / first; ok && also && first != 0 && change != 0 {
		b = fmt.Sprintf("%v (%+v %%)", second, change)
		if change >= 900 {
			b = fmt.Sprintf("%v (%v times)", second, 1+change/100)
		}
	}
	return items(a, b)
}

func (w *comparisonWant) figures(head []any, under string, start []any, names ...string) (rows []any) {
	if head != nil {
		rows = items(append(head, w.runs...))
	}
	for _, name := range names {
		rows = append(rows, append(append(slices.Clone(start), name), w.pair(under+name)...))
	}
	return rows
}

func (w *comparisonWant) tree() map[string]any {
	want := map[string]any{}
	tenants := items(append(items("tenant", "name"), w.runs...))
	for i, name := range w.tenants {
		tenants = append(tenants, w.figures(nil, fmt.Sprintf("kernels.%d.", i), items(name), "ipc", "isolated_ipc", "normalized_ipc", "ntt", "completions", "tbs_completed")...)
	}
	field := func(run int, name string) any { return w.results[run].(map[string]any)[name] }
	texts := items(append(items("name"), w.runs...))
	for _, name := range []string{"gpu", "policy", "config_hash"} {
		texts = append(texts, items(name, field(0, name), field(1, name)))
	}
	want["tables"] = items(texts,
		items(append(items("name"), w.runs...), items("name", field(0, "gpu"), field(1, "gpu")), items("sm.l1.ways", "6", "2")),
		w.figures(items("name"), "", nil, "cycles", "thread_instructions", "stp", "antt", "fairness", "hspeedup"), tenants)
	if w.rows == nil { // the paths stay
		w.rows = map[string][2]string{}
		for n := range w.flat {
			for path := range w.flat[n] {
				tenant, name := rowOfNumber(path, w.tenants)
				w.rows[path] = [2]string{tenant, name}
			}
		}
		w.order = slices.SortedFunc(maps.Keys(w.rows), func(a, b string) int { x, y := w.rows[a], w.rows[b]; return slices.Compare(x[:], y[:]) })
	}
	var all []any
	for _, path := range w.order {
		all = append(all, append(items(w.rows[path][0], w.rows[path][1]), w.pair(path)...))
	}
	want["all"] = all

	var bars, names []any
	for n, run := range w.runs {
		var data []any
		for i := range w.tenants {
			data = append(data, w.flat[n][fmt.Sprintf("kernels.%d.normalized_ipc", i)])
		}
		bars = append(bars, named(run.(string), data))
	}
	for _, tenant := range w.tenants {
		names = append(names, tenant)
	}
	want["progress"] = chartOfPage(names, bars...)
	for i := range w.tenants {
		want[fmt.Sprintf("progress-%d", i)] = w.progress(i)
	}
	var axis []any
	var stalls []map[string]float64
	for i, tenant := range w.tenants {
		for n, run := range w.runs {
			of, under := map[string]float64{}, fmt.Sprintf("kernels.%d.stalls.", i)
			for path, v := range w.flat[n] {
				if cause, ok := strings.CutPrefix(path, under); ok {
					of[cause] = v.(float64)
				}
			}
			axis, stalls = append(axis, tenant+", "+run.(string)), append(stalls, of)
		}
	}
	want["stalls"] = stackOfPage(axis, stalls)
	return want
}

// progress draws a tenant's progress over time in both runs, which have the same moments.
func (w *comparisonWant) progress(tenant int) map[string]any {
	var moments, all []any
	for n, run := range w.runs {
		kept := w.results[n].(map[string]any)["over_time"].(map[string]any)
		cycles, counts := kept["cycles"].([]any), kept["thread_instructions"].([]any)[tenant].([]any)
		alone := w.flat[n][fmt.Sprintf("kernels.%d.isolated_ipc", tenant)].(float64)
		var data []any
		for i := 1; i < len(cycles); i++ {
			v := (counts[i].(float64) - counts[i-1].(float64)) / (alone * (cycles[i].(float64) - cycles[i-1].(float64)))
			if i == 1 {
				data = append(data, v)
			}
			data = append(data, v)
		}
		all, moments = append(all, named(run.(string), data)), append(moments, cycles...)
	}
	slices.SortFunc(moments, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) })
	return chartOfPage(slices.Compact(moments), all...)
}

// sortRows orders rows by their texts before the numbers.
func sortRows(rows []any) {
	slices.SortFunc(rows, func(a, b any) int {
		x, y := a.([]any), b.([]any)
		return cmp.Or(strings.Compare(x[0].(string), y[0].(string)), strings.Compare(x[1].(string), y[1].(string)))
	})
}

// Every number of the page and every value that its charts draw is that of the results' files, in
// the same place. Another number on the page or in a file is told.
func TestComparisonShowsTheNumbersOfTheFiles(t *testing.T) {
	folder := t.TempDir()
	w := &comparisonWant{runs: items("a.json", "b.json"), tenants: []string{"profile:sgemm", "profile:lbm"}}
	results := []any{}
	for n, policy := range []string{"spart", "smk"} {
		file := filepath.Join(folder, w.runs[n].(string))
		got := cotenant(t, "run", "--gpu", []string{"plain16?sms=2", "plain16?sms=2&sm.l1.ways=2"}[n], "--app", w.tenants[0], "--app", w.tenants[1], "--policy", policy, "--cycles", "510", "--json", file, "--over-time", "--quiet")
		require.Equal(t, 0, got.status, got.stderr)
		var tree map[string]any
		require.NoError(t, json.Unmarshal([]byte(read(t, file)), &tree))
		for _, apart := range []string{"wall_seconds", "isolated_wall_seconds", "decision"} {
			delete(tree, apart)
		}
		w.results[n], w.flat[n] = tree, numbersIn(tree)
		maps.DeleteFunc(w.flat[n], func(path string, _ any) bool { return strings.HasPrefix(path, "over_time.") })
		results = append(results, w.flat[n], tree["over_time"])
	}
	page, table := filepath.Join(folder, "c.html"), filepath.Join(folder, "c.csv")
	got := cotenant(t, "report", "compare", filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json"), "--html", page, "--csv", table)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "spart")
	p := browsertest.Render(t, read(t, page), 1280, comparisonSteps)
	assert.Empty(t, p.Wrong)
	sortRows(p.Found["all"].([]any))
	require.Greater(t, len(p.Found["all"].([]any)), 200)
	browsertest.RequireTold(t, p.Found, results, func() any { return w.tree() }, 4)

	rows, err := csv.NewReader(strings.NewReader(read(t, table))).ReadAll()
	require.NoError(t, err)
	csvRows := map[string][]string{}
	for _, row := range rows {
		csvRows[row[0]+" "+row[1]] = row[2:]
	}
	assert.Equal(t, []string{"spart", "smk", ""}, csvRows[" policy"])
	assert.Equal(t, "510", csvRows[" cycles"][0])
	p = browsertest.Render(t, read(t, page), 1280, `
const field = document.querySelector("input[type=search]");
field.value = "LBM l1.acc"; field.dispatchEvent(new Event("input"));
found.rows = [...document.querySelectorAll("#all tbody tr")].filter((r) => !r.hidden).map((r) => [...r.cells].slice(0, 2).map((c) => c.textContent).join(" "));
found.count = field.parentNode.textContent;`)
	assert.Equal(t, []any{"profile:lbm l1.accesses", "profile:lbm launches.0.l1.accesses"}, p.Found["rows"], "of the tenant and its only launch")
	assert.Contains(t, p.Found["count"], "2 of ")
}

func TestComparisonSaysWhatItCannotRead(t *testing.T) {
	folder := t.TempDir()
	got := cotenant(t, "report", "compare", filepath.Join(folder, "a.json"))
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "report compare takes the results of two or more runs")
	got = cotenant(t, "report", "compare", filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json"))
	assert.NotEqual(t, 0, got.status)
	assert.Contains(t, got.stderr, "a.json")
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
	got = cotenant(t, "report", "compare", "a.json", "b.json", "--least", "-1")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--least is -1; valid: 0 or more")
}
