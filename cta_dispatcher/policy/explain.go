package policy

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Explain returns the JSON of the policy's tables; nil: the policy explains nothing.
func Explain(p Policy) json.RawMessage {
	explain := p.Needs().Explain
	if explain == nil {
		return nil
	}
	tables := explain()
	if len(tables) == 0 {
		return nil
	}
	var o object
	for i := range tables {
		o.set(tables[i].Form.Name, tables[i].json())
	}
	text, err := json.Marshal(&o)
	if err != nil {
		panic(err) // a cell of a type that Kind does not name
	}
	return text
}

// Tables reads the tables of a policy's explanation from their JSON. It skips a table that
// does not match its form, such as a table of another version of the program.
func Tables(spec string, explanation json.RawMessage) (tables []Table) {
	d, _, err := parse(spec)
	var parts map[string]any
	if err != nil || json.Unmarshal(explanation, &parts) != nil {
		return nil
	}
	for _, f := range d.Explains {
		if sections := f.read(parts[f.Name]); sections != nil {
			tables = append(tables, Table{f, sections})
		}
	}
	return tables
}

func (f *Form) read(value any) (sections []Section) {
	list, isList := value.([]any)
	switch {
	case len(f.Columns) == 0:
		if facts := read(f.Facts, value); facts != nil {
			sections = append(sections, Section{Facts: facts})
		}
	case len(f.Facts) == 0:
		if isList {
			sections = append(sections, Section{Rows: f.readRows(list)})
		}
	default:
		for _, item := range list {
			if facts := read(f.Facts, item); facts != nil {
				rows, _ := item.(map[string]any)[f.RowsKey].([]any)
				sections = append(sections, Section{facts, f.readRows(rows)})
			}
		}
	}
	return sections
}

func (f *Form) readRows(list []any) (rows []Cells) {
	for _, item := range list {
		if row := read(f.Columns, item); row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// read reads the columns' values from a JSON object; nil: value is none.
func read(columns []Column, value any) Cells {
	if _, ok := value.(map[string]any); !ok {
		return nil
	}
	cells := Cells{}
	for _, c := range columns {
		v := value
		for name := range strings.SplitSeq(c.Name, ".") {
			fields, _ := v.(map[string]any)
			v = fields[name]
		}
		cells[c.Name] = c.Kind.cell(v)
	}
	return cells
}

// cell converts a JSON value.
func (k Kind) cell(v any) any {
	switch v := v.(type) {
	case float64:
		if k == Count || k == TenantNumber {
			return int(v)
		}
	case []any:
		var curve []float64
		for _, x := range v {
			y, _ := x.(float64)
			curve = append(curve, y)
		}
		return curve
	}
	return v
}

// json returns the value that JSON writes for the table.
func (t *Table) json() any {
	f := t.Form
	if len(f.Columns) == 0 {
		return values(f.Facts, nil, t.Sections[0].Facts)
	}
	var sections []*object
	for _, s := range t.Sections {
		var rows []*object
		for _, row := range s.Rows {
			rows = append(rows, values(f.Columns, f.Order, row))
		}
		if len(f.Facts) == 0 {
			return rows
		}
		o := values(f.Facts, nil, s.Facts)
		o.set(f.RowsKey, rows)
		sections = append(sections, o)
	}
	return sections
}

// values makes an object of cells, in the given order of the columns' names.
func values(columns []Column, order []string, cells Cells) *object {
	if order == nil {
		for _, c := range columns {
			order = append(order, c.Name)
		}
	}
	o := &object{}
	for _, name := range order {
		i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		if value := rounded(cells[name]); value != nil || !columns[i].Optional {
			o.set(name, value)
		}
	}
	return o
}

// rounded limits numbers to six digits, so that machines with different rounding write the
// same result. Infinity and NaN become unknown.
func rounded(cell any) any {
	switch v := cell.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return SixDigits(v)
	case []float64:
		if v == nil {
			return nil
		}
		curve := make([]float64, len(v))
		for i := range v {
			curve[i] = SixDigits(v[i])
		}
		return curve
	}
	return cell
}

// SixDigits rounds a number as results write it.
func SixDigits(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // FormatFloat's text always parses
	return r
}

// object is a JSON object with its keys in order.
type object []pair

type pair struct {
	key   string
	value any
}

// set adds a value. A run of keys with one prefix before a dot becomes an object.
func (o *object) set(key string, value any) {
	prefix, inner, dotted := strings.Cut(key, ".")
	if !dotted {
		*o = append(*o, pair{key, value})
		return
	}
	if n := len(*o); n == 0 || (*o)[n-1].key != prefix {
		*o = append(*o, pair{prefix, &object{}})
	}
	(*o)[len(*o)-1].value.(*object).set(inner, value)
}

// MarshalJSON writes the pairs.
func (o *object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, p := range *o {
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(strconv.AppendQuote(text, p.key), ':'), value...)
	}
	return append(text, '}'), nil
}
