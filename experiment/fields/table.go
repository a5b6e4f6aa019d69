package fields

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
)

// Kind is what a row of a table is about.
type Kind string

// Kinds are the kinds of rows. In rows of tenants, total.NAME is a field of the whole run;
// in rows of launches it is that too, and tenant.NAME a field of the launch's tenant.
var Kinds = []string{"run", "tenant", "launch"}

// Table holds rows of results.
type Table struct {
	Columns []string
	rows    []row
}

// row is the values by name, and its names in the order of the result.
type row struct {
	values map[string]any
	names  []string
}

func (r *row) add(name string, value any) {
	if _, known := r.values[name]; !known {
		r.names = append(r.names, name)
	}
	r.values[name] = value
}

// New makes a table of no rows.
func New() *Table { return &Table{} }

// Add adds the rows of a kind of a result, with further values for each, such as the file's
// name, in front of its fields.
func (t *Table) Add(kind Kind, result []Field, further ...Field) {
	var tenants []int
	launches := map[int][]int{}
	for _, f := range result {
		if f.Tenant != None && !slices.Contains(tenants, f.Tenant) && f.Name == "app" {
			tenants = append(tenants, f.Tenant)
		}
		if f.Launch != None && !slices.Contains(launches[f.Tenant], f.Launch) {
			launches[f.Tenant] = append(launches[f.Tenant], f.Launch)
		}
	}
	begin := func() row {
		r := row{values: map[string]any{}}
		for _, f := range further {
			r.add(f.Name, f.Value)
		}
		return r
	}
	fill := func(r *row, tenant, launch int, prefix string) {
		for _, f := range result {
			if f.Tenant == tenant && f.Launch == launch {
				r.add(prefix+f.Name, f.Value)
			}
		}
	}
	if kind == "run" {
		r := begin()
		fill(&r, None, None, "")
		t.rows = append(t.rows, r)
		return
	}
	for _, tenant := range tenants {
		of := launches[tenant]
		if kind == "tenant" {
			of = []int{None}
		}
		for _, launch := range of {
			r := begin()
			r.add("policy", valueOf(result, "policy"))
			r.add("gpu", valueOf(result, "gpu"))
			r.add("tenant", float64(tenant))
			if kind == "launch" {
				r.add("launch", float64(launch))
			}
			fill(&r, tenant, launch, "")
			if kind == "launch" {
				fill(&r, tenant, None, "tenant.")
			}
			fill(&r, None, None, "total.")
			t.rows = append(t.rows, r)
		}
	}
}

func valueOf(result []Field, name string) any {
	for _, f := range result {
		if f.Tenant == None && f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Condition is what rows must meet.
type Condition struct{ name, operator, value string }

// operators of conditions, the longer before its own beginning.
var operators = []string{"<=", ">=", "!=", "=", "<", ">"}

// ParseCondition reads NAME=VALUE, or another operator; VALUE of = and != may have stars. An
// error says what would be valid.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "<>=!")
	for _, o := range operators {
		if at > 0 && strings.HasPrefix(text[at:], o) {
			c := Condition{strings.TrimSpace(text[:at]), o, strings.TrimSpace(text[at+len(o):])}
			if _, err := strconv.ParseFloat(c.value, 64); err != nil && o[0] != '=' && o[0] != '!' {
				return c, fmt.Errorf("condition %q compares with %q, which is no number; valid: NAME%sNUMBER", text, c.value, o)
			}
			if _, err := path.Match(c.value, ""); err != nil {
				return c, fmt.Errorf("condition %q: %w", text, err)
			}
			return c, nil
		}
	}
	return Condition{}, fmt.Errorf("condition %q has no operator; valid: NAME=VALUE, with one of %s", text, strings.Join(operators, " "))
}

// meets says whether a row has the condition's field, and it is as the condition says.
func (c *Condition) meets(r *row) bool {
	value, ok := r.values[c.name]
	if !ok {
		return false
	}
	if c.operator == "=" || c.operator == "!=" {
		equal, _ := path.Match(c.value, text(value)) // the pattern is right
		if n, number := value.(float64); number {
			if wanted, err := strconv.ParseFloat(c.value, 64); err == nil {
				equal = n == wanted
			}
		}
		return equal == (c.operator == "=")
	}
	n, number := value.(float64)
	wanted, _ := strconv.ParseFloat(c.value, 64)
	switch c.operator {
	case "<":
		return number && n < wanted
	case "<=":
		return number && n <= wanted
	case ">":
		return number && n > wanted
	}
	return number && n >= wanted
}

// Keep drops the rows that do not meet all conditions. A condition on a name that no row has
// is an error.
func (t *Table) Keep(conditions ...Condition) error {
	for _, c := range conditions {
		if len(t.rows) > 0 && !slices.ContainsFunc(t.rows, func(r row) bool { _, ok := r.values[c.name]; return ok }) {
			return t.unknown(c.name)
		}
		t.rows = slices.DeleteFunc(t.rows, func(r row) bool { return !c.meets(&r) })
	}
	return nil
}

// CheckPatterns says whether patterns of names can be read.
func CheckPatterns(patterns ...string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("column %q: %w; valid: a name, in which a star stands for any characters", pattern, err)
		}
	}
	return nil
}

// Choose makes columns of the names that match patterns, in the order of the patterns, and of
// the results for one pattern; a star stands for any characters. A pattern that nothing
// matches becomes an empty column, and the error names the first.
func (t *Table) Choose(patterns ...string) (missing error) {
	names := t.Names()
	for _, pattern := range patterns {
		found := false
		for _, name := range names {
			if is, _ := path.Match(pattern, name); is {
				found = true
				if !slices.Contains(t.Columns, name) {
					t.Columns = append(t.Columns, name)
				}
			}
		}
		if found || len(t.rows) == 0 {
			continue
		}
		if t.Columns = append(t.Columns, pattern); missing == nil {
			missing = t.unknown(pattern)
		}
	}
	return missing
}

// Results is a table of the tenants of results, with chosen columns. A nil result is left
// out; numbered gives each result's number from 1 as column run. The error is Choose's.
func Results(results []*experiment.Result, numbered bool, patterns ...string) (t *Table, missing error) {
	t = New()
	for i, r := range results {
		if r == nil {
			continue
		}
		text, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		list, err := Of(text)
		if err != nil {
			return nil, err
		}
		var further []Field
		if numbered {
			further = append(further, Field{Name: "run", Value: float64(i + 1)})
		}
		t.Add("tenant", list, further...)
	}
	first := []string{"policy", "gpu", "tenant", "app"}
	if numbered {
		first = append([]string{"run"}, first...)
	}
	return t, t.Choose(append(first, patterns...)...)
}

// unknown is the error of a name that no row has, with names that share most of it.
func (t *Table) unknown(name string) error {
	last := name[strings.LastIndexByte(name, '.')+1:]
	stem := strings.Trim(last, "*")
	var near []string
	for _, n := range t.Names() {
		if stem != "" && strings.Contains(n, stem) && len(near) < 8 {
			near = append(near, n)
		}
	}
	if near == nil {
		return fmt.Errorf("no row has a field %s; --names lists the fields", name)
	}
	return fmt.Errorf("no row has a field %s; valid: %s, and others that --names lists", name, strings.Join(near, ", "))
}

// Names are the names of all fields of the rows, in the order of their first row.
func (t *Table) Names() (list []string) {
	known := map[string]bool{}
	for _, r := range t.rows {
		for _, name := range r.names {
			if !known[name] {
				known[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// text is a value in full precision; "" for none.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// WriteCSV writes a heading and the rows.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(t.Columns) // Error has it
	for _, r := range t.rows {
		line := make([]string, len(t.Columns))
		for i, name := range t.Columns {
			line[i] = text(r.values[name])
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// WriteTable writes the rows for people to read.
func (t *Table) WriteTable(w io.Writer) error {
	var shown experiment.Table
	for _, r := range t.rows {
		var cells []any
		for _, name := range t.Columns {
			var cell any = text(r.values[name])
			if v, number := r.values[name].(float64); number {
				cell = experiment.Number(strconv.FormatFloat(v, 'g', 7, 64))
			}
			cells = append(cells, name, cell)
		}
		shown.Row(cells...)
	}
	_, err := io.WriteString(w, shown.String())
	return err
}
