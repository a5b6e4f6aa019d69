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

// chart is a chart in the form of the page's script.
type chart struct {
	ID     string         `json:"id"`
	Option map[string]any `json:"option"` // of ECharts
	Unit   string         `json:"unit"`   // of the values, for tooltips
	// Tenants is the number of rows of each SM in the map of SMs, 0 in other charts.
	Tenants int `json:"tenants"`
	// Labels are the moments with a label on an axis of cycles, as indices into its values;
	// none without such an axis.
	Labels []int `json:"labels"`
	// Decals are the hatches of the series, nil for a series without; none if no series has
	// a hatch.
	Decals []map[string]any `json:"decals"`
	// Direct: bars of 100 % have the names of their series where there is room.
	Direct bool `json:"direct"`
	// mayBeAbsent: a tenant has no value before its arrival and after its end.
	mayBeAbsent bool
	// has reports whether the chart shows a tenant; nil if it shows all.
	has func(tenant int) bool

	// The page shows these around the chart.
	Title  string `json:"-"`
	About  string `json:"-"`
	Wide   bool   `json:"-"`
	Height int    `json:"-"` // in pixels
	Keys   []key  `json:"-"`
}

// charts lists the page's charts from top to bottom.
func (r *Report) charts() []chart {
	list := append([]chart{r.progress(), r.smMap(), r.occupancy()}, r.bandwidths()...)
	if r.promised() {
		list = slices.Insert(list, 1, r.promises())
	}
	if r.faulted() {
		list = append(list, r.faultsInFlight())
	}
	list = append(r.curves(), list...)
	return append(append(append(list, r.power()...), r.latencies()...), r.stalls()...)
}

// cycleAxis is an axis of moments, given as text. It is a category axis, because only
// that can have stacked values.
func cycleAxis(cycles []string) opts.XAxis {
	return opts.XAxis{Type: "category", Data: cycles, Name: "core cycles", NameLocation: "middle", NameGap: 26}
}

// labelled picks about eight moments for labels, at round times if there are enough, and
// the last.
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

// texts are the labels of moments.
func texts(moments []uint64) (list []string) {
	for _, cycle := range moments {
		list = append(list, grouped(cycle))
	}
	return list
}

// common holds the options of all charts.
func common(id string) []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithInitializationOpts(opts.Initialization{ChartID: id, Renderer: "canvas"}),
		charts.WithAnimation(false),
		charts.WithLegendOpts(opts.Legend{Type: "scroll", Top: "0", Left: "0", Icon: "roundRect", ItemWidth: 12, ItemHeight: 10}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis"}),
		charts.WithGridOpts(opts.Grid{Left: "46", Right: "24", Top: "36", Bottom: "30", ContainLabel: opts.Bool(true)}),
	}
}

// series is a tenant's values, one for each interval between two samples.
type series func(tenant int, from, to *sample.Sample) float64

// overTime draws a value of each tenant over time, stacked or each from 0. The options
// once go to the first series alone.
func (r *Report) overTime(c chart, yAxis opts.YAxis, stacked bool, value series, once ...charts.SeriesOpts) chart {
	return r.overTimeWith(c, yAxis, stacked, value, nil, once...)
}

// overTimeWith is overTime with additions by more; nil for none.
func (r *Report) overTimeWith(c chart, yAxis opts.YAxis, stacked bool, value series, more func(*charts.Line), once ...charts.SeriesOpts) chart {
	line := charts.NewLine()
	line.SetGlobalOptions(common(c.ID)...)
	yAxis.NameLocation, yAxis.NameGap = "middle", 52
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

// absent is a missing value for ECharts.
const absent = "-"

// points are a tenant's values, each at the end of its interval; the first is drawn from
// the interval's beginning. NaN values are left out.
func (r *Report) points(tenant int, value series, mayBeAbsent bool) (list []opts.LineData) {
	from, to := r.span(tenant)
	if !mayBeAbsent {
		from, to = 0, r.Result.End()
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

// span is the time of a tenant's process that counts: from its arrival, or the end of the
// warm-up, to the end of the
// application, or of the run.
func (r *Report) span(tenant int) (from, to uint64) {
	k := &r.Result.Kernels[tenant]
	from = max(k.ArrivalCycle, r.Result.Warmup)
	return from, from + k.Cycles
}

// dash tells tenants with colours of one hue apart.
func dash(tenant int) string {
	return []string{"solid", "dashed", "dotted"}[tenant/len(look.Colours)%3]
}

// percent is a formatter of axis labels.
const percent = types.FuncStr("{value} %")
