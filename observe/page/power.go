package page

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"cotenant/observe/look"
	"cotenant/observe/power"
)

// idleColour is that of what no tenant takes.
const idleColour = "#9a9a9a"

// power draws the power over time, by tenant; nothing if energy was not counted.
func (r *Report) power() []chart {
	if r.Energy == nil || len(r.Energy.Intervals) == 0 {
		return nil
	}
	line := charts.NewLine()
	line.SetGlobalOptions(common("power")...)
	// The first interval's beginning has its value, so that areas begin there.
	first := &r.Energy.Intervals[0]
	moments := []uint64{first.Cycle - first.Cycles}
	for i := range r.Energy.Intervals {
		moments = append(moments, r.Energy.Intervals[i].Cycle)
	}
	line.SetGlobalOptions(charts.WithXAxisOpts(cycleAxis(texts(moments))),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Min: 0, Name: "watts", NameLocation: "middle", NameGap: 52}))
	for k := range r.Energy.Tenants {
		colour := idleColour
		if k < len(r.Tenants) {
			colour = look.Colour(k)
		}
		points := []opts.LineData{{Value: look.Rounded(r.Energy.Watts(first, k))}}
		for i := range r.Energy.Intervals {
			points = append(points, opts.LineData{Value: look.Rounded(r.Energy.Watts(&r.Energy.Intervals[i], k))})
		}
		line.AddSeries(r.Energy.Tenants[k].Name, points, charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour}), charts.WithSeriesOpts(func(s *charts.SingleSeries) {
				s.Stack = "tenants"
				s.AreaStyle = &opts.AreaStyle{Color: colour, Opacity: opts.Float(0.8)}
				s.LineStyle = &opts.LineStyle{Color: colour, Opacity: opts.Float(0)}
			}))
	}
	return []chart{{ID: "power", Unit: "W", Title: "Power", Wide: true, Height: 280, Option: line.JSON(), Labels: labelled(moments),
		About: fmt.Sprintf("Energy of each tenant's events over time; the run takes %.4g mJ. %s is idle power, and traffic of no tenant. From %s.",
			1e3*r.Energy.Joules, power.Nobody, r.Energy.Source)}}
}
