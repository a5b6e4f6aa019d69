package page

import (
	"cotenant/observe/look"
	"cotenant/sm"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// stalls draw the causes of the cycles charged to each tenant, and of each SM's.
func (r *Report) stalls() []chart {
	var tenants, sms []map[string]uint64
	for i := range r.Result.Kernels {
		tenants = append(tenants, r.Result.Kernels[i].Stalls)
	}
	for i := range r.Result.SMs {
		sms = append(sms, r.Result.SMs[i].Stalls)
	}
	return []chart{
		stack(chart{ID: "tenant-stalls", Unit: "%", Title: "Where each tenant's cycles went", Height: 300,
			About: "Scheduler-cycles charged to the tenant, by what was nearest to letting an instruction issue. Greys and hatches are no tenant's."}, r.Tenants, tenants, true),
		stack(chart{ID: "sm-stalls", Unit: "%", Title: "Where each SM's cycles went", Height: 300,
			About: "All scheduler-cycles of the SM, those without any warp included."}, r.smNames(), sms, false),
	}
}

// stack draws bars of 100 %, horizontal or vertical.
func stack(c chart, names []string, stacks []map[string]uint64, lying bool) chart {
	bar := charts.NewBar()
	bar.SetGlobalOptions(common(c.ID)...)
	bar.SetGlobalOptions(charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}))
	values := &opts.AxisLabel{Formatter: percent}
	c.Direct = lying
	if lying {
		bar.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "value", Min: 0, Max: 100, AxisLabel: values}),
			charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: names, Inverse: opts.Bool(true)}))
	} else {
		bar.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: names, Name: "SM", NameLocation: "middle", NameGap: 26,
			AxisLabel: &opts.AxisLabel{ShowMaxLabel: opts.Bool(true), HideOverlap: opts.Bool(true)}}),
			charts.WithYAxisOpts(opts.YAxis{Type: "value", Min: 0, Max: 100, AxisLabel: values}))
	}
	for cause := range sm.NumCauses {
		var data []opts.BarData
		shown := uint64(0)
		for _, s := range stacks {
			total := uint64(0)
			for _, n := range s {
				total += n
			}
			n := s[cause.String()]
			shown += n
			data = append(data, opts.BarData{Value: look.Rounded(over(100*float64(n), float64(total)))})
		}
		if shown == 0 {
			continue
		}
		f, name := causeFills[cause], cause.Info().Shown
		c.Keys = append(c.Keys, key{name, f.css(), ""})
		var decal map[string]any
		if f.hatched() {
			decal = f.hatch.Decal()
		}
		c.Decals = append(c.Decals, decal)
		bar.AddSeries(name, data, charts.WithBarChartOpts(opts.BarChart{Stack: "causes", BarCategoryGap: "25%"}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: f.ground}),
			charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.BarMaxWidth = "44" }))
	}
	c.Option = bar.JSON()
	c.Option["grid"].([]opts.Grid)[0].Top = "10"
	return c
}
