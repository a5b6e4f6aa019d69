package policy

import (
	"bytes"
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
		o.add(tables[i].Form.Name, tables[i].json())
	}
	return o.close()
}

// Tables reads the tables of a policy's explanation from their JSON. It skips a table that
// does not match its form, such as a table of another version of the program.
func Tables(spec string, explanation json.RawMessage) (tables []Table) {
	d, _, err := parse(spec)
	var parts map[string]json.RawMessage
	if err != nil || json.Unmarshal(explanation, &parts) != nil {
		return nil
	}
	for _, f := range d.Explains {
		if text, given := parts[f.Name]; given {
			if sections, err := f.read(text); err == nil {
				tables = append(tables, Table{f, sections})
			}
		}
	}
	return tables
}

func (t *Table) json() json.RawMessage {
	f := t.Form
	if len(f.Columns) == 0 {
		return values(f.Facts, nil, t.Sections[0].Facts).close()
	}
	var sections []json.RawMessage
	for _, s := range t.Sections {
		var rows []json.RawMessage
		for _, row := range s.Rows {
			rows = append(rows, values(f.Columns, f.Order, row).close())
		}
		if len(f.Facts) == 0 {
			return encoded(rows)
		}
		o := values(f.Facts, nil, s.Facts)
		o.add(f.RowsKey, encoded(rows))
		sections = append(sections, o.close())
	}
	return encoded(sections)
}

func (f *Form) read(text json.RawMessage) ([]Section, error) {
	if len(f.Columns) == 0 {
		facts, err := cells(f.Facts, text)
		return []Section{{Facts: facts}}, err
	}
	if len(f.Facts) == 0 {
		rows, err := f.readRows(text)
		return []Section{{Rows: rows}}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	var sections []Section
	for _, item := range list {
		facts, err := cells(f.Facts, item)
		if err != nil {
			return nil, err
		}
		rows, err := f.readRows(inside(item, f.RowsKey))
		if err != nil {
			return nil, err
		}
		sections = append(sections, Section{facts, rows})
	}
	return sections, nil
}

func (f *Form) readRows(text json.RawMessage) (rows []Cells, err error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, item := range list {
		row, err := cells(f.Columns, item)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// cells reads the columns' values from a JSON object.
func cells(columns []Column, text json.RawMessage) (Cells, error) {
	list := Cells{}
	for _, c := range columns {
		value := text
		for name := range strings.SplitSeq(c.Name, ".") {
			value = inside(value, name)
		}
		cell, err := c.Kind.read(value)
		if err != nil {
			return nil, err
		}
		list[c.Name] = cell
	}
	return list, nil
}

// inside returns the value of a key; nil: text is no object with that key.
func inside(text json.RawMessage, key string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	return fields[key]
}

func (k Kind) read(text json.RawMessage) (cell any, err error) {
	if text == nil || string(text) == "null" {
		return nil, nil
	}
	switch k {
	case Count, TenantNumber:
		return readAs[int](text)
	case Number:
		return readAs[float64](text)
	case Text:
		return readAs[string](text)
	case Curve:
		return readAs[[]float64](text)
	default:
		return readAs[bool](text)
	}
}

func readAs[T any](text json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

// values writes cells in the given order of their columns; a run of names with one prefix
// becomes an object.
func values(columns []Column, order []string, cells Cells) *object {
	o := &object{}
	if order == nil {
		for _, c := range columns {
			order = append(order, c.Name)
		}
	}
	var nested object
	open := ""
	end := func() {
		if open != "" {
			o.add(open, nested.close())
		}
		nested, open = object{}, ""
	}
	for _, name := range order {
		i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		value := rounded(cells[name])
		if value == nil && columns[i].Optional {
			continue
		}
		prefix, inner, dotted := strings.Cut(name, ".")
		if open != "" && prefix != open || !dotted {
			end()
		}
		if dotted {
			open = prefix
			nested.add(inner, encoded(value))
		} else {
			o.add(name, encoded(value))
		}
	}
	end()
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

// object writes a JSON object, keys in the order of add.
type object struct{ text bytes.Buffer }

func (o *object) add(key string, value json.RawMessage) {
	separator := byte(',')
	if o.text.Len() == 0 {
		separator = '{'
	}
	o.text.WriteByte(separator)
	o.text.Write(encoded(key))
	o.text.WriteByte(':')
	o.text.Write(value)
}

func (o *object) close() json.RawMessage {
	if o.text.Len() == 0 {
		return json.RawMessage("{}")
	}
	return append(slices.Clone(o.text.Bytes()), '}')
}

func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a cell of a type that Kind does not name
	}
	return text
}
