package reproduce

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
	"cotenant/workload/source"
)

// Report is an experiment with its rows, and what was run for them. Its JSON
// form is the program's output.
type Report struct {
	Name        string `json:"name"`
	About       string `json:"about"`
	Source      string `json:"source"`
	Notes       string `json:"notes"`
	GPU         string `json:"gpu"`
	Quick       bool   `json:"quick"`
	Cycles      uint64 `json:"cycles"`                // length of the window; 0 if nothing was simulated, to the end, or with OwnWindows
	OwnWindows  bool   `json:"own_windows,omitempty"` // the mixes' windows differ, or some run to the end
	Size        string `json:"size"`                  // inputs of the real kernels, as medium, or small and tiny; the notes say what else is set; "" if nothing was simulated
	Mixes       int    `json:"mixes"`
	Policies    int    `json:"policies"`
	Simulations int    `json:"simulations"` // the runs of single applications included
	Rows        []Row  `json:"rows"`
}

// Report makes the report of an experiment; simulations is the number of runs
// that its results took.
func (f *Experiment) Report(d *Data, simulations int) (*Report, error) {
	rows, err := f.Rows(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	r := &Report{Name: f.Name, About: f.About, Source: f.Source, Notes: f.Notes, GPU: cmp.Or(d.Scale.GPU, f.Setting.GPU), Quick: d.Scale.Quick,
		Simulations: simulations, Rows: rows}
	mixes, policies, sizes, windows := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[uint64]bool{}
	for _, run := range d.runs {
		// Numbers that other runs gave make no other policy of it.
		policy, _, _ := strings.Cut(run.Policy, ",ipcs=")
		mixes[strings.Join(untold(run.Apps), " ")], policies[policy] = true, true
		for _, app := range run.Apps {
			if _, options, ok := strings.Cut(app, "?size="); ok {
				size, _, _ := strings.Cut(options, "&")
				sizes[size] = true
			}
		}
		windows[run.Cycles] = true
	}
	if r.OwnWindows = len(windows) > 1; len(d.runs) > 0 && !r.OwnWindows {
		r.Cycles = d.runs[0].Cycles
	}
	r.Size = strings.Join(slices.Sorted(maps.Keys(sizes)), " and ")
	r.Mixes, r.Policies = len(mixes), len(policies)
	return r, nil
}

// untold are applications without what is said of their tenants, such as goals: runs
// that differ in that alone have the same mix.
func untold(apps []string) (list []string) {
	for _, app := range apps {
		if alone, _, err := source.Split(app); err == nil {
			app = alone
		}
		list = append(list, app)
	}
	return list
}

// WriteCSV writes a header and one line for each row, with the fields of the
// JSON form: first the experiment's, which repeat, then the row's. What is null
// there is empty. It writes all or, if w fails at once, nothing.
func (r *Report) WriteCSV(w io.Writer) error {
	var text bytes.Buffer
	c := csv.NewWriter(&text)
	_ = c.Write([]string{"name", "gpu", "quick", "cycles", "size", "label", "unit", "paper", "paper_source", "ours", "mixes", "of_mixes", "low", "high"}) // a Buffer takes all
	for _, row := range r.Rows {
		_ = c.Write([]string{r.Name, r.GPU, strconv.FormatBool(r.Quick), strconv.FormatUint(r.Cycles, 10), r.Size,
			row.Label, row.Unit, exact(row.Paper), row.From, exact(row.Ours), strconv.Itoa(row.Mixes), strconv.Itoa(row.OfMixes), exact(row.Low), exact(row.High)})
	}
	c.Flush()
	_, err := w.Write(text.Bytes())
	return err
}

// exact is a number that reads back as it was, "" if there is none.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// WriteTable writes the report for people to read. A dash stands for what the
// paper does not give as a number, or for what is not defined.
func (r *Report) WriteTable(w io.Writer) error {
	var t experiment.Table
	for _, row := range r.Rows {
		difference := "-"
		if x, ok := row.Difference(); ok {
			difference = fmt.Sprintf("%+.3f", x)
		}
		t.Row("", row.Label, "Unit", row.Unit, "Paper", shown(row.Paper), "Ours", shown(row.Ours),
			"95 % interval", experiment.Number(row.Interval()), "Mixes", experiment.Number(row.Count()),
			"Difference", experiment.Number(difference), "Paper's value is", row.From)
	}
	_, err := fmt.Fprintf(w, "%s: %s (%s)\n%s%s\n", r.Name, r.About, r.Source, &t, r.Conditions())
	if err == nil && r.Notes != "" {
		_, err = fmt.Fprintln(w, r.Notes)
	}
	return err
}

// Conditions says on which machine and what was simulated.
func (r *Report) Conditions() string {
	if r.Mixes == 0 {
		return "On " + r.GPU + ". No mix was run."
	}
	length, size := "to the end", ""
	switch {
	case r.OwnWindows:
		length = "for a window of its own"
	case r.Cycles > 0:
		length = fmt.Sprintf("for %d cycles", r.Cycles)
	}
	if r.Size != "" {
		size = ", inputs of size " + r.Size
	}
	return fmt.Sprintf("On %s. Mixes: %d; policies: %d; each ran %s%s; simulations, single applications included: %d.",
		r.GPU, r.Mixes, r.Policies, length, size, r.Simulations)
}

func shown(x *float64) experiment.Number {
	if x == nil {
		return "-"
	}
	return experiment.Number(strconv.FormatFloat(*x, 'f', 3, 64))
}

// defined is nil for NaN.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// figureRow is a row of a number that may not be defined.
func figureRow(label, unit string, x float64) Row {
	if math.IsInf(x, 0) {
		x = math.NaN()
	}
	return Row{Label: label, Unit: unit, Ours: defined(x)}
}
