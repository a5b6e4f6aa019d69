package page

import (
	"html/template"

	"cotenant/observe/look"
)

// row is one of a table, whose heads are those of its first row.
type row struct {
	Cells  []cell
	Colour template.CSS // of a tenant, before the first cell; "" for none
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

// text adds a cell that holds no number.
func (r *row) text(head template.HTML, value string) *row {
	r.Cells = append(r.Cells, cell{head, value, true})
	return r
}

// number adds cells of numbers, of heads and values in turn.
func (r *row) numbers(headsAndValues ...string) *row {
	for i := 0; i < len(headsAndValues); i += 2 {
		r.Cells = append(r.Cells, cell{Head: template.HTML(headsAndValues[i]), Value: headsAndValues[i+1]})
	}
	return r
}
