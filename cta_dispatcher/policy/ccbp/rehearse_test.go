package ccbp

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

func TestOnlyOfflineIsRehearsed(t *testing.T) {
	for spec, want := range map[string]bool{"ccbp": false, "ccbp:variant=drf": false, "ccbp:variant=offline": true} {
		require.Equal(t, want, newGPU(t, spec, 2).policy.Needs().Rehearsal != nil, spec)
	}
}

func TestARehearsalIsTenTimesAsLongWithAllOptions(t *testing.T) {
	p := newGPU(t, "ccbp:variant=offline,epoch=1k,metric=wspeedup,sustain=0.5,climb=on,ls_unlimited=off,preempt=switch,refusal=end", 2).policy
	require.Equal(t, policy.Alone{IPC: true}, p.Needs().Alone)
	r, _, most := p.Needs().Rehearsal.Begin(2)
	q := r.(*ccbp)
	require.Equal(t, uint64(10_000), q.Needs().Epoch)
	require.Equal(t, settings{adjusts: true, climbs: true, weighted: true, sustain: 0.5, end: true}, q.settings)
	require.Equal(t, policy.Switch, q.mechanism)
	require.Nil(t, q.Needs().Rehearsal)
	// 5 + 2 + 2 epochs, two for each of 8 points of both, and ten for each of ten priorities.
	require.Equal(t, uint64(2*(9+32+100)*10_000), most)
	_, _, most = p.Needs().Rehearsal.Begin(4)
	require.Equal(t, uint64(2*(9+64+100)*10_000), most)
}

// rehearsed is a GPU with a policy that has learnt from some epochs of a pair's rehearsal; a
// third tenant is still to come.
func rehearsed(t *testing.T, epochs int) *gpu {
	t.Helper()
	g := newGPU(t, "ccbp:variant=offline,ls_unlimited=off,epoch=1k", 3)
	r, ready, _ := g.policy.Needs().Rehearsal.Begin(3)
	h := newGPU(t, "ccbp", 3)
	h.policy = r.(*ccbp)
	require.False(t, ready(), "nothing has happened")
	h.arrive(0, 2)
	require.False(t, ready())
	h.arrive(1, 1)
	h.end(0, 4)
	pass := func(n int, e *sample) {
		n = min(n, epochs)
		h.epochs(n, e)
		epochs -= n
	}
	pass(10, per100(4, 4, 12, 12))
	for n := 8; n > 0; n-- {
		pass(2, per100(4, 4, 2*float64(n), 99))
	}
	for range 10 {
		pass(10, per100(4, 4, 12, 12)) // no priority is worse than another
	}
	require.False(t, ready(), "the third has not come")
	g.policy.Needs().Rehearsal.Learn(r, policy.Rehearsal{Cycles: 5, Settled: true})
	return g
}

func TestWhatWasLearntHoldsFromTheStart(t *testing.T) {
	g := rehearsed(t, 200)
	g.arrive(0, 2)
	require.Empty(t, g.sent)
	g.arrive(1, 1)
	require.Equal(t, float64(settled), g.register("phase", -1))
	require.IsType(t, &protocol.Rates{}, g.sent[0])
	require.True(t, g.sent[0].(*protocol.Rates).Of[1].Limited)
	ctas := g.register("tbs", 1)
	require.Positive(t, ctas)
	d := g.policy.Needs().Explain()
	require.Equal(t, policy.Cells{"cycles": 5, "settled": true}, d[1].Sections[0].Facts)
	require.Equal(t, []any{true, "settled"}, []any{d[2].Sections[0].Facts["present"], d[2].Sections[0].Facts["phase"]})
	for range 30 {
		g.epochs(1, per100(9, 99, 9, 99))
		require.Empty(t, g.sent, "it stays")
	}

	// The set with the third was not met: it is detected now.
	g.arrive(2, 1)
	require.Equal(t, float64(warmUp), g.register("phase", -1))
	g.quit(2)
	require.Equal(t, []float64{float64(settled), ctas}, []float64{g.register("phase", -1), g.register("tbs", 1)})
}

func TestARehearsalThatWasCutOffGoesOnInTheRun(t *testing.T) {
	g := rehearsed(t, 10+4)
	g.arrive(0, 2)
	g.arrive(1, 1)
	require.Equal(t, float64(points), g.register("phase", -1))
	require.Equal(t, []float64{1, 2}, []float64{g.register("type", 0), g.register("type", 1)})
	require.Equal(t, active(0, 6), g.sent[1], "after eight and seven CTAs")
	g.epochs(3, per100(4, 4, 12, 99))
	require.Equal(t, active(0, 5), g.sent[len(g.sent)-1])
}

func TestARehearsalHasSettledWhenEverybodyHasShared(t *testing.T) {
	g := newGPU(t, "ccbp:variant=drf", 2)
	p := g.policy
	g.arrive(0, 2)
	require.False(t, p.settled())
	g.arrive(1, 1)
	g.end(0, 4)
	for n := 0; n < 40 && g.register("phase", -1) != float64(settled); n++ {
		require.False(t, p.settled())
		g.epochs(1, per100(4, 4, 12, 12))
	}
	require.True(t, p.settled())
	g.quit(1)
	require.True(t, p.settled(), "alone there is nothing to find out")
	g.arrive(1, 2)
	require.False(t, p.settled(), "another kernel")

	g = newGPU(t, "ccbp", 2)
	g.arrive(0, 16)
	g.arrive(1, 16)
	require.True(t, g.policy.settled(), "nothing is detected where an SM does not hold both")
}
