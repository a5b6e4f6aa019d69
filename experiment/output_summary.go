package experiment

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cotenant/metrics"
)

// WriteSummary writes, for people to read, the means over the mixes of each
// GPU, policy and window, in the order in which they first come. A nil result
// is left out. A mix in which one of the results lacks a figure is left out of all means
// of this figure, so that all policies have means over the same mixes, and the number of
// the mixes stands beside the mean.
func WriteSummary(w io.Writer, results []*Result) error {
	type group struct {
		gpu, policy, window string
	}
	lost := starved(results)
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
		sums[g].add(r, lost)
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
	n     int // figures that were added
}

// figuresOf are the figures of a result that have means.
func figuresOf(r *Result) [4]Figure { return [...]Figure{r.STP, r.ANTT, r.Fairness, r.HSpeedup} }

// sameMix is what the results of one mix under several policies have in common.
type sameMix struct {
	apps, mode string
	cycles     uint64 // of the window
	seed       uint64
}

func mixOf(r *Result) sameMix {
	var apps []string
	for i := range r.Kernels {
		apps = append(apps, r.Kernels[i].App)
	}
	m := sameMix{apps: strings.Join(apps, "\n"), mode: r.Mode, seed: r.Seed}
	if r.Mode == "cycles" {
		m.cycles = r.Cycles
	}
	return m
}

// starved are, for each figure, the mixes of which a result lacks it: an application made
// no progress.
func starved(results []*Result) (lost [4]map[sameMix]bool) {
	for i := range lost {
		lost[i] = map[sameMix]bool{}
	}
	for _, r := range results {
		if r == nil {
			continue
		}
		for i, f := range figuresOf(r) {
			if !f.Defined() {
				lost[i][mixOf(r)] = true
			}
		}
	}
	return lost
}

func (m *means) add(r *Result, lost [4]map[sameMix]bool) {
	m.runs++
	for i, s := range []*sum{&m.stp, &m.antt, &m.fairness, &m.hspeedup} {
		if !lost[i][mixOf(r)] {
			s.total += figuresOf(r)[i]
			s.n++
		}
	}
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
