package experiment

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
)

// WriteSummary writes, for people to read, the means over the mixes of each
// GPU, policy and window, in the order in which they first come. A nil result
// is left out. A mean is that of the mixes in which the figure is defined, with
// their number if that is not all of them.
func WriteSummary(w io.Writer, results []*Result) error {
	type group struct {
		gpu, policy, window string
	}
	sums := map[group]*means{}
	var order []group
	for _, r := range results {
		if r == nil {
			continue
		}
		g := group{r.GPU, r.Policy, r.Mode}
		if r.Mode == "cycles" {
			g.window = fmt.Sprint(r.Cycles)
		}
		if sums[g] == nil {
			sums[g] = &means{}
			order = append(order, g)
		}
		sums[g].add(r)
	}
	t := newTable("GPU", "Policy", "Cycles", "Runs", "STP", "ANTT", "Fairness", "HSpeedup")
	for _, g := range order {
		m := sums[g]
		t.AppendRow(table.Row{g.gpu, g.policy, g.window, m.runs, m.of(&m.stp), m.of(&m.antt), m.of(&m.fairness), m.of(&m.hspeedup)})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// means are sums over runs.
type means struct {
	runs                          int
	stp, antt, fairness, hspeedup sum
}

// sum adds figures up.
type sum struct {
	total Figure
	n     int // figures that are defined
}

func (s *sum) add(f Figure) {
	if f.Defined() {
		s.total += f
		s.n++
	}
}

func (m *means) add(r *Result) {
	m.runs++
	m.stp.add(r.STP)
	m.antt.add(r.ANTT)
	m.fairness.add(r.Fairness)
	m.hspeedup.add(r.HSpeedup)
}

// of is the mean of a figure, and of how many runs if not of all.
func (m *means) of(s *sum) string {
	if s.n == 0 {
		return figure(undefined)
	}
	mean := figure(s.total / Figure(s.n))
	if s.n < m.runs {
		mean += fmt.Sprintf(" (of %d)", s.n)
	}
	return mean
}
