package experiment

import (
	"cmp"
	"fmt"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// MostSections limits the sections of an explanation's table in views for people: an
// application with many kernels makes many.
const MostSections = 8

// ShownSection is a section and its number, from 1.
type ShownSection struct {
	Number int
	policy.Section
	Present bool // it describes the end of the run
}

// ShownSections selects the sections for views for people: the first MostSections and the
// present one. It counts the rest.
func ShownSections(t *policy.Table) (list []ShownSection, left int) {
	for i := range t.Sections {
		s := &t.Sections[i]
		if present := t.Present(s); i < MostSections || present {
			list = append(list, ShownSection{i + 1, *s, present})
		} else {
			left++
		}
	}
	return list, left
}

// NoteText writes the note of a table without columns. write formats whole and other numbers.
func NoteText(t *policy.Table, count func(uint64) string, number func(float64) string) string {
	text := t.Form.Note
	for _, c := range t.Form.Facts {
		var value string
		switch v := t.Sections[0].Facts[c.Name].(type) {
		case int:
			value = count(uint64(v))
		case float64:
			value = number(v)
		case bool:
			value = c.Words[0]
			if v {
				value = c.Words[1]
			}
		case string:
			value = v
		}
		text = strings.ReplaceAll(text, "{"+c.Name+"}", value)
	}
	return text
}

// explained collects the text tables of explanations: one for all tables with the same
// columns.
type explained struct {
	tables []*Table
	heads  []string // by table
	notes  strings.Builder
}

// explanations writes the tables that policies explain their decisions with; nothing if none
// does. A dash stands for an unknown value.
func explanations(results []*Result) string {
	var e explained
	for _, r := range results {
		if r.Decision == nil {
			continue
		}
		for _, t := range e.tables {
			t.Separate()
		}
		var cut string
		for _, t := range policy.Tables(r.Policy, r.Decision) {
			if len(t.Form.Columns) > 0 {
				cut += e.add(r, &t)
			} else if !t.Form.Aside {
				fmt.Fprintf(&e.notes, "%s: %s\n", r.Policy, NoteText(&t, func(n uint64) string { return fmt.Sprint(n) }, oneDecimal))
			}
		}
		e.notes.WriteString(cut)
	}
	var text strings.Builder
	for _, t := range e.tables {
		text.WriteString(t.String())
	}
	return text.String() + e.notes.String()
}

// add writes the rows of a table, and returns a note about the sections that it leaves out.
func (e *explained) add(r *Result, t *policy.Table) string {
	sections, left := ShownSections(t)
	for _, s := range sections {
		lead := []any{"Policy", r.Policy}
		if t.Form.Title != "" {
			lead = append(lead, t.Form.Title, s.Number)
		}
		for _, c := range t.Form.Facts {
			if c.Kind != policy.Present {
				lead = textCell(lead, r, &c, s.Facts)
			}
		}
		for _, row := range s.Rows {
			all := lead[:len(lead):len(lead)]
			for _, c := range t.Form.Columns {
				all = textCell(all, r, &c, row)
			}
			e.row(all)
		}
	}
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d more %s are in the JSON form.\n", r.Policy, left, cmp.Or(t.Form.Plural, "sections"))
}

// row adds a row to the table with its heads.
func (e *explained) row(headsAndValues []any) {
	var heads strings.Builder
	for i := 0; i < len(headsAndValues); i += 2 {
		fmt.Fprintf(&heads, "%v\x00", headsAndValues[i])
	}
	for i, h := range e.heads {
		if h == heads.String() {
			e.tables[i].Row(headsAndValues...)
			return
		}
	}
	t := &Table{}
	t.Row(headsAndValues...)
	e.tables, e.heads = append(e.tables, t), append(e.heads, heads.String())
}

// textCell appends the head and the value of a column, unless the text table leaves the
// column out.
func textCell(row []any, r *Result, c *policy.Column, cells policy.Cells) []any {
	if c.Title == "" || c.Detail || c.Kind == policy.Curve {
		return row
	}
	var value any
	switch v := cells[c.Name].(type) {
	case nil:
		value = Number("-")
		if c.Kind == policy.Text || c.Kind == policy.TenantNumber {
			value = "-"
		}
	case float64:
		value = decimals(v, 1)
	case bool:
		value = map[bool]string{true: "yes"}[v]
	case int:
		value = v
		if c.Kind == policy.TenantNumber {
			value = tenant.Marked(r.Kernels[v].App, r.Kernels[v].Mark)
		}
	default:
		value = v
	}
	return append(row, strings.ToUpper(c.Title[:1])+c.Title[1:], value)
}

func oneDecimal(v float64) string { return string(decimals(v, 1)) }
