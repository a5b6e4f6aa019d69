package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
	"cotenant/observe/serve"
)

// sweepSteps chooses all runs and figures of a sweep's page, and reads its tables and charts for
// each GPU that IPCs alone can be of.
const sweepSteps = browsertest.Reading + `
const $ = (id) => document.getElementById(id);
for (const title of ["Policies", "GPUs", "Windows and seeds", "Figures"]) {
  const place = [...document.querySelectorAll("fieldset")].find((f) => f.querySelector("legend").textContent.trim().startsWith(title));
  for (const b of place.querySelectorAll("button")) if (b.textContent === "all") b.click();
}
const pick = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event("change")); };
pick("baseline", JSON.stringify({ policy: "even", gpu: "", setting: "" }));
const figures = [...$("heat-metric").options].map((o) => o.value);
const named = (place, f) => series(place).flatMap((s, k) => (s.name ? [f(s, k)] : []));
found.states = [...$("ground").options].map((o) => o.value).map((ground) => {
  pick("ground", ground);
  const state = { means: cells($("means").querySelectorAll("tr")), runs: cells($("runs").querySelectorAll("tr")), bars: {}, heat: {}, classes: {} };
  for (const m of figures) {
    pick("heat-metric", m);
    state.heat[m] = [false, true].map((change) => {
      if ($("heat-change").checked !== change) $("heat-change").click();
      return { cells: cells($("heat").querySelectorAll("tr")), legend: [...$("heat-legend").childNodes].map((n) => n.textContent).filter(Boolean) };
    });
    state.bars[m] = { values: series("mean-" + m).map((s) => s.data), tips: tips("mean-" + m)[0] };
  }
  for (const id of [...figures, "reach"]) {
    const told = tips("by-class-" + id);
    state.classes[id] = named("by-class-" + id, (s, k) => ({ name: s.name, values: s.data.map((v) => v.slice(1)), tips: told[k] }));
  }
  const told = tips("scatter");
  state.scatter = named("scatter", (s, k) => ({ name: s.name, values: s.data, tips: told[k] }));
  return state;
});
pick("ground", "");
pick("heat-metric", figures[0]);
found.panels = [...$("runs").querySelectorAll("tbody button")].map((b) => {
  b.click();
  const panel = $("chosen");
  return { title: panel.querySelector("h2").textContent, command: panel.querySelector("pre").textContent,
    rows: [...panel.querySelectorAll("dl div")].map((d) => [...d.children].map((c) => c.textContent)) };
});
document.querySelector("#chosen .close").click();
found.count = $("count").textContent;
found.further = further("#means, #heat, #heat-legend, #runs, .keys, fieldset, h1, .about, pre");
`

func items(values ...any) []any {
	return append([]any{}, values...)
}

func (w *sweepWant) state() map[string]any {
	means := items(items("policy", "GPU", "mixes", "runs", "STP", "ANTT", "Fairness", "HSpeedup", "Total IPC", "IPC over goal", "QoSreach"))
	for _, runs := range w.columns {
		first := &w.runs[runs[0]]
		mixes := map[string]bool{}
		for _, i := range runs {
			mixes[w.mix(i)] = true
		}
		row := items(first.Policy, first.GPU, float64(len(mixes)), float64(len(runs)))
		for m := range sweepFigures {
			fed := w.fed(m, runs)
			cell := or(mean(w.values(m, fed)))
			if len(fed) > 0 && len(fed) < len(runs) {
				cell = fmt.Sprintf("%v (of %d)", cell, len(fed))
			}
			row = append(row, cell)
		}
		part, _ := w.reach(runs)
		means = append(means, append(row, fmt.Sprintf("%v %%", 100*part)))
	}
	bars, heat, classes := map[string]any{}, map[string]any{}, map[string]any{}
	for m := range sweepFigures {
		id := fmt.Sprint(m)
		bars[id], heat[id], classes[id] = w.bars(m), []any{w.heat(m, false), w.heat(m, true)}, w.distribution(m)
	}
	classes["reach"] = w.reached()
	return map[string]any{"means": means, "runs": w.table(), "bars": bars, "heat": heat, "classes": classes, "scatter": w.scatter()}
}

func (w *sweepWant) table() []any {
	rows := items(items("mix", "class", "policy", "GPU", "window", "STP", "ANTT", "Fairness", "HSpeedup", "Total IPC", "IPC over goal", "normalised IPC 1", "normalised IPC 2", "normalised IPC 3"))
	for i, r := range w.runs {
		row := items(w.mix(i), r.Class, r.Policy, r.GPU, r.Setting)
		for m := range sweepFigures {
			row = append(row, or(w.value(m, i)))
		}
		for k := range 3 {
			if k < len(r.Mix) {
				row = append(row, or(w.normal(i, k)))
			} else {
				row = append(row, "–")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (w *sweepWant) bars(m int) map[string]any {
	heights, spreads, tips := []any{}, []any{}, []any{}
	for k, runs := range w.columns {
		values := w.values(m, w.fed(m, runs))
		slices.Sort(values)
		heights = append(heights, mean(values))
		low, high := quantile(values, 0.25), quantile(values, 0.75)
		spreads = append(spreads, items(values[0], low, high, values[len(values)-1], float64(k)))
		tips = append(tips, fmt.Sprintf("%s, %d runs<br>mean <b>%v</b>, middle half %v to %v, all %v to %v", html.EscapeString(w.column(runs[0])), len(values), mean(values), low, high, values[0], values[len(values)-1]))
	}
	return map[string]any{"values": []any{heights, spreads}, "tips": tips}
}

func (w *sweepWant) heat(m int, change bool) map[string]any {
	head, mixes, class := items("mix", "class"), []string(nil), map[string]string{}
	for _, runs := range w.columns {
		head = append(head, w.column(runs[0]))
	}
	for i, r := range w.runs {
		if class[w.mix(i)] == "" {
			class[w.mix(i)] = r.Class
			mixes = append(mixes, w.mix(i))
		}
	}
	slices.SortFunc(mixes, func(a, b string) int { return cmp.Or(strings.Compare(class[a], class[b]), strings.Compare(a, b)) })
	rows, least, most := items(head), math.Inf(1), math.Inf(-1)
	for _, mix := range mixes {
		row := items(mix, class[mix])
		for _, runs := range w.columns {
			var of, bases []int
			for _, i := range runs {
				if w.mix(i) == mix {
					of, bases = append(of, i), append(bases, w.base(i))
				}
			}
			v := mean(w.values(m, of))
			if base := mean(w.values(m, bases)); change && base == 0 {
				v = math.NaN()
			} else if change {
				v = 100 * (v/base - 1)
			}
			if row = append(row, or(v)); !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
		rows = append(rows, row)
	}
	unit := ""
	if change {
		most, unit = cmp.Or(max(math.Abs(least), math.Abs(most)), 1), " %"
		least = -most
	}
	if sweepFigures[m] == "ANTT" { // lower is better
		least, most = most, least
	}
	return map[string]any{"cells": rows, "legend": items(fmt.Sprintf("worse %v%s", least, unit), fmt.Sprintf("%v%s better", most, unit))}
}

// in are the runs of a column in a group.
func (w *sweepWant) in(runs []int, group string) (list []int) {
	for _, i := range runs {
		if group == "all" || w.runs[i].Class == group {
			list = append(list, i)
		}
	}
	return list
}

func (w *sweepWant) distribution(m int) []any {
	all := []any{}
	for _, runs := range w.columns {
		name := w.column(runs[0])
		boxes, boxTips, dots, dotTips := []any{}, []any{}, []any{}, []any{}
		for _, group := range w.groups {
			of := w.in(runs, group)
			sorted := w.values(m, of)
			if len(sorted) == 0 {
				continue
			}
			slices.Sort(sorted)
			q1, q2, q3 := quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)
			low, high := q1-1.5*(q3-q1), q3+1.5*(q3-q1)
			box := len(sorted) >= 5
			if box {
				first, last := slices.IndexFunc(sorted, func(v float64) bool { return v >= low }), len(sorted)-1
				for sorted[last] > high {
					last--
				}
				boxes = append(boxes, items(sorted[first], q1, q2, q3, sorted[last]))
				boxTips = append(boxTips, fmt.Sprintf("%s, %s, %d runs<br>median <b>%v</b>, middle half %v to %v, whiskers %v to %v", html.EscapeString(name), group, len(sorted), q2, q1, q3, sorted[first], sorted[last]))
			}
			for _, i := range of {
				if v := w.value(m, i); !math.IsNaN(v) && (!box || group != "all" || v < low || v > high) {
					dots = append(dots, items(v))
					dotTips = append(dotTips, fmt.Sprintf("%s<br>%s: <b>%v</b>", w.about(i), sweepFigures[m], v))
				}
			}
		}
		all = append(all, map[string]any{"name": name, "values": boxes, "tips": boxTips}, map[string]any{"name": name, "values": dots, "tips": dotTips})
	}
	return all
}

func (w *sweepWant) reached() []any {
	all := []any{}
	for _, runs := range w.columns {
		values, tips := []any{}, []any{}
		for _, group := range w.groups {
			if part, n := w.reach(w.in(runs, group)); n > 0 {
				values = append(values, items(100*part))
				tips = append(tips, fmt.Sprintf("%s, %s: <b>%v %%</b> of %d runs with goals", html.EscapeString(w.column(runs[0])), group, 100*part, n))
			}
		}
		all = append(all, map[string]any{"name": w.column(runs[0]), "values": values, "tips": tips})
	}
	return all
}

func (w *sweepWant) scatter() []any {
	all := []any{}
	for _, runs := range w.columns {
		if w.runs[runs[0]].Policy == "even" {
			continue
		}
		values, tips := []any{}, []any{}
		for _, i := range runs {
			for k, app := range w.runs[i].Mix {
				if x, y := w.normal(w.base(i), k), w.normal(i, k); !math.IsNaN(x + y) {
					values = append(values, items(x, y))
					tips = append(tips, fmt.Sprintf("<b>%s</b> in %s<br>%v, %v under the baseline", app, w.about(i), y, x))
				}
			}
		}
		all = append(all, map[string]any{"name": w.column(runs[0]), "values": values, "tips": tips})
	}
	return all
}

// panels lists the panel of each run.
func (w *sweepWant) panels() []any {
	all := []any{}
	for i, r := range w.runs {
		rows := items(items("class", r.Class), items("window", r.Setting))
		for m, name := range sweepFigures {
			rows = append(rows, items(name, or(w.value(m, i))))
		}
		for k, app := range r.Mix {
			rows = append(rows, items("normalised IPC of "+app, or(w.normal(i, k))))
		}
		all = append(all, map[string]any{"title": w.mix(i) + " under " + w.column(i), "command": r.Command, "rows": rows})
	}
	return all
}

// The stored results give every number of a sweep's page and every value that its charts draw. The
// command and the server show the same page. Another number on the page or in a result is told.
func TestNumbersOfASweepsPagesAreTheResults(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	matrix, page := filepath.Join(folder, "m.yaml"), filepath.Join(folder, "m.html")
	require.NoError(t, os.WriteFile(matrix, []byte(`gpus: ["plain16?sms=4", "plain16?sms=4&sm.l1.ways=2"]
policies: [even, spart]
mixes:
  - apps: ["profile:sgemm?qos=0.3", "profile:lbm"]
  - apps: ["profile:sgemm", "profile:lbm?arrival=1990"]
  - apps: ["profile:sgemm?qos=0.1", "profile:histo", "profile:lbm"]
cycles: [2k]
seeds: [5, 6]
`), 0o600))
	got := sweepTo(t, matrix, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	got = cotenant(t, "report", "sweep", matrix+".sqlite", "--html", page)
	require.Equal(t, 0, got.status, got.stderr)
	results := storedRuns(t, matrix+".sqlite")
	require.Len(t, results, 24)
	want := func() any {
		text, err := json.Marshal(results)
		require.NoError(t, err)
		var runs []storedRun
		require.NoError(t, json.Unmarshal(text, &runs))
		return wantOfSweep(runs, "", "plain16?sms=4", "plain16?sms=4&sm.l1.ways=2")
	}
	p := browsertest.Render(t, read(t, page), 1280, sweepSteps)
	require.Empty(t, p.Wrong)
	var unseen []string
	for i, run := range results {
		for k, kernel := range run.(map[string]any)["kernels"].([]any) {
			if kernel.(map[string]any)["ipc"] == 0.0 { // 0 over whatever it had alone
				unseen = append(unseen, fmt.Sprintf(".%d.kernels.%d.isolated_ipc", i, k))
			}
		}
	}
	require.NotEmpty(t, unseen)
	browsertest.RequireTold(t, p.Found, results, want, 6, unseen...)

	server, err := serve.New([]string{matrix + ".sqlite"})
	require.NoError(t, err)
	defer server.Close()
	handler, err := server.Handler()
	require.NoError(t, err)
	h := httptest.NewServer(handler)
	defer h.Close()
	get := func(path string) string {
		answer, err := http.Get(h.URL + path)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		return string(text)
	}
	var state struct {
		Stores []struct {
			Name   string
			Sweeps []struct{ ID string }
			Means  []struct {
				Policy, GPU, STP, ANTT, Fairness string
				Runs                             float64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(get("/live.json")), &state))
	means, listed := want().(map[string]any)["states"].([]any)[0].(map[string]any)["means"].([]any), []any{}
	for _, m := range state.Stores[0].Means {
		listed = append(listed, items(m.Policy, m.GPU, m.Runs, m.STP, m.ANTT, m.Fairness))
	}
	for i, row := range means {
		row := row.([]any)
		means[i] = append(row[:2:2], row[3:7]...)
	}
	assert.Empty(t, browsertest.Differences(listed, means[1:], 6), "the means of the list of stores")
	of := "/stores/" + state.Stores[0].Name + "/"
	for _, path := range []string{of, of + "sweeps/" + state.Stores[0].Sweeps[0].ID + "/"} {
		// With its first choice of isolated runs: the page and the numbers of the others are the same.
		p := browsertest.Render(t, get(path), 1280, strings.Replace(sweepSteps, `[...$("ground").options]`, `[...$("ground").options].slice(0, 1)`, 1))
		assert.Empty(t, p.Wrong)
		wanted := want().(map[string]any)
		wanted["states"] = wanted["states"].([]any)[:1]
		assert.Empty(t, browsertest.Differences(p.Found, wanted, 6), path)
		assert.Contains(t, get(path), `<script type="application/json" id="data">`+strings.TrimSpace(get(path+"data.json"))+"</script>", "the page follows the data that it has")
	}
}
