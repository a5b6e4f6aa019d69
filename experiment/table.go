package experiment

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is a table for people to read; nothing until it has a row.
type Table struct{ rows table.Writer }

// Number is the text of a number, which stands on the right of its column.
type Number string

// Row adds a row, of heads and values in turn; the first row's heads are the table's.
// Values of type string stand on the left.
func (t *Table) Row(headsAndValues ...any) {
	var heads, row table.Row
	var right []table.ColumnConfig
	for i := 0; i < len(headsAndValues); i += 2 {
		heads, row = append(heads, headsAndValues[i]), append(row, headsAndValues[i+1])
		if _, left := headsAndValues[i+1].(string); !left {
			right = append(right, table.ColumnConfig{Number: len(row), Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	if t.rows == nil {
		t.rows = table.NewWriter()
		t.rows.SetStyle(table.StyleLight)
		t.rows.Style().Format.Header = text.FormatDefault
		t.rows.AppendHeader(heads)
		t.rows.SetColumnConfigs(right)
	}
	t.rows.AppendRow(row)
}

// Separate draws a line between the row before and the next.
func (t *Table) Separate() {
	if t.rows != nil {
		t.rows.AppendSeparator()
	}
}

// String is the table and an end of line.
func (t *Table) String() string {
	if t.rows == nil {
		return ""
	}
	return t.rows.Render() + "\n"
}
