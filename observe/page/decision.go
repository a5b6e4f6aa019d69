package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
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
	Title string
	Rows  []*row
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

// decidedSet shows what the policy knows of the kernels of a set: all of them have
// the same columns.
func (r *Report) decidedSet(s *experiment.ShownSet) decidedSet {
	set := decidedSet{Title: setTitle(s)}
	has := func(of func(k policy.DecidedKernel) bool) bool { return slices.ContainsFunc(s.Kernels, of) }
	traffic := has(func(k policy.DecidedKernel) bool { return k.Traffic != nil })
	scaling := has(func(k policy.DecidedKernel) bool { return k.Scaling != nil })
	kinds := has(func(k policy.DecidedKernel) bool { return k.OnKinds != nil })
	for _, k := range s.Kernels {
		row := r.rowOf(k.Tenant).numbers("threads of a TB", strconv.Itoa(k.Threads))
		t, on := cmp.Or(k.Traffic, &policy.Traffic{}), cmp.Or(k.OnKinds, &policy.OnKinds{})
		if traffic {
			row.text("type", t.Type).numbers("rf", perhaps(t.RF), "df", perhaps(t.DF), "even rate", perhaps(t.EvenRate), "demand", perhaps(t.Demand))
		}
		if kinds {
			row.numbers("IPC on a big SM", perhaps(on.IPCBig), "on a small SM", perhaps(on.IPCSmall), "on a base SM, estimated", perhaps(on.IPCBase),
				"big SMs", strconv.Itoa(on.SMsBig), "small SMs", strconv.Itoa(on.SMsSmall))
		} else {
			row.numbers("CTAs on an SM", strconv.Itoa(k.CTAs), "of at most", strconv.Itoa(k.MostCTAs))
		}
		if traffic {
			first := "no"
			if k.First {
				first = "yes"
			}
			row.numbers("units of the crossbar", number(t.NoC), "of the DRAM", number(t.DRAM), "rate", perhaps(k.Rate), "goes first", first)
		}
		if scaling {
			predicted := dashMark
			if k.Scaling != nil {
				predicted = number(k.Scaling.Predicted)
			}
			row.numbers("of its best, predicted", predicted)
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
			points = append(points, opts.LineData{Value: look.Rounded(v)})
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
