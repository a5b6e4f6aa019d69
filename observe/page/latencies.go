package page

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"cotenant/metrics/latency"
	"cotenant/observe/look"
)

// stageNames are the stages as the page shows them.
var stageNames = [latency.NumStages]string{"load to use", "SM to L2", "in the L2 to its look-up", "DRAM queue", "DRAM service", "L2 to SM"}

// latencyRows list how long requests took, if that was measured.
func (r *Report) latencyRows() (rows []*row) {
	for i := range r.Result.Kernels {
		for stage := range latency.NumStages {
			l := r.Result.Kernels[i].Latencies[stage.String()]
			if l == nil || l.Count == 0 {
				continue
			}
			rows = append(rows, r.rowOf(i).text("stage", stageNames[stage]).numbers("requests", grouped(l.Count), "mean", number(l.Mean), "median", grouped(l.P50),
				"95 %", grouped(l.P95), "99 %", grouped(l.P99), "longest", grouped(l.Max)))
		}
	}
	return rows
}

// latencies draw the distribution of loads from issue to use, if that was measured.
func (r *Report) latencies() []chart {
	name := latency.LoadToUse.String()
	lowest, highest := latency.Buckets, -1
	shares := make([][latency.Buckets]float64, len(r.Result.Kernels))
	for i := range r.Result.Kernels {
		l := r.Result.Kernels[i].Latencies[name]
		if l == nil {
			continue
		}
		for n, from := range l.From {
			b := latency.Bucket(from)
			lowest, highest = min(lowest, b), max(highest, b)
			shares[i][b] = over(100*float64(l.Counts[n]), float64(l.Count))
		}
	}
	if highest < 0 {
		return nil
	}
	return []chart{r.distribution(lowest, highest, shares)}
}

// distribution draws each tenant's shares of the buckets from lowest to highest.
func (r *Report) distribution(lowest, highest int, shares [][latency.Buckets]float64) chart {
	line := charts.NewLine()
	line.SetGlobalOptions(common("latency")...)
	var froms []string
	for b := lowest; b <= highest; b++ {
		froms = append(froms, grouped(latency.From(b)))
	}
	line.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: froms, Name: "core cycles, at least", NameLocation: "middle", NameGap: 26}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Min: 0, Name: "loads", NameLocation: "middle", NameGap: 52, AxisLabel: &opts.AxisLabel{Formatter: percent}}))
	for k, name := range r.Tenants {
		var points []opts.LineData
		for b := lowest; b <= highest; b++ {
			points = append(points, opts.LineData{Value: look.Rounded(shares[k][b])})
		}
		line.AddSeries(name, points, charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false), Step: "middle"}),
			charts.WithLineStyleOpts(opts.LineStyle{Color: look.Colour(k), Width: 1.8, Type: dash(k)}), charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(k)}))
	}
	return chart{ID: "latency", Unit: "%", Title: "Loads, from issue to use", Wide: true, Height: 260, Option: line.JSON(),
		About: "Share of each tenant's loads of cached memory by the time until a dependent instruction could issue. Buckets are four for each power of two."}
}
