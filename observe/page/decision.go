package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"cotenant/experiment"
	"cotenant/observe/look"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// decided is what the page says of the policy's decision; nothing if it has no Sets.
type decided struct {
	About string
	Sets  []decidedSet
}

// decidedSet is a table, of a set of kernels.
type decidedSet struct {
	Title            string
	Traffic, Scaling bool // which columns it has
	Kinds            bool // likewise, for CTAs on an SM
	Rows             []decidedRow
}

type decidedRow struct {
	Name, Threads, CTAs, Most                              string
	Type, RF, DF, EvenRate, Demand, NoC, DRAM, Rate, First string
	Predicted                                              string
	IPCBig, IPCSmall, IPCBase, Big, Small                  string
	Colour                                                 template.CSS
}

func (r *Report) decided() (all decided) {
	d := r.Result.Decision
	if d == nil {
		return all
	}
	about := []string{"For each set of kernels that shared the GPU, at the end of the run."}
	if s := d.Sustained; s != nil {
		about = append(about, fmt.Sprintf("Rates and demands are in requests of an SM in an interval of its issue-rate controller, in which %s replies with data and %s accesses of the DRAM are sustained: %d units each. A dash is what is not known, and a rate without limit.",
			number(s.Replies), number(s.Accesses), s.Units))
	}
	if h := d.Rehearsal; h != nil {
		text := "It was found out in a rehearsal of %s cycles."
		if !h.Settled {
			text = "What a rehearsal of %s cycles found out was used, which was cut off."
		}
		about = append(about, fmt.Sprintf(text, grouped(h.Cycles)))
	}
	sets, left := experiment.ShownSets(d)
	for i := range sets {
		all.Sets = append(all.Sets, r.decidedSet(&sets[i]))
	}
	if left > 0 {
		about = append(about, fmt.Sprintf("%d more sets are in the JSON form.", left))
	}
	all.About = strings.Join(about, " ")
	return all
}

func (r *Report) decidedSet(s *experiment.ShownSet) decidedSet {
	set := decidedSet{Title: setTitle(s)}
	for _, k := range s.Kernels {
		row := decidedRow{Name: r.Tenants[k.Tenant], Colour: template.CSS(look.Colour(k.Tenant)), Threads: strconv.Itoa(k.Threads),
			CTAs: strconv.Itoa(k.CTAs), Most: strconv.Itoa(k.MostCTAs), Rate: perhaps(k.Rate), First: "no", Predicted: dashMark}
		if k.First {
			row.First = "yes"
		}
		if t := k.Traffic; t != nil {
			set.Traffic = true
			row.Type, row.RF, row.DF, row.EvenRate, row.Demand = t.Type, perhaps(t.RF), perhaps(t.DF), perhaps(t.EvenRate), perhaps(t.Demand)
			row.NoC, row.DRAM = number(t.NoC), number(t.DRAM)
		}
		if k.Scaling != nil {
			set.Scaling = true
			row.Predicted = number(k.Scaling.Predicted)
		}
		if on := k.OnKinds; on != nil {
			set.Kinds = true
			row.IPCBig, row.IPCSmall, row.IPCBase = perhaps(on.IPCBig), perhaps(on.IPCSmall), perhaps(on.IPCBase)
			row.Big, row.Small = strconv.Itoa(on.SMsBig), strconv.Itoa(on.SMsSmall)
		}
		set.Rows = append(set.Rows, row)
	}
	return set
}

// setTitle is what a set of kernels is called.
func setTitle(s *experiment.ShownSet) string {
	text := fmt.Sprintf("Set %d, %s", s.Number, s.Phase)
	if s.Prior != nil {
		text += fmt.Sprintf(", priorLSK %s", number(*s.Prior))
	}
	if s.Present {
		text += ": the last that ran"
	}
	return text
}

// perhaps is a figure, a dash if there is none.
func perhaps(v *float64) string {
	if v == nil {
		return dashMark
	}
	return number(*v)
}

// curves are charts of what kernels do by their CTAs on an SM, one for each set of which
// that is known.
func (r *Report) curves() (list []chart) {
	if r.Result.Decision == nil {
		return nil
	}
	sets, _ := experiment.ShownSets(r.Result.Decision)
	for i := range sets {
		if c, ok := r.curvesOf(&sets[i]); ok {
			list = append(list, c)
		}
	}
	if n := len(list); n%2 == 1 {
		list[n-1].wide = true
	}
	return list
}

func (r *Report) curvesOf(s *experiment.ShownSet) (c chart, ok bool) {
	c = chart{ID: fmt.Sprintf("curves-%d", s.Number), title: "Curves of set " + strconv.Itoa(s.Number), height: 280, Unit: "units",
		about: "Bandwidth that a kernel uses by its CTAs on an SM, in units of the whole: of the crossbar a line, of the DRAM a dotted one."}
	line := charts.NewLine()
	line.SetGlobalOptions(common(c.ID)...)
	most := 0
	add := func(tenant int, what, dash string, curve []float64) {
		if curve == nil {
			return
		}
		ok = true
		most = max(most, len(curve)-1)
		var points []opts.LineData
		for _, v := range curve {
			points = append(points, opts.LineData{Value: rounded(v)})
		}
		line.AddSeries(r.Tenants[tenant]+what, points, charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(true)}),
			charts.WithLineStyleOpts(opts.LineStyle{Color: look.Colour(tenant), Width: 1.8, Type: dash}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(tenant)}))
	}
	name := "units"
	for _, k := range s.Kernels {
		if t := k.Traffic; t != nil {
			add(k.Tenant, ", crossbar", "solid", t.NBW)
			add(k.Tenant, ", DRAM", "dotted", t.DBW)
		}
		if k.Scaling != nil {
			add(k.Tenant, "", dash(k.Tenant), k.Scaling.Performance)
			name, c.Unit = "of its best", "of its best"
			c.about = "Performance that a kernel is predicted to have by its CTAs on an SM, of its best."
		}
	}
	var ctas []string
	for n := range most + 1 {
		ctas = append(ctas, strconv.Itoa(n))
	}
	line.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: ctas, Name: "CTAs on an SM", NameLocation: "middle", NameGap: 26}),
		charts.WithYAxisOpts(opts.YAxis{Name: name, Min: 0, NameLocation: "middle", NameGap: 44}))
	c.Option = line.JSON()
	return c, ok
}
