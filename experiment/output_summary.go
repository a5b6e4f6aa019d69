package experiment

import (
	"fmt"
	"io"
	"slices"

	"cotenant/metrics"
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
	promised := slices.ContainsFunc(order, func(g group) bool { return len(sums[g].cases) > 0 })
	var t Table
	for _, g := range order {
		m := sums[g]
		row := []any{"GPU", g.gpu, "Policy", g.policy, "Cycles", Number(g.window), "Runs", m.runs,
			"STP", m.of(&m.stp), "ANTT", m.of(&m.antt), "Fairness", m.of(&m.fairness), "HSpeedup", m.of(&m.hspeedup)}
		if promised {
			row = append(row, "QoSreach", m.ofSome(Figure(metrics.QoSReach(m.cases)), len(m.cases)))
		}
		t.Row(row...)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// means are sums over runs.
type means struct {
	runs                          int
	stp, antt, fairness, hspeedup sum
	cases                         []metrics.Case // runs in which a tenant had a goal
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
	if c, ok := r.Case(); ok {
		m.cases = append(m.cases, c)
	}
}

// of is the mean of a figure, and of how many runs if not of all.
func (m *means) of(s *sum) Number { return m.ofSome(s.total/Figure(s.n), s.n) }

// ofSome is a mean over n of the runs.
func (m *means) ofSome(mean Figure, n int) Number {
	switch {
	case n == 0:
		return figure(undefined)
	case n < m.runs:
		return figure(mean) + Number(fmt.Sprintf(" (of %d)", n))
	}
	return figure(mean)
}
