package cli

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/metrics/latency"
	"cotenant/observe/browsertest"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm"
)

// chartSteps reads the moments and the series of a page's charts.
const chartSteps = browsertest.Reading + `
for (const place of document.querySelectorAll(".chart")) {
  const { xAxis, yAxis } = chartOf(place).getOption();
  found[place.id] = { axis: (xAxis.at(-1).data ?? yAxis.at(-1).data), series: series(place) };
}
`

// chartedRun is what a run's charts are made of.
type chartedRun struct {
	Samples []chartedInterval
	Kernels []chartedTenant
	SMs     []map[string]float64 // causes of stalls
}

type chartedInterval struct {
	Cycle, Cycles float64
	Tenants       []map[string]float64
}

type chartedTenant struct {
	Goal, Alone float64
	Stalls      map[string]float64
	From        []uint64
	Counts      []float64
}

// chartedOf reads the tree of charted.
func chartedOf(tree map[string]any) *chartedRun {
	list := func(of map[string]any, name string) []any { return of[name].([]any) }
	numbers := func(v any) map[string]float64 {
		all := map[string]float64{}
		for name, n := range v.(map[string]any) {
			all[name] = n.(float64)
		}
		return all
	}
	r := &chartedRun{}
	for _, v := range list(tree, "kernels") {
		k := v.(map[string]any)
		goal, _ := k["goal"].(float64)
		of := chartedTenant{Goal: goal, Alone: k["alone"].(float64), Stalls: numbers(k["stalls"]), From: k["from"].([]uint64)}
		for _, n := range list(k, "counts") {
			of.Counts = append(of.Counts, n.(float64))
		}
		r.Kernels = append(r.Kernels, of)
	}
	for _, v := range list(tree, "sms") {
		r.SMs = append(r.SMs, numbers(v))
	}
	for _, v := range list(tree, "samples") {
		s := v.(map[string]any)
		of := chartedInterval{Cycle: s["cycle"].(float64), Cycles: s["cycles"].(float64)}
		for _, counts := range list(s, "tenants") {
			of.Tenants = append(of.Tenants, numbers(counts))
		}
		r.Samples = append(r.Samples, of)
	}
	return r
}

// chartOfPage is a chart as chartSteps finds it.
func chartOfPage(axis []any, series ...any) map[string]any {
	return map[string]any{"axis": axis, "series": series}
}

func named(name string, data []any) any { return map[string]any{"name": name, "data": data} }

// stackOfPage are bars of 100 %, the causes of stalls that some bar has.
func stackOfPage(axis []any, bars []map[string]float64) map[string]any {
	var all []any
	for number := range sm.NumCauses {
		cause := number.Info()
		var data []any
		shown := false
		for _, stalls := range bars {
			sum := 0.0
			for _, n := range stalls {
				sum += n
			}
			shown = shown || stalls[cause.Name] > 0
			data = append(data, 100*stalls[cause.Name]/sum)
		}
		if shown {
			all = append(all, named(cause.Shown, data))
		}
	}
	return chartOfPage(axis, all...)
}

// wantOfCharts makes the tree that chartSteps has to find.
func wantOfCharts(r *chartedRun, names []string, gpu *wiring.Config) map[string]any {
	want := map[string]any{}
	moments := items(0.0)
	for _, s := range r.Samples {
		moments = append(moments, s.Cycle)
	}
	threads := gpu.Threads()
	hz := float64(gpu.Clocks.Core) * 1e6
	overTime := func(id string, tenants []int, value func(tenant, interval int, counts map[string]float64, cycles float64) float64) {
		var all []any
		for _, k := range tenants {
			var data []any
			for i, s := range r.Samples {
				v := value(k, i, s.Tenants[k], s.Cycles)
				if i == 0 {
					data = append(data, v) // the line's beginning
				}
				data = append(data, v)
			}
			all = append(all, named(names[k], data))
		}
		want[id] = chartOfPage(moments, all...)
	}
	both := []int{0, 1}
	overTime("progress", both, func(k, _ int, n map[string]float64, cycles float64) float64 {
		return n["sm.thread_instructions"] / (cycles * r.Kernels[k].Alone)
	})
	overTime("goals", both[:1], func(k, i int, _ map[string]float64, _ float64) float64 {
		sum := 0.0
		for _, s := range r.Samples[:i+1] {
			sum += s.Tenants[k]["sm.thread_instructions"]
		}
		return sum / (r.Samples[i].Cycle * r.Kernels[k].Goal)
	})
	overTime("occupancy", both, func(_, _ int, n map[string]float64, cycles float64) float64 {
		return 100 * n["sm.thread_cycles"] / (cycles * float64(threads))
	})
	overTime("dram", both, func(_, _ int, n map[string]float64, cycles float64) float64 {
		return n["dram"] * hz / 1e9 / cycles
	})
	for id, noc := range map[string]string{"requests": "request_noc", "replies": "reply_noc"} {
		overTime(id, both, func(_, _ int, n map[string]float64, cycles float64) float64 {
			return n[noc+".flits"] * float64(gpu.RequestNoC.FlitBytes) * hz / 1e9 / cycles
		})
	}

	// Each tenant has the SM of its number.
	var cells []any
	for k, name := range names {
		var data []any
		for i, s := range r.Samples {
			if share := 100 * s.Tenants[k]["sm.thread_cycles"] / (s.Cycles * float64(threads) / 2); share > 0 {
				data = append(data, items(float64(i), float64(k*len(names)+k), share))
			}
		}
		cells = append(cells, named(name, data))
	}
	want["sms"] = chartOfPage(moments, cells...)

	var tenants []map[string]float64
	for _, k := range r.Kernels {
		tenants = append(tenants, k.Stalls)
	}
	want["tenant-stalls"] = stackOfPage(items(names[0], names[1]), tenants)
	want["sm-stalls"] = stackOfPage(items("0", "1"), r.SMs)

	lowest, highest := latency.Buckets, 0
	for _, k := range r.Kernels {
		lowest, highest = min(lowest, latency.Bucket(k.From[0])), max(highest, latency.Bucket(k.From[len(k.From)-1]))
	}
	var axis, shares []any
	for b := lowest; b <= highest; b++ {
		axis = append(axis, float64(latency.From(b)))
	}
	for n, k := range r.Kernels {
		data, sum := slices.Repeat(items(0.0), len(axis)), 0.0
		for _, count := range k.Counts {
			sum += count
		}
		for i, count := range k.Counts {
			data[latency.Bucket(k.From[i])-lowest] = 100 * count / sum
		}
		shares = append(shares, named(names[n], data))
	}
	want["latency"] = chartOfPage(axis, shares...)
	return want
}

// charted reads what a run's charts are made of from its result and its samples: a tree of numbers
// that can be changed, but for the bounds of the latencies' buckets.
func charted(t *testing.T, result, samples string) map[string]any {
	tree := map[string]any{}
	var r struct {
		Kernels []struct {
			GoalIPC     float64        `json:"goal_ipc"`
			IsolatedIPC float64        `json:"isolated_ipc"`
			Stalls      map[string]any `json:"stalls"`
			Latencies   map[string]struct {
				From   []uint64
				Counts []any
			} `json:"latencies"`
		} `json:"kernels"`
		SMs []struct {
			Stalls map[string]any `json:"stalls"`
		} `json:"sms"`
	}
	require.NoError(t, json.Unmarshal([]byte(result), &r))
	var kernels, sms, intervals []any
	for _, k := range r.Kernels {
		loads := k.Latencies[latency.LoadToUse.String()]
		kernel := map[string]any{"alone": k.IsolatedIPC, "stalls": k.Stalls, "counts": loads.Counts, "from": loads.From}
		if k.GoalIPC > 0 {
			kernel["goal"] = k.GoalIPC
		}
		kernels = append(kernels, kernel)
	}
	for _, m := range r.SMs {
		sms = append(sms, m.Stalls)
	}
	rows, err := csv.NewReader(strings.NewReader(samples)).ReadAll()
	require.NoError(t, err)
	number := func(row []string, column string) float64 {
		v, err := strconv.ParseFloat(row[slices.Index(rows[0], column)], 64)
		require.NoError(t, err, column)
		return v
	}
	for i := 1; i < len(rows); i += 3 {
		var tenants []any
		for k := range 2 {
			counts := map[string]any{}
			for _, column := range []string{"sm.thread_instructions", "sm.thread_cycles", "request_noc.flits", "reply_noc.flits"} {
				counts[column] = number(rows[i+k], column)
			}
			counts["dram"] = number(rows[i+k], "dram.read_bytes") + number(rows[i+k], "dram.written_bytes")
			tenants = append(tenants, counts)
		}
		intervals = append(intervals, map[string]any{"cycle": number(rows[i], "cycle"), "cycles": number(rows[i], "cycles"), "tenants": tenants})
	}
	tree["kernels"], tree["sms"], tree["samples"] = kernels, sms, intervals
	return tree
}

// Every value that a run's charts draw follows from the result and from the counters over time.
// Another value in a chart, and another number in the files, is told.
func TestChartsOfARunsPageDrawTheResult(t *testing.T) {
	folder := t.TempDir()
	page, samples, result := filepath.Join(folder, "r.html"), filepath.Join(folder, "r.csv"), filepath.Join(folder, "r.json")
	const gpu = "plain16?sms=2"
	got := cotenant(t, "run", "--quiet", "--gpu", gpu, "--app", "profile:sgemm?qos=0.3", "--app", "profile:lbm", "--policy", "spart", "--cycles", "2510", "--latencies",
		"--html", page, "--samples", samples, "--samples-interval", "20", "--json", result)
	require.Zero(t, got.status, got.stderr)
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	p := browsertest.Render(t, read(t, page), 1280, chartSteps)
	require.Empty(t, p.Wrong)
	tree := charted(t, read(t, result), read(t, samples))
	browsertest.RequireTold(t, p.Found, tree, func() any { return wantOfCharts(chartedOf(tree), []string{"sgemm", "lbm"}, config) }, 4)
}
