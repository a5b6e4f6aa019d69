package page

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/observe/look"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// decided is the policy's explanation; nothing without Sets.
type decided struct {
	About string
	Sets  []decidedSet
}

// decidedSet shows one section of a table.
type decidedSet struct {
	Title string
	Rows  []*row
}

// tables reads the explanation, and separates notes from tables with columns.
func (r *Report) tables() (tables, notes []policy.Table) {
	for _, t := range policy.Tables(r.Result.Policy, r.Result.Decision) {
		if len(t.Form.Columns) > 0 {
			tables = append(tables, t)
		} else {
			notes = append(notes, t)
		}
	}
	return tables, notes
}

func (r *Report) decided() (all decided) {
	about := []string{"At the end of the run."}
	tables, notes := r.tables()
	for i := range notes {
		note := experiment.NoteText(&notes[i], grouped, number)
		about = append(about, strings.ToUpper(note[:1])+note[1:])
	}
	for i := range tables {
		t := &tables[i]
		sections, left := experiment.ShownSections(t)
		for j := range sections {
			set := decidedSet{Title: sectionTitle(t, &sections[j])}
			for _, cells := range sections[j].Rows {
				set.Rows = append(set.Rows, r.decidedRow(t.Form, cells))
			}
			all.Sets = append(all.Sets, set)
		}
		if left > 0 {
			about = append(about, fmt.Sprintf("%d more %s are in the JSON form.", left, t.Form.Plural))
		}
	}
	all.About = strings.Join(about, " ")
	return all
}

// sectionTitle numbers a section and tells its facts.
func sectionTitle(t *policy.Table, s *experiment.ShownSection) string {
	var words []string
	if t.Form.Title != "" {
		words = append(words, fmt.Sprintf("%s %d", t.Form.Title, s.Number))
	}
	last := ""
	for _, c := range t.Form.Facts {
		switch v := s.Facts[c.Name]; {
		case c.Title == "" || v == nil:
		case c.Kind == policy.Present:
			if s.Present {
				last = ": " + c.Title
			}
		case c.Kind == policy.Text:
			words = append(words, shown(v))
		default:
			words = append(words, c.Title+" "+shown(v))
		}
	}
	return strings.Join(words, ", ") + last
}

// decidedRow shows the titled columns of a row.
func (r *Report) decidedRow(f *policy.Form, cells policy.Cells) *row {
	line := &row{}
	if tenant, ok := f.Tenant(cells); ok {
		line.Colour = template.CSS(look.Colour(tenant))
	}
	for _, c := range f.Columns {
		head, value := strings.TrimSpace(c.Title+" "+c.Unit), cells[c.Name]
		switch {
		case c.Title == "" || c.Kind == policy.Curve:
		case c.Kind == policy.TenantNumber && value != nil:
			line.text(template.HTML(template.HTMLEscapeString(head)), r.Tenants[value.(int)])
		case c.Kind == policy.Text:
			line.text(template.HTML(template.HTMLEscapeString(head)), shown(value))
		default:
			line.numbers(template.HTMLEscapeString(head), shown(value))
		}
	}
	return line
}

// shown writes a cell; a dash stands for an unknown value.
func shown(cell any) string {
	switch v := cell.(type) {
	case nil:
		return dashMark
	case float64:
		return number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		return v
	}
	return fmt.Sprint(cell)
}

// curves draws a chart for each section with a known curve.
func (r *Report) curves() (list []chart) {
	tables, _ := r.tables()
	for i := range tables {
		sections, _ := experiment.ShownSections(&tables[i])
		for j := range sections {
			if c, ok := r.curvesOf(tables[i].Form, &sections[j], len(list)+1); ok {
				list = append(list, c)
			}
		}
	}
	if n := len(list); n%2 == 1 {
		list[n-1].Wide = true
	}
	return list
}

// curvesOf draws the curves of a section: one line for each row and curve, dotted for the
// second curve of a row.
func (r *Report) curvesOf(f *policy.Form, s *experiment.ShownSection, place int) (c chart, ok bool) {
	c = chart{ID: fmt.Sprintf("curves-%d", place), Title: "Curves", Height: 280, Unit: f.Curves.Unit, About: f.Curves.About}
	if f.Title != "" {
		c.Title = fmt.Sprintf("Curves of %s %d", strings.ToLower(f.Title), s.Number)
	}
	columns := slices.DeleteFunc(slices.Clone(f.Columns), func(c policy.Column) bool { return c.Kind != policy.Curve })
	line := charts.NewLine()
	line.SetGlobalOptions(common(c.ID)...)
	longest := 0
	for i, cells := range s.Rows {
		for k, column := range columns {
			values, known := cells[column.Name].([]float64)
			if !known {
				continue
			}
			ok = true
			longest = max(longest, len(values))
			name, tenant := r.curveName(f, cells, i)
			style := dash(tenant)
			if k > 0 {
				style = "dotted"
			}
			if len(columns) > 1 {
				name += ", " + column.Title
			}
			var points []opts.LineData
			for _, v := range values {
				points = append(points, opts.LineData{Value: look.Rounded(v)})
			}
			line.AddSeries(name, points, charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(true)}),
				charts.WithLineStyleOpts(opts.LineStyle{Color: look.Colour(tenant), Width: 1.8, Type: style}),
				charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(tenant)}))
		}
	}
	var axis []string
	for n := range longest {
		axis = append(axis, strconv.Itoa(n))
	}
	line.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: axis, Name: f.Curves.Over, NameLocation: "middle", NameGap: 26}),
		charts.WithYAxisOpts(opts.YAxis{Name: f.Curves.Unit, Min: 0, NameLocation: "middle", NameGap: 44}))
	c.Option = line.JSON()
	return c, ok
}

// curveName returns the name and the number of a row's tenant; the row's number stands for both
// if the row has no tenant.
func (r *Report) curveName(f *policy.Form, cells policy.Cells, row int) (name string, number int) {
	if tenant, ok := f.Tenant(cells); ok {
		return r.Tenants[tenant], tenant
	}
	return strconv.Itoa(row + 1), row
}
