package page

import (
	"html/template"

	"cotenant/observe/look"
)

// row is a row of a table; the first row gives the table's heads.
type row struct {
	Cells  []cell
	Colour template.CSS // a tenant's, before the first cell; "" for none
}

// cell is a value and the head of its column.
type cell struct {
	Head  template.HTML
	Value string
	Text  bool // no number
}

// rowOf begins a row of a tenant.
func (r *Report) rowOf(tenant int) *row {
	return (&row{Colour: template.CSS(look.Colour(tenant))}).text("tenant", r.Tenants[tenant])
}

// text adds a cell without a number.
func (r *row) text(head template.HTML, value string) *row {
	r.Cells = append(r.Cells, cell{head, value, true})
	return r
}

// numbers adds cells of numbers, given as heads and values in turn.
func (r *row) numbers(headsAndValues ...string) *row {
	for i := 0; i < len(headsAndValues); i += 2 {
		r.Cells = append(r.Cells, cell{Head: template.HTML(headsAndValues[i]), Value: headsAndValues[i+1]})
	}
	return r
}
