package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
	"cotenant/workload"
)

// Comparison is what there is to say of runs beside one another.
type Comparison struct {
	Runs  []*Run
	GPU   []Row // fields in which their GPUs differ
	Rows  []Row // all fields of their results
	Notes []string
	// Least is the least change of a counter, in per cent of the first run's, that the
	// tables show.
	Least float64
}

// Conditions are the rows of texts in which runs differ: policy, GPU, version and so on.
func (c *Comparison) Conditions() []Row {
	return c.rows(func(r *Row) bool { return !numeric(r) && r.Differs(0) })
}

// mixFigures are the figures of a whole run.
var mixFigures = []string{"cycles", "stp", "antt", "fairness", "hspeedup", "thread_instructions"}

// Figures are the rows of the mix.
func (c *Comparison) Figures() []Row {
	return c.rows(func(r *Row) bool { return r.Tenant == "" && first(r) })
}

// tenantFigures are the figures of a tenant that a reader looks for first.
var tenantFigures = []string{"ipc", "isolated_ipc", "normalized_ipc", "ntt", "ipc_over_goal", "tbs_completed", "completions"}

// TenantFigures are the rows of the tenants' main figures, of each that some run has.
func (c *Comparison) TenantFigures() []Row {
	return c.rows(func(r *Row) bool { return r.Tenant != "" && first(r) && numeric(r) })
}

// Numbers are all rows of numbers.
func (c *Comparison) Numbers() []Row { return c.rows(numeric) }

// Counters are the rows of all further numbers that differ by Least or more, and the number
// of those that do not.
func (c *Comparison) Counters() (list []Row, alike int) {
	for _, r := range c.Rows {
		switch {
		case !numeric(&r) || first(&r):
		case r.Differs(c.Least) || c.Least == 0:
			list = append(list, r)
		default:
			alike++
		}
	}
	return list, alike
}

// first says whether a row is a main figure.
func first(r *Row) bool {
	if r.Tenant == "" {
		return slices.Contains(mixFigures, r.Name)
	}
	return slices.Contains(tenantFigures, r.Name)
}

// single says whether a row is of one SM or one launch.
func single(r Row) bool {
	return strings.HasPrefix(r.Name, "sms.") || strings.HasPrefix(r.Name, "launches.")
}

func (c *Comparison) rows(is func(*Row) bool) (list []Row) {
	for _, r := range c.Rows {
		if is(&r) {
			list = append(list, r)
		}
	}
	return list
}

// numeric says whether a row has numbers, or nothing, and at least one number.
func numeric(r *Row) bool {
	some := false
	for _, v := range r.Values {
		_, number := v.(float64)
		if !number && v != nil {
			return false
		}
		some = some || number
	}
	return some
}

// Shown is a value for people to read, and its change over the first run's. Numbers below 100,000
// that are not whole have five digits; others are written whole.
func (r *Row) Shown(run int) string {
	return r.ShownBy(run, func(whole string) string { return whole })
}

// ShownBy is Shown with the digits of numbers that are written whole as a function writes them.
func (r *Row) ShownBy(run int, write func(digits string) string) string {
	v, ok := r.Number(run)
	if !ok {
		return r.Text(run)
	}
	text := strconv.FormatFloat(v, 'g', 5, 64)
	if v == float64(int64(v)) || math.Abs(v) >= 1e5 {
		text = write(strconv.FormatFloat(v, 'f', 0, 64))
	}
	switch change, ok := r.Change(run); {
	case !ok || run == 0 || change == 0:
	case change >= 900:
		text += fmt.Sprintf(" (%.4g times)", 1+change/100)
	default:
		text += fmt.Sprintf(" (%+.1f %%)", change)
	}
	return text
}

// WriteTable writes what differs, for people to read.
func (c *Comparison) WriteTable(w io.Writer) error {
	var text strings.Builder
	add := func(title string, rows []Row, tenants bool) {
		var t experiment.Table
		for i := range rows {
			r := &rows[i]
			var cells []any
			if tenants {
				cells = append(cells, "Tenant", r.Tenant)
			}
			cells = append(cells, title, r.Name)
			for n, run := range c.Runs {
				cells = append(cells, run.Name, experiment.Number(r.Shown(n)))
			}
			t.Row(cells...)
		}
		text.WriteString(t.String())
	}
	add("Condition", c.Conditions(), false)
	add("Field of the GPU", c.GPU, false)
	add("Figure", c.Figures(), false)
	add("Figure", c.TenantFigures(), true)
	counters, alike := c.Counters()
	more := len(counters)
	counters = slices.DeleteFunc(counters, single)
	more -= len(counters)
	add("Counter", counters, true)
	if alike > 0 {
		fmt.Fprintf(&text, "%s differ by less than %g %%; --least 0 shows all\n", workload.Count(alike, "further number"), c.Least)
	}
	if more > 0 {
		fmt.Fprintf(&text, "%s of single SMs and launches differ too; --csv and --html show them\n", workload.Count(more, "number"))
	}
	for _, note := range c.Notes {
		fmt.Fprintln(&text, note)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteCSV writes all rows in full precision, and each run's change over the first in per
// cent.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"tenant", "name"}
	for n, run := range c.Runs {
		head = append(head, run.Name)
		if n > 0 {
			head = append(head, "change_percent_"+strconv.Itoa(n+1))
		}
	}
	_ = out.Write(head) // Error has it
	for i := range c.Rows {
		r := &c.Rows[i]
		line := []string{r.Tenant, r.Name}
		for n := range c.Runs {
			value := ""
			if r.Values[n] != nil {
				value = r.Text(n)
			}
			line = append(line, value)
			if n > 0 {
				change := ""
				if v, ok := r.Change(n); ok {
					change = strconv.FormatFloat(v, 'g', 6, 64)
				}
				line = append(line, change)
			}
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}
