package ccbp

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNotKnownYetIsNotExplained(t *testing.T) {
	g := newGPU(t, "ccbp", 2)
	require.Nil(t, policy.Explain(g.policy))
	g.arrive(0, 2)
	require.Nil(t, policy.Explain(g.policy), "who is alone is of no set")
	g.arrive(1, 1)
	d := policy.Tables("ccbp", policy.Explain(g.policy))
	require.Equal(t, policy.Cells{"replies": 24.0, "accesses": 18.0, "units": 20}, d[0].Sections[0].Facts)
	require.Len(t, d[1].Sections, 1)
	set := d[1].Sections[0]
	require.Equal(t, policy.Cells{"present": true, "phase": "warm-up", "prior_lsk": nil}, set.Facts)
	k := set.Rows[0]
	require.Equal(t, []any{0, 2, 8, 4}, []any{k["tenant"], k["threads"], k["most_ctas"], k["ctas"]})
	require.Equal(t, []any{"unknown", 4}, []any{k["traffic.type"], k["traffic.even_ctas"]})
	require.Contains(t, string(policy.Explain(g.policy)), `"rate":null,"first":false,"traffic":{"type":"unknown","rf":null,"df":null,"even_ctas":4,"even_rate":null,"demand":null,"nbw":null,"dbw":null,"noc":0,"dram":0}}`)
}

func TestADetectionIsExplained(t *testing.T) {
	s := detected(t, settings{sustain: 1, unlimited: true, adjusts: true})
	set := s.explain(true)
	require.Equal(t, policy.Cells{"present": true, "phase": "climbing", "prior_lsk": 1.0}, set.Facts)
	for i, k := range set.Rows {
		m, o := &s.members[i], s.order(i)
		require.Equal(t, m.kind.String(), k["traffic.type"])
		require.Equal(t, []any{m.factors.Reads, m.factors.DRAM, m.evenRate, m.wanted},
			[]any{k["traffic.rf"], k["traffic.df"], k["traffic.even_rate"], k["traffic.demand"]})
		require.Len(t, k["traffic.nbw"], m.most+1)
		require.InDelta(t, m.dram[m.most], k["traffic.dbw"].([]float64)[m.most], 1e-4)
		require.Equal(t, []any{o.ctas, o.rate.Limited, o.rate.Sensitive}, []any{k["ctas"], k["rate"] != nil, k["first"]})
		require.Equal(t, []any{s.grants[i].NoC, s.grants[i].DRAM}, []any{k["traffic.noc"], k["traffic.dram"]})
		if k["rate"] != nil {
			require.Equal(t, o.requests, k["rate"])
		}
	}
	require.Equal(t, []any{true, false}, []any{set.Rows[0]["first"], set.Rows[1]["first"]}, "LS beside NBI")
}

func TestTheSetThatRanLastIsMarked(t *testing.T) {
	g := newGPU(t, "ccbp", 3)
	g.arrive(0, 2)
	g.arrive(1, 1)
	g.arrive(2, 1)
	present := func() (list []bool) {
		for _, s := range g.policy.Needs().Explain()[1].Sections {
			list = append(list, s.Facts["present"].(bool))
		}
		return list
	}
	require.Equal(t, []bool{false, true}, present())
	g.quit(2)
	require.Equal(t, []bool{true, false}, present())
	g.quit(1)
	require.Equal(t, []bool{true, false}, present(), "one alone is no set")
}
