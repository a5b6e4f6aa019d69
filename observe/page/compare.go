package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"cotenant/experiment/compare"
	"cotenant/observe/look"
)

//go:embed compare.html
var compareText string

var compareTemplate = template.Must(template.Must(pageTemplate.Clone()).New("compare").Parse(compareText))

// compared is a table of rows of runs beside one another.
type compared struct {
	Title, About string
	Heads        []comparedCell
	Lines        [][]comparedCell
}

// comparedCell is a cell's text; texts stand on the left, numbers on the right.
type comparedCell struct {
	Name string
	Left bool
}

// WriteComparison writes a page of runs beside one another, which a command makes again.
// Equal comparisons give equal bytes.
func WriteComparison(w io.Writer, c *compare.Comparison, command string) error {
	library, err := look.Library()
	if err != nil {
		return err
	}
	list := comparedCharts(c)
	options, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("charts: %w", err)
	}
	var names []string
	for _, run := range c.Runs {
		names = append(names, run.Name)
	}
	return compareTemplate.Execute(w, struct {
		Title                    string
		Notes                    []string
		Tables                   []compared
		Sections                 []chart
		All                      compared
		Command                  string
		Library, Script, Options template.JS
		Style                    template.CSS
	}{strings.Join(names, " beside "), c.Notes, comparedTables(c), list, comparedRows(c, "", "", c.Numbers(), true), command,
		library, look.Drawing(), template.JS(options), look.Style()})
}

// comparedTables are the tables above the charts, without those that have no row.
func comparedTables(c *compare.Comparison) (list []compared) {
	for _, t := range []compared{
		comparedRows(c, "Conditions that differ", "What the runs were asked for, and the program that made them.", c.Conditions(), false),
		comparedRows(c, "Fields of the GPU that differ", "As in a GPU's file for --gpu.", c.GPU, false),
		comparedRows(c, "The mix", "In parentheses: the change over the first run.", c.Figures(), false),
		comparedRows(c, "Tenants", "In parentheses: the change over the first run.", c.TenantFigures(), true),
	} {
		if len(t.Lines) > 0 {
			list = append(list, t)
		}
	}
	return list
}

func comparedRows(c *compare.Comparison, title, about string, rows []compare.Row, tenants bool) compared {
	t := compared{Title: title, About: about}
	if tenants {
		t.Heads = append(t.Heads, comparedCell{"tenant", true})
	}
	t.Heads = append(t.Heads, comparedCell{"name", true})
	for _, run := range c.Runs {
		t.Heads = append(t.Heads, comparedCell{run.Name, false})
	}
	for i := range rows {
		var line []comparedCell
		if tenants {
			line = append(line, comparedCell{rows[i].Tenant, true})
		}
		line = append(line, comparedCell{rows[i].Name, true})
		for n := range c.Runs {
			line = append(line, comparedCell{rows[i].ShownBy(n, inThrees), false})
		}
		t.Lines = append(t.Lines, line)
	}
	return t
}

// comparedCharts are each tenant's progress in each run, and where its cycles went.
func comparedCharts(c *compare.Comparison) []chart {
	tenants := compare.Tenants(c.Runs)
	progress := charts.NewBar()
	progress.SetGlobalOptions(common("progress")...)
	var names []string
	for _, t := range tenants {
		names = append(names, t.Name)
	}
	progress.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: names}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Min: 0, Name: "normalised IPC", NameLocation: "middle", NameGap: 44}))
	var rows []string
	var stalls []map[string]uint64
	for n, run := range c.Runs {
		var bars []opts.BarData
		for _, t := range tenants {
			bar := opts.BarData{Value: absent}
			if t.At[n] >= 0 {
				if ipc := run.Result.Kernels[t.At[n]].NormalizedIPC; ipc.Defined() {
					bar.Value = look.Rounded(float64(ipc))
				}
			}
			bars = append(bars, bar)
		}
		progress.AddSeries(run.Name, bars, charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Colour(n)}),
			charts.WithSeriesOpts(func(s *charts.SingleSeries) { s.BarMaxWidth = "40" }))
	}
	for _, t := range tenants {
		for n, run := range c.Runs {
			if t.At[n] >= 0 {
				rows = append(rows, t.Name+", "+run.Name)
				stalls = append(stalls, run.Result.Kernels[t.At[n]].Stalls)
			}
		}
	}
	first := chart{ID: "progress", Unit: "of its speed alone", Title: "Normalised progress", Wide: true, Height: 300,
		About: "Each tenant's IPC over its IPC alone, by run.", Option: progress.JSON()}
	return append(append([]chart{first}, progressOverTime(c)...), stack(chart{ID: "stalls", Unit: "%", Title: "Where the tenants' cycles went", Wide: true, Height: 60 + 34*len(rows),
		About: "Scheduler-cycles charged to the tenant, by what was nearest to letting an instruction issue."}, rows, stalls, true))
}

// numbers are all numbers of the result.
func (r *Report) numbers() (compared, error) {
	text, err := json.Marshal(r.Result)
	if err != nil {
		return compared{}, fmt.Errorf("result: %w", err)
	}
	run, err := compare.Read("value", text)
	if err != nil {
		return compared{}, err
	}
	c := &compare.Comparison{Runs: []*compare.Run{run}}
	c.Rows = compare.Rows(c.Runs)
	return comparedRows(c, "", "", c.Numbers(), true), nil
}
