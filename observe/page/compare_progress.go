package page

import (
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"cotenant/experiment"
	"cotenant/experiment/compare"
	"cotenant/observe/look"
	"cotenant/observe/sample"
)

// samplesOf are samples with the progress that a result has kept; nil without any, or if it is not
// of the result's tenants.
func samplesOf(r *experiment.Result) (list []sample.Sample) {
	h := r.OverTime
	if h == nil || len(h.ThreadInstructions) != len(r.Kernels) || len(h.Cycles) < 2 || !slices.IsSorted(h.Cycles) {
		return nil
	}
	for i, cycle := range h.Cycles {
		s := sample.Sample{Cycle: cycle, Tenants: make([]sample.Tenant, len(r.Kernels))}
		for k, counts := range h.ThreadInstructions {
			if i >= len(counts) {
				return nil
			}
			s.Tenants[k].ThreadInstructions = counts[i]
		}
		list = append(list, s)
	}
	return list
}

// progressOverTime draws each tenant's progress, its runs over one another, from the runs that have
// kept it.
func progressOverTime(c *compare.Comparison) (list []chart) {
	reports := make([]*Report, len(c.Runs))
	var moments []uint64
	for n, run := range c.Runs {
		reports[n] = &Report{Result: run.Result, Samples: samplesOf(run.Result)}
		for _, s := range reports[n].Samples {
			moments = append(moments, s.Cycle)
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	if len(moments) == 0 {
		return nil
	}
	for i, t := range compare.Tenants(c.Runs) {
		line := charts.NewLine()
		id := fmt.Sprintf("progress-%d", i)
		line.SetGlobalOptions(common(id)...)
		line.SetGlobalOptions(charts.WithXAxisOpts(cycleAxis(texts(moments))),
			charts.WithYAxisOpts(opts.YAxis{Type: "value", Min: 0, Name: "normalised IPC", NameLocation: "middle", NameGap: 52}))
		once := lineAtOne()
		for n, run := range c.Runs {
			if t.At[n] < 0 || reports[n].Samples == nil {
				continue
			}
			points, at := make([]opts.LineData, len(moments)), 0
			own := reports[n].points(t.At[n], reports[n].normalised, true)
			for m := range moments {
				points[m].Value = absent
				if at < len(own) && reports[n].Samples[at].Cycle == moments[m] {
					points[m], at = own[at], at+1
				}
			}
			line.AddSeries(run.Name, points, append([]charts.SeriesOpts{
				charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false), ConnectNulls: opts.Bool(true)}),
				charts.WithLineStyleOpts(opts.LineStyle{Color: look.Colour(n), Width: 1.8, Type: dash(n)}),
				charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(n)})}, once...)...)
			once = nil
		}
		if once == nil {
			list = append(list, chart{ID: id, Unit: "of its speed alone", Title: "Progress of " + t.Name, Wide: true, Height: 240, Option: line.JSON(), Labels: labelled(moments),
				About: "IPC in each interval over the IPC alone, by run. Only runs with --over-time are drawn."})
		}
	}
	return list
}
