package ccbp

import (
	"encoding/json"
	"math"
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
	d := policy.Explain(g.policy)
	require.Equal(t, &policy.Sustained{Replies: 24, Accesses: 18, Units: 20}, d.Sustained)
	require.Len(t, d.Sets, 1)
	set := d.Sets[0]
	require.Equal(t, []any{true, "warm-up", (*float64)(nil)}, []any{set.Present, set.Phase, set.Prior})
	k := set.Kernels[0]
	require.Equal(t, []int{0, 2, 8, 4}, []int{k.Tenant, k.Threads, k.MostCTAs, k.CTAs})
	require.Equal(t, &policy.Traffic{Type: "unknown", EvenCTAs: 4}, k.Traffic)
	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.Contains(t, string(text), `"rate":null,"first":false,"traffic":{"type":"unknown","rf":null,"df":null,"even_ctas":4,"even_rate":null,"demand":null,"nbw":null,"dbw":null,"noc":0,"dram":0}}`)
}

func TestADetectionIsExplained(t *testing.T) {
	s := detected(t, settings{sustain: 1, unlimited: true, adjusts: true})
	set := s.explain()
	require.Equal(t, "climbing", set.Phase)
	require.Equal(t, 1.0, *set.Prior)
	for i, k := range set.Kernels {
		m, o := &s.members[i], s.order(i)
		require.Equal(t, m.kind.String(), k.Traffic.Type)
		require.Equal(t, []float64{policy.Decisive(m.factors.Reads), policy.Decisive(m.factors.DRAM), policy.Decisive(m.evenRate), policy.Decisive(m.wanted)},
			[]float64{*k.Traffic.RF, *k.Traffic.DF, *k.Traffic.EvenRate, *k.Traffic.Demand})
		require.Len(t, k.Traffic.NBW, m.most+1)
		require.InDelta(t, m.dram[m.most], k.Traffic.DBW[m.most], 1e-4)
		require.Equal(t, []any{o.ctas, o.rate.Limited, o.rate.Sensitive}, []any{k.CTAs, k.Rate != nil, k.First})
		require.Equal(t, []float64{policy.Decisive(s.grants[i].NoC), policy.Decisive(s.grants[i].DRAM)}, []float64{k.Traffic.NoC, k.Traffic.DRAM})
		if k.Rate != nil {
			require.Equal(t, policy.Decisive(o.requests), *k.Rate)
		}
	}
	require.Equal(t, []any{true, false}, []any{set.Kernels[0].First, set.Kernels[1].First}, "LS beside NBI")
	s.members[0].evenRate = math.Inf(1)
	require.Nil(t, s.explain().Kernels[0].Traffic.EvenRate, "without end")
}

func TestTheSetThatRanLastIsMarked(t *testing.T) {
	g := newGPU(t, "ccbp", 3)
	g.arrive(0, 2)
	g.arrive(1, 1)
	g.arrive(2, 1)
	present := func() (list []bool) {
		for _, s := range policy.Explain(g.policy).Sets {
			list = append(list, s.Present)
		}
		return list
	}
	require.Equal(t, []bool{false, true}, present())
	g.quit(2)
	require.Equal(t, []bool{true, false}, present())
	g.quit(1)
	require.Equal(t, []bool{true, false}, present(), "one alone is no set")
}
