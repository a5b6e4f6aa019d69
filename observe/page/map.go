package page

import (
	"fmt"
	"html/template"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// mostCells bounds the size of the map of SMs in a file.
const mostCells = 40_000

// smMap shows who had which SM when: a row for each tenant on each SM, and its
// share of the SM's threads as the strength of the tenant's colour.
func (r *Report) smMap() chart {
	tenants, sms := len(r.Tenants), r.Config.SMs.Count()
	rows := tenants * sms
	c := chart{ID: "sms", Unit: "% of the SM's threads", Tenants: tenants, Tick: r.tick(), title: "Who had which SM when", wide: true,
		height: 66 + rows*min(max(420/rows, 3), 14),
		about:  "For each SM one row per tenant; the stronger the colour, the more of the SM's threads were the tenant's."}
	m := charts.NewHeatMap()
	m.SetGlobalOptions(look(c.ID)...)
	starts, step := r.columns(rows)
	m.SetGlobalOptions(charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item"}),
		charts.WithXAxisOpts(cycleAxis(starts)),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: rowNames(r.smNames(), tenants), Inverse: opts.Bool(true)}))
	var shades []map[string]any
	for k, name := range r.Tenants {
		m.AddSeries(name, r.cells(k, step), charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.Animation = opts.Bool(false) }))
		colours := []string{tint(k, 0.92), tenantColour(k)}
		shades = append(shades, map[string]any{"type": "continuous", "show": false, "seriesIndex": k, "min": 0, "max": 100,
			"inRange": map[string]any{"color": colours}})
		c.keys = append(c.keys, key{name, template.CSS(fmt.Sprintf("linear-gradient(90deg,%s,%s)", colours[0], colours[1])), "0 to 100 %"})
	}
	c.Option = m.JSON()
	c.Option["visualMap"] = shades // go-echarts has no series index
	c.Option["grid"].([]opts.Grid)[0].Top = "8"
	return c
}

// columns are the map's points in time, by their first cycle, and how many
// windows each has.
func (r *Report) columns(rows int) (starts []string, step int) {
	windows := len(r.Samples) - 1
	step = 1
	for rows*(windows/step) > mostCells && step < windows {
		step++
	}
	for i := 0; i < windows; i += step {
		starts = append(starts, grouped(r.Samples[i].Cycle))
	}
	return starts, step
}

// cells are a tenant's shares of the SMs, as column, row and per cent. Where it
// has nothing there is no cell.
func (r *Report) cells(tenant, step int) (list []opts.HeatMapData) {
	last := len(r.Samples) - 1
	sms := r.Config.SMList()
	for i, column := 0, 0; i < last; i, column = i+step, column+1 {
		from, to := &r.Samples[i], &r.Samples[min(i+step, last)]
		for s := range sms {
			room := float64(sms[s].Spec.Threads) * float64(to.Cycle-from.Cycle)
			share := 100 * over(float64(to.SMThreadCycles[s][tenant]-from.SMThreadCycles[s][tenant]), room)
			if share > 0 {
				list = append(list, opts.HeatMapData{Value: []float64{float64(column), float64(s*len(r.Tenants) + tenant), rounded(share)}})
			}
		}
	}
	return list
}

// smNames are the SMs' numbers, with their kinds where there are several.
func (r *Report) smNames() []string {
	sms, several := r.Config.SMList(), len(r.Config.Kinds()) > 1
	names := make([]string, len(sms))
	for i := range names {
		names[i] = fmt.Sprint(i)
		if several {
			names[i] += " " + sms[i].Kind
		}
	}
	return names
}

// rowNames name the middle row of each SM, or of some SMs if there are many. The
// page's script has all names shown.
func rowNames(sms []string, tenants int) []string {
	every := 1
	for len(sms)/every > 32 {
		every *= 2
	}
	names := make([]string, len(sms)*tenants)
	for s := 0; s < len(sms); s += every {
		names[s*tenants+(tenants-1)/2] = "SM " + sms[s]
	}
	return names
}
