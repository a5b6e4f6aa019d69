package page

import (
	"fmt"
	"html/template"

	"cotenant/observe/look"
	"cotenant/observe/sample"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// mostCells bounds the size of the map of SMs in a file.
const mostCells = 40_000

// smMap shows who had which SM when: a row for each tenant on each SM, with the tenant's
// share of the SM's threads as the strength of its colour. Hatches mark moves of its thread
// blocks' contexts.
func (r *Report) smMap() chart {
	tenants, sms := len(r.Tenants), r.Config.SMs.Count()
	rows := tenants * sms
	step := r.columns(rows)
	var moments []uint64
	for i := 0; i < len(r.Samples)-1; i += step {
		moments = append(moments, r.Samples[i].Cycle)
	}
	columns := len(moments)
	moments = append(moments, r.Samples[len(r.Samples)-1].Cycle)
	c := chart{ID: "sms", Unit: "% of the SM's threads", Tenants: tenants, Labels: labelled(moments), Title: "Who had which SM when", Wide: true,
		Height: 66 + rows*min(max(420/rows, 3), 14),
		About:  "For each SM one row per tenant; the stronger the colour, the more of the SM's threads were the tenant's."}
	m := charts.NewHeatMap()
	m.SetGlobalOptions(common(c.ID)...)
	hidden := opts.Bool(false)
	m.SetGlobalOptions(charts.WithLegendOpts(opts.Legend{Show: hidden}), charts.WithTooltipOpts(opts.Tooltip{Trigger: "item"}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: texts(moments[:columns]), Show: hidden}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: make([]string, rows), Inverse: opts.Bool(true), Show: hidden}))
	// Cells lie between moments, and an SM's rows beside its name: labels have
	// axes of their own.
	times := cycleAxis(texts(moments))
	times.Position = "bottom"
	m.ExtendXAxis(times)
	m.ExtendYAxis(opts.YAxis{Type: "category", Data: everyFew(r.smNames()), Inverse: opts.Bool(true), Position: "left",
		SplitLine: &opts.SplitLine{Show: opts.Bool(sms <= mostNames), LineStyle: &opts.LineStyle{Color: look.Slate, Opacity: opts.Float(0.35)}}})
	var shades []map[string]any
	for k, name := range r.Tenants {
		m.AddSeries(name, r.cells(k, step), charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.Animation = hidden }))
		colours := []string{look.Faint(k), look.Colour(k)}
		shades = append(shades, map[string]any{"type": "continuous", "show": false, "seriesIndex": k, "min": 0, "max": 100,
			"inRange": map[string]any{"color": colours}})
		c.Keys = append(c.Keys, key{name, template.CSS(fmt.Sprintf("linear-gradient(90deg,%s,%s)", colours[0], colours[1])), "0 to 100 %"})
	}
	c.Decals = make([]map[string]any, tenants)
	for _, d := range contextMoves {
		moves := r.moves(d.bytes, step)
		if len(moves) == 0 {
			continue
		}
		m.AddSeries(d.name, nil, charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.Type, s.Data, s.Animation = "custom", moves, hidden }))
		c.Decals = append(c.Decals, d.hatch.Decal())
		c.Keys = append(c.Keys, key{d.name, d.hatch.CSS("#fff"), ""})
	}
	if len(c.Decals) > tenants {
		c.About += " Hatches: contexts on their way."
	}
	c.Option = m.JSON()
	c.Option["visualMap"] = shades // go-echarts has no series index
	c.Option["grid"].([]opts.Grid)[0].Top = "8"
	return c
}

// columns is the number of intervals in a column of the map.
func (r *Report) columns(rows int) (step int) {
	intervals := len(r.Samples) - 1
	step = 1
	for rows*(intervals/step) > mostCells && step < intervals {
		step++
	}
	return step
}

// cells are a tenant's shares of the SMs, as column, row and per cent. A share of 0 has no
// cell.
func (r *Report) cells(tenant, step int) (list []opts.HeatMapData) {
	last := len(r.Samples) - 1
	sms := r.Config.SMList()
	for i, column := 0, 0; i < last; i, column = i+step, column+1 {
		from, to := &r.Samples[i], &r.Samples[min(i+step, last)]
		for s := range sms {
			room := float64(sms[s].Spec.Threads) * float64(to.Cycle-from.Cycle)
			share := 100 * over(float64(to.SMs[s][tenant].ThreadCycles-from.SMs[s][tenant].ThreadCycles), room)
			if share > 0 {
				list = append(list, opts.HeatMapData{Value: []float64{float64(column), float64(s*len(r.Tenants) + tenant), look.Rounded(share)}})
			}
		}
	}
	return list
}

// contextMoves are the directions in which contexts move, and their marks on the map.
var contextMoves = []struct {
	name  string
	hatch look.Hatch
	bytes func(*sample.SM) uint64
}{
	{"saves contexts", look.Lines(look.Ink, 135, 1, 3), func(s *sample.SM) uint64 { return s.SavedBytes }},
	{"loads contexts", look.Lines(look.Ink, 45, 1, 3), func(s *sample.SM) uint64 { return s.LoadedBytes }},
}

// moves are the times at which contexts of a tenant moved between an SM and memory: first
// and last column, row and KiB of each.
func (r *Report) moves(bytes func(*sample.SM) uint64, step int) (list []opts.HeatMapData) {
	last := len(r.Samples) - 1
	for s := range r.Config.SMs.Count() {
		for k := range r.Tenants {
			open := false
			for i, column := 0, 0; i < last; i, column = i+step, column+1 {
				moved := bytes(&r.Samples[min(i+step, last)].SMs[s][k]) - bytes(&r.Samples[i].SMs[s][k])
				if moved > 0 && !open {
					list = append(list, opts.HeatMapData{Value: []float64{float64(column), 0, float64(s*len(r.Tenants) + k), 0}})
				}
				if open = moved > 0; open {
					v := list[len(list)-1].Value.([]float64)
					v[1], v[3] = float64(column), v[3]+float64(moved)/1024
				}
			}
		}
	}
	return list
}

// smNames are the SMs' numbers, with their kinds where there are several, or their instances.
func (r *Report) smNames() []string {
	sms, several := r.Config.SMList(), len(r.Config.Kinds()) > 1
	names := make([]string, len(sms))
	for i := range names {
		names[i] = fmt.Sprint(i)
		if several {
			names[i] += " " + sms[i].Kind
		}
	}
	for i := range r.Config.Instances {
		in := &r.Config.Instances[i]
		for sm := in.SMs.First; sm < in.SMs.End; sm++ {
			names[sm] += " " + in.Profile
		}
	}
	return names
}

// mostNames bounds the names of SMs beside the map.
const mostNames = 32

// everyFew leaves out names where there are too many to show.
func everyFew(sms []string) []string {
	every := 1
	for len(sms)/every > mostNames {
		every *= 2
	}
	names := make([]string, len(sms))
	for s := 0; s < len(sms); s += every {
		names[s] = "SM " + sms[s]
	}
	return names
}
