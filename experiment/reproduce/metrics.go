package reproduce

import (
	"slices"

	"cotenant/experiment"
)

// metric is a figure of a result.
type oldMetric struct {
	name  string
	unit  string // "" for a ratio
	value func(*experiment.Result) experiment.Figure
}

var (
	stp = oldMetric{"STP", "", func(r *experiment.Result) experiment.Figure { return r.STP }}
)

// published are numbers that a paper gives, by the label of their row.
type oldPublished map[string]struct {
	value float64
	from  string
}

// put adds a number.
func (p oldPublished) put(label string, value float64, from string) {
	p[label] = struct {
		value float64
		from  string
	}{value, from}
}

// add puts every published number to its row, which must be there.
func (p oldPublished) add(rows []Row) []Row {
	for label, n := range p {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Label == label })
		rows[i] = rows[i].is(n.value, n.from)
	}
	return rows
}
