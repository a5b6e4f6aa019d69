package cli

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/experiment/workloads"
	"cotenant/options"
)

// storedRun is a run of several applications as the store has it: the JSON of a result, with what
// was asked for.
type storedRun struct {
	Mix              []string // names on the page
	Class            string
	Policy, GPU      string
	Setting, Command string
	STP              *float64 `json:"stp"`
	ANTT             *float64 `json:"antt"`
	Fairness         *float64 `json:"fairness"`
	HSpeedup         *float64 `json:"hspeedup"`
	Kernels          []struct {
		IPC        *float64 `json:"ipc"`
		Isolated   *float64 `json:"isolated_ipc"`
		Normalized *float64 `json:"normalized_ipc"`
		Goal       *float64 `json:"goal_ipc"`
		Reached    *bool    `json:"goal_reached"`
	} `json:"kernels"`
}

// storedRuns are the runs of several applications of a store, in a page's order, as a JSON tree
// of storedRun.
func storedRuns(t *testing.T, path string) (tree []any) {
	s, err := store.OpenExisting(path)
	require.NoError(t, err)
	defer s.Close()
	known, faults, err := sweep.Read(t.Context(), s, func(string) bool { return false })
	require.NoError(t, err)
	require.Empty(t, faults)
	kept, err := workloads.Kept("small")
	require.NoError(t, err)
	results := map[string]map[string]any{}
	require.NoError(t, s.Each(t.Context(), func(string) bool { return false }, func(e *store.Entry, err error) {
		require.NoError(t, err)
		run := map[string]any{}
		require.NoError(t, json.Unmarshal(e.Result, &run))
		results[e.Key] = run
	}))
	pick := func(from map[string]any, names ...string) map[string]any {
		picked := map[string]any{}
		for _, name := range names {
			picked[name] = from[name]
		}
		return picked
	}
	for _, k := range known {
		if len(k.Apps) == 1 {
			continue
		}
		run := pick(results[k.Key], "stp", "antt", "fairness", "hspeedup")
		var kernels, mix []any
		for _, kernel := range results[k.Key]["kernels"].([]any) {
			kernels = append(kernels, pick(kernel.(map[string]any), "ipc", "isolated_ipc", "normalized_ipc", "goal_ipc", "goal_reached"))
		}
		var classes, words []string
		for i, app := range k.Apps {
			mix = append(mix, app)
			at := slices.IndexFunc(kept.Apps, func(a *workloads.App) bool { return a.Name == k.Names[i] })
			classes = append(classes, kept.Apps[at].Class())
		}
		for _, word := range k.Arguments() {
			words = append(words, options.Quoted(word))
		}
		slices.Sort(classes)
		run["kernels"], run["mix"], run["class"], run["policy"], run["gpu"] = kernels, mix, strings.Join(classes, "+"), k.Policy, k.GPU
		run["setting"], run["command"] = fmt.Sprintf("seed %d", k.Seed), "cotenant "+strings.Join(words, " ")
		tree = append(tree, run)
	}
	key := func(run any) string {
		r := run.(map[string]any)
		return fmt.Sprint(r["policy"], "\n", r["gpu"], "\n", r["mix"], "\n", r["setting"])
	}
	slices.SortFunc(tree, func(a, b any) int { return strings.Compare(key(a), key(b)) })
	return tree
}

// figures of a run on the page, in its order.
var sweepFigures = []string{"STP", "ANTT", "Fairness", "HSpeedup", "Total IPC", "IPC over goal"}

const overGoal = 5

// sweepWant makes the tree that sweepSteps has to find.
type sweepWant struct {
	runs    []storedRun
	mixes   []string          // by run
	figures [][]float64       // by figure and run
	lost    []map[string]bool // by figure: mixes in their windows of which a run lacks it
	ground  string
	alone   map[string]float64 // by application, setting and GPU
	columns [][]int            // runs by policy and GPU
	groups  []string           // classes, and all
}

func at(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func wantOfSweep(runs []storedRun, grounds ...string) map[string]any {
	states, panels := []any{}, []any{}
	for _, ground := range grounds {
		w := &sweepWant{runs: runs, ground: ground, alone: map[string]float64{}}
		for _, r := range runs {
			w.mixes = append(w.mixes, strings.Join(r.Mix, " + "))
		}
		sums, counts := map[string]float64{}, map[string]float64{}
		places := map[string]int{}
		for i, r := range runs {
			for k, app := range r.Mix {
				key := app + "\n" + r.Setting + "\n" + r.GPU
				if alone := at(r.Kernels[k].Isolated); !math.IsNaN(alone) {
					sums[key], counts[key] = sums[key]+alone, counts[key]+1
				}
			}
			name := w.column(i)
			if _, ok := places[name]; !ok {
				places[name] = len(w.columns)
				w.columns = append(w.columns, nil)
			}
			w.columns[places[name]] = append(w.columns[places[name]], i)
			if !slices.Contains(w.groups, r.Class) {
				w.groups = append(w.groups, r.Class)
			}
		}
		for key := range sums {
			w.alone[key] = sums[key] / counts[key] // of equal numbers
		}
		for m := range sweepFigures {
			w.figures, w.lost = append(w.figures, nil), append(w.lost, map[string]bool{})
			for i := range runs {
				v := w.figure(m, i)
				w.figures[m] = append(w.figures[m], v)
				if math.IsNaN(v) {
					w.lost[m][w.mix(i)+runs[i].Setting] = true
				}
			}
		}
		slices.Sort(w.groups)
		w.groups = append(w.groups, "all")
		states = append(states, w.state())
		if ground == "" {
			panels = w.panels()
		}
	}
	return map[string]any{"states": states, "panels": panels,
		"count": "24 runs of 24 shown.",
		"further": items("The box has the middle half of the mixes, its line their median, the whiskers reach the last value within 1.5 boxes; fewer than five mixes are points alone. C is a mix's application that computes, M one that waits for memory: it issues in less than a quarter of the cycles when alone.",
			"Of the run's tightest goal: at 1 or above all goals were reached. Higher is better.", "1 to 24 of 24 runs")}
}

func (w *sweepWant) column(run int) string { return w.runs[run].Policy + " on " + w.runs[run].GPU }
func (w *sweepWant) mix(run int) string    { return w.mixes[run] }

// normal is a normalised IPC.
func (w *sweepWant) normal(run, app int) float64 {
	r := &w.runs[run]
	if w.ground == "" {
		return at(r.Kernels[app].Normalized)
	}
	alone, ok := w.alone[r.Mix[app]+"\n"+r.Setting+"\n"+w.ground]
	if !ok {
		return math.NaN()
	}
	return at(r.Kernels[app].IPC) / alone
}

// value is a figure of a run; NaN if it is undefined.
func (w *sweepWant) value(m, run int) float64 { return w.figures[m][run] }

func (w *sweepWant) figure(m, run int) float64 {
	r := &w.runs[run]
	sum, inverse, least, most := 0.0, 0.0, math.Inf(1), 0.0
	total, over := 0.0, math.NaN()
	for k := range r.Mix {
		n := w.normal(run, k)
		sum, inverse, least, most = sum+n, inverse+1/n, min(least, n), max(most, n)
		total += at(r.Kernels[k].IPC)
		if r.Kernels[k].Reached != nil {
			over = at(r.Kernels[k].IPC) / at(r.Kernels[k].Goal)
		}
	}
	n := float64(len(r.Mix))
	switch {
	case m == 4:
		return total
	case m == overGoal:
		return over
	case w.ground == "":
		return at([]*float64{r.STP, r.ANTT, r.Fairness, r.HSpeedup}[m])
	case m == 0 || math.IsNaN(sum):
		return sum
	case m == 2:
		return least / most
	case least == 0 && m == 1:
		return math.NaN()
	case m == 1:
		return inverse / n
	}
	return n / inverse
}

// values are a figure's defined values of runs, in their order.
func (w *sweepWant) values(m int, runs []int) (list []float64) {
	for _, i := range runs {
		if v := w.value(m, i); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list)) // NaN for none
}

// quantile of sorted values.
func quantile(list []float64, q float64) float64 {
	at := q * float64(len(list)-1)
	k := int(at)
	if k == len(list)-1 {
		return list[k]
	}
	return list[k] + (at-float64(k))*(list[k+1]-list[k])
}

// or is a value, or a dash.
func or(v float64) any {
	if math.IsNaN(v) {
		return "–"
	}
	return v
}

// fed leaves out the mixes of which a run lacks a figure.
func (w *sweepWant) fed(m int, runs []int) (list []int) {
	for _, i := range runs {
		if !w.lost[m][w.mix(i)+w.runs[i].Setting] {
			list = append(list, i)
		}
	}
	return list
}

// reach is the part of runs with a goal that reached it.
func (w *sweepWant) reach(runs []int) (part float64, n int) {
	all := w.values(overGoal, runs)
	reached := 0.0
	for _, v := range all {
		if v >= 1 {
			reached++
		}
	}
	return reached / float64(len(all)), len(all)
}

// base is the run that one is compared with.
func (w *sweepWant) base(run int) int {
	return slices.IndexFunc(w.runs, func(r storedRun) bool {
		x := &w.runs[run]
		return r.Policy == "even" && r.GPU == x.GPU && r.Setting == x.Setting && slices.Equal(r.Mix, x.Mix)
	})
}

func (w *sweepWant) about(run int) string {
	return html.EscapeString(w.mix(run)) + "<br>" + html.EscapeString(w.column(run)) + "<br>" + w.runs[run].Setting
}
