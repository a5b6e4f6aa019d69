package experiment

import (
	"bytes"
	"strings"
	"testing"

	"cotenant/components/stats"
	"cotenant/sm"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCSVHasEveryCauseOfAStallAndWherePagesWere(t *testing.T) {
	all := &Result{Stalls: map[string]uint64{}}
	for cause := range sm.NumCauses {
		all.Stalls[cause.String()] = 1
	}
	var have, without []string
	for _, c := range columns {
		without = append(without, c.name)
	}
	require.Empty(t, ofCauses([]*Result{{}, nil}))
	require.NotContains(t, without, "stalls_mbarrier_wait")
	have = without
	for _, c := range ofCauses([]*Result{{}, all}) {
		have = append(have, c.name)
	}
	for cause := range sm.NumCauses {
		assert.Contains(t, have, "stalls_"+cause.String())
	}
	assert.Contains(t, have, "pages")
}

func TestTableSaysHowManyRegionsWereServedWherePagesWereNotThere(t *testing.T) {
	group := func(names string, values ...uint64) (g stats.Group) {
		for i, name := range strings.Fields(names) {
			g.Total = append(g.Total, stats.Count{Name: name, Value: values[i]})
		}
		return g
	}
	results := append(sample(), sample()...)
	results[0].Pages = "demand"
	results[0].Stats = map[string]stats.Group{"fill": group("regions pending_maximum service_cycles", 3, 2, 36_001), "pager": group("busy_cycles", 36_000)}
	results[1].Pages = "lazy-heap"
	results[1].Stats = map[string]stats.Group{"fill": group("regions pending_maximum service_cycles", 1, 1, 20_000), "pager": group("busy_cycles", 0),
		"sm": group("handled_faults", 1), "driver": group("block_switches", 7)}
	results[2].Pages = "strict"
	results[2].Stats = map[string]stats.Group{"fill": group("regions", 0)}
	var out bytes.Buffer
	require.NoError(t, WriteTable(&out, results...))
	_, notes, _ := strings.Cut(out.String(), "Wall s")
	_, notes, _ = strings.Cut(notes, "┘\n")
	assert.Equal(t, "spart: pages demand: 3 regions served, at most 2 at a time in flight, 12000 cycles each; link busy for 36000 cycles, 18.0 % of the run\n"+
		"fcfs: pages lazy-heap: 1 region served, by 1 handler on SMs, at most 1 at a time in flight, 20000 cycles each; link busy for 0 cycles, 0.0 % of the run; thread blocks switched 7 times\n"+
		"spart: pages strict: no region had to be served\n", notes)
}
