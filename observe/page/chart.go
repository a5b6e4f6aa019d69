package page

import (
	"math"
	"slices"

	"cotenant/observe/look"
	"cotenant/observe/sample"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// chart is a chart as the page's script draws it.
type chart struct {
	ID     string         `json:"id"`
	Option map[string]any `json:"option"` // of ECharts
	Unit   string         `json:"unit"`   // of the values, for tooltips
	// Tenants is the number of rows that each SM has in the map of SMs, 0 in
	// other charts.
	Tenants int `json:"tenants"`
	// Labels are the moments that have a label on an axis of cycles, as indices
	// into its values; none if there is no such axis.
	Labels []int `json:"labels"`
	// Decals are the hatches of the series, nil for one without; none if no
	// series has one.
	Decals []map[string]any `json:"decals"`
	// mayBeAbsent: a tenant has no value while its process is not there.
	mayBeAbsent bool
	// has says of a tenant whether the chart has it; nil if it has all.
	has func(tenant int) bool

	title, about string
	wide         bool
	height       int // in pixels
	keys         []key
}

// charts lists the page's charts from top to bottom.
func (r *Report) charts() []chart {
	list := []chart{r.progress(), r.smMap(), r.occupancy(), r.dramBandwidth(), r.requestBandwidth(), r.replyBandwidth()}
	if r.promised() {
		list = slices.Insert(list, 1, r.promises())
	}
	if r.faulted() {
		list = append(list, r.faultsInFlight())
	}
	list = append(r.curves(), list...)
	return append(list, r.tenantStalls(), r.smStalls())
}

// cycleAxis is an axis of moments, given as text. It is one of categories
// because only those can have values stacked.
func cycleAxis(cycles []string) opts.XAxis {
	return opts.XAxis{Type: "category", Data: cycles, Name: "core cycles", NameLocation: "middle", NameGap: 26}
}

// labelled picks those of some moments that have a label: about eight, at round
// times where there are enough of them, and the last.
func labelled(moments []uint64) (list []int) {
	last := len(moments) - 1
	tick := sample.Round(max(1, moments[last]/8))
	for i, cycle := range moments[:last] {
		if cycle%tick == 0 && moments[last]-cycle > tick/2 {
			list = append(list, i)
		}
	}
	if step := (last + 7) / 8; len(list) < 3 {
		list = nil
		for i := 0; i <= last-step; i += step {
			list = append(list, i)
		}
	}
	return append(list, last)
}

// texts are moments as an axis shows them.
func texts(moments []uint64) (list []string) {
	for _, cycle := range moments {
		list = append(list, grouped(cycle))
	}
	return list
}

// common is what all charts have in common.
func common(id string) []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithInitializationOpts(opts.Initialization{ChartID: id, Renderer: "canvas"}),
		charts.WithAnimation(false),
		charts.WithLegendOpts(opts.Legend{Type: "scroll", Top: "0", Left: "0", Icon: "roundRect", ItemWidth: 12, ItemHeight: 10}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis"}),
		charts.WithGridOpts(opts.Grid{Left: "46", Right: "24", Top: "36", Bottom: "30", ContainLabel: opts.Bool(true)}),
	}
}

// series is a tenant's values, one for each window between two samples.
type series func(tenant int, from, to *sample.Sample) float64

// overTime draws a value of each tenant over time, one above the other or each
// from 0. What there is once in the chart belongs to the first series.
func (r *Report) overTime(c chart, yAxis opts.YAxis, stacked bool, value series, once ...charts.SeriesOpts) chart {
	return r.overTimeWith(c, yAxis, stacked, value, nil, once...)
}

// overTimeWith is overTime with what more adds to the chart; nil for nothing.
func (r *Report) overTimeWith(c chart, yAxis opts.YAxis, stacked bool, value series, more func(*charts.Line), once ...charts.SeriesOpts) chart {
	line := charts.NewLine()
	line.SetGlobalOptions(common(c.ID)...)
	yAxis.NameLocation, yAxis.NameGap = "middle", 44
	var moments []uint64
	for _, s := range r.Samples {
		moments = append(moments, s.Cycle)
	}
	line.SetGlobalOptions(charts.WithXAxisOpts(cycleAxis(texts(moments))), charts.WithYAxisOpts(yAxis))
	c.Labels = labelled(moments)
	for k, name := range r.Tenants {
		if c.has != nil && !c.has(k) {
			continue
		}
		style := []charts.SeriesOpts{
			charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false)}),
			charts.WithLineStyleOpts(opts.LineStyle{Color: look.Colour(k), Width: 1.8, Type: dash(k)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(k)}),
		}
		if stacked {
			style = append(style, charts.WithSeriesOpts(func(s *charts.SingleSeries) {
				s.Stack = "tenants"
				s.AreaStyle = &opts.AreaStyle{Color: look.Colour(k), Opacity: opts.Float(0.8)}
				s.LineStyle.Opacity = opts.Float(0) // a line on top of nothing would look like something
			}))
		}
		style = append(style, once...)
		once = nil
		line.AddSeries(name, r.points(k, value, c.mayBeAbsent), style...)
	}
	if more != nil {
		more(line)
	}
	c.Option = line.JSON()
	return c
}

// absent is a value that is not there, for ECharts.
const absent = "-"

// points are a tenant's values, each at the end of its window; the first is
// drawn from the window's beginning. One that is NaN is left out.
func (r *Report) points(tenant int, value series, mayBeAbsent bool) (list []opts.LineData) {
	from, to := r.span(tenant)
	if !mayBeAbsent {
		from, to = 0, r.Result.Cycles
	}
	last := len(r.Samples) - 1
	for i, s := range r.Samples {
		n := i
		if s.Cycle == from {
			n = min(i+1, last)
		}
		if s.Cycle < from || r.Samples[n-1].Cycle >= to {
			list = append(list, opts.LineData{Value: absent})
			continue
		}
		v := value(tenant, &r.Samples[n-1], &r.Samples[n])
		if math.IsNaN(v) {
			list = append(list, opts.LineData{Value: absent})
			continue
		}
		list = append(list, opts.LineData{Value: look.Rounded(v)})
	}
	return list
}

// span is when a tenant's process is there: from its arrival to the end of the
// application, or of the run.
func (r *Report) span(tenant int) (from, to uint64) {
	k := &r.Result.Kernels[tenant]
	return k.ArrivalCycle, k.ArrivalCycle + k.Cycles
}

// dash tells tenants apart whose colours are of one hue.
func dash(tenant int) string {
	return []string{"solid", "dashed", "dotted"}[tenant/len(look.Colours)%3]
}

// percent is a formatter of axis labels.
const percent = types.FuncStr("{value} %")
