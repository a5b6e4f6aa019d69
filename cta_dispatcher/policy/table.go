package policy

import "slices"

// Form describes a table of a policy's explanation. A policy lists its forms in its
// Descriptor and fills them in Needs.Explain. JSON, the text table and the page follow from
// the form and know no policy.
//
// A table consists of sections, each with facts and rows. JSON writes a list of sections; a
// form without facts becomes a list of rows, and a form without columns an object.
type Form struct {
	Name    string   // key in JSON
	Title   string   // heads the number of a section, such as "Set"
	Plural  string   // such as "sets of kernels"
	Facts   []Column // values of a section
	RowsKey string   // key in JSON of a section's rows; only beside facts
	Columns []Column // values of a row
	// Order lists the names of the columns in the order of JSON; nil: that of Columns.
	Order []string
	// Note is the sentence that views write of a form without columns; {name} stands for
	// the fact of that name.
	Note string
	// Aside keeps the note out of the text table.
	Aside  bool
	Curves Curves
}

// Column describes one value of a section or of a row.
type Column struct {
	// Name is the key in JSON. A dot nests: traffic.rf is rf in the object traffic.
	Name string
	// Title heads the column. Without a title only JSON writes the value.
	Title string
	Unit  string // follows the title on the page; optional
	Kind  Kind
	// Detail keeps the column out of the text table.
	Detail bool
	// Optional leaves an unknown value out of JSON; otherwise JSON writes null.
	Optional bool
	// Words are the words for false and true in a Note.
	Words [2]string
}

// Kind is the type of a column's cells. A cell of any kind may be nil: unknown, or without
// meaning for this row.
type Kind uint8

// The kinds, with the Go type of a cell.
const (
	Count        Kind = iota // int
	Number                   // float64; results keep six digits
	Text                     // string
	Flag                     // bool
	TenantNumber             // int; views write the application's name
	Curve                    // []float64, the values at 0, 1, 2 and so on; the page draws it
	Present                  // bool: the section describes the end of the run, so each view shows it
)

// Curves describes the page's chart of the columns of kind Curve.
type Curves struct {
	About string // a sentence below the chart's title
	Over  string // label of the horizontal axis
	Unit  string // label of the vertical axis
}

// Table is a form with its values.
type Table struct {
	Form     *Form
	Sections []Section
}

// Section is a part of a table.
type Section struct {
	Facts Cells
	Rows  []Cells
}

// Cells are values by the names of their columns. An absent value is unknown.
type Cells map[string]any

// With returns a one-section table of the form.
func (f *Form) With(facts Cells, rows ...Cells) Table { return Table{f, []Section{{facts, rows}}} }

// Present reports whether the section describes the end of the run.
func (t *Table) Present(s *Section) bool {
	return slices.ContainsFunc(t.Form.Facts, func(c Column) bool { return c.Kind == Present && s.Facts[c.Name] == true })
}

// Tenant returns the tenant of a row, by its first column of kind TenantNumber.
func (f *Form) Tenant(row Cells) (tenant int, ok bool) {
	i := slices.IndexFunc(f.Columns, func(c Column) bool { return c.Kind == TenantNumber })
	if i >= 0 {
		tenant, ok = row[f.Columns[i].Name].(int)
	}
	return tenant, ok
}
