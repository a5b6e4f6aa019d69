package experiment

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
)

// WriteSummary writes, for people to read, the means over the mixes of each
// GPU, policy and window, in the order in which they first come. A nil result
// is left out. ANTT is the mean of the mixes in which it is defined, with their
// number if that is not all of them.
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
		antt := defined(m.antt / float64(max(1, m.finite)))
		if 0 < m.finite && m.finite < m.runs {
			antt += fmt.Sprintf(" (of %d)", m.finite)
		}
		n := float64(m.runs)
		t.AppendRow(table.Row{g.gpu, g.policy, g.window, m.runs, decimals(m.stp/n, 3), antt, decimals(m.fairness/n, 3), decimals(m.hspeedup/n, 3)})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// means are sums over runs.
type means struct {
	runs, finite                  int // finite: with a defined ANTT
	stp, antt, fairness, hspeedup float64
}

func (m *means) add(r *Result) {
	m.runs++
	m.stp += r.STP
	m.fairness += r.Fairness
	m.hspeedup += r.HSpeedup
	if r.ANTT > 0 {
		m.finite++
		m.antt += r.ANTT
	}
}
