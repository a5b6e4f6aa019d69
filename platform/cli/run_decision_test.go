package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
	"cotenant/observe/power"
)

// decisionSteps reads the table and the curves of what a policy decided, and the power chart.
const decisionSteps = browsertest.Reading + `
const { xAxis } = chartOf("power").getOption();
const heads = [...document.querySelectorAll("h2")];
const about = (title) => heads.find((h) => h.textContent === title).parentElement;
found.decided = cells(about("What the policy decided").querySelectorAll("tr"));
found.curves = series("curves-1");
found.power = { axis: xAxis[0].data, series: series("power") };
found.mj = about("Power").querySelector("p").textContent.match(/takes (\S+) mJ/)[1];
`

// wantOfDecision makes the tree that decisionSteps has to find of the JSON of a run under ws and of
// its power.
func wantOfDecision(run, watts map[string]any, names []string) map[string]any {
	list := func(v any, name string) []any { return v.(map[string]any)[name].([]any) }
	number := func(v any, name string) float64 { return v.(map[string]any)[name].(float64) }
	rows, curves := items(items("tenant", "threads of a TB", "CTAs on an SM", "of at most", "of its best, predicted")), items()
	for i, k := range list(list(run["decision"], "sets")[0], "kernels") {
		k, scaling, name := k.(map[string]any), k.(map[string]any)["scaling"], names[i]
		rows = append(rows, items(name, k["threads"], k["ctas"], k["most_ctas"], number(scaling, "predicted")))
		curves = append(curves, named(name, list(scaling, "performance")))
	}
	axis, owners := items(), items()
	for i, v := range list(watts, "intervals") {
		if i == 0 {
			axis = append(axis, number(v, "cycle")-number(v, "cycles"))
		}
		axis = append(axis, number(v, "cycle"))
	}
	for k, name := range append(names, power.Nobody) {
		var data []any
		for i, v := range list(watts, "intervals") {
			seconds := number(v, "cycles") * number(watts, "seconds") / number(watts, "cycles")
			w := number(list(v, "tenants")[k], "joules") / seconds
			if i == 0 {
				data = append(data, w)
			}
			data = append(data, w)
		}
		owners = append(owners, named(name, data))
	}
	return map[string]any{"decided": rows, "curves": curves, "power": map[string]any{"axis": axis, "series": owners}, "mj": fmt.Sprintf("%.4g", 1e3*watts["joules"].(float64))}
}

// without takes the fields of some names from all of a tree.
func without(tree any, names ...string) {
	switch tree := tree.(type) {
	case map[string]any:
		for _, name := range names {
			delete(tree, name)
		}
		for _, v := range tree {
			without(v, names...)
		}
	case []any:
		for _, v := range tree {
			without(v, names...)
		}
	}
}

// What a policy decided, the curves by which it did, and the power over time are those of the
// run's JSON and of its file of power. Another number there, or on the page, is told.
func TestDecisionAndPowerOfARunsPageAreTheResults(t *testing.T) {
	folder := t.TempDir()
	page, energy, result := filepath.Join(folder, "r.html"), filepath.Join(folder, "p.json"), filepath.Join(folder, "r.json")
	got := cotenant(t, "run", "--quiet", "--gpu", "smk16?sms=4", "--app", "profile:sgemm", "--app", "profile:lbm", "--policy", "ws:warmup=1k,sample=1k", "--cycles", "3k",
		"--html", page, "--power", energy, "--json", result)
	require.Zero(t, got.status, got.stderr)
	var run, watts map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, result)), &run))
	require.NoError(t, json.Unmarshal([]byte(read(t, energy)), &watts))
	p := browsertest.Render(t, read(t, page), 1280, decisionSteps)
	require.Empty(t, p.Wrong)
	// What neither the table nor a chart shows.
	without(run["decision"], "tenant", "registers", "shared_bytes", "rate", "first")
	for _, v := range watts["intervals"].([]any) {
		without(v, "tenant", "instructions", "shared", "l1", "l2", "crossbars", "dram", "idle")
	}
	without(watts, "schema")
	delete(watts, "tenants") // sums over the run
	tree := map[string]any{"decision": run["decision"], "power": watts}
	browsertest.RequireTold(t, p.Found, tree, func() any { return wantOfDecision(tree, watts, []string{"sgemm", "lbm"}) }, 4)
}
