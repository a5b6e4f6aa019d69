package tests

import (
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"

	"github.com/stretchr/testify/require"
)

// placed runs two applications on an a100-1g, 14 SMs of compute capability 8.0, and returns the
// SMs that got thread blocks of each, and how far each application came.
func placed(t *testing.T, spec string) (sms [2]map[int]bool, work [2]wiring.Work) {
	t.Helper()
	config, err := presets.Load("a100-1g?host.ideal=true&host.launch_latency=0")
	require.NoError(t, err)
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	var processes []host.Process
	for i, app := range []string{"copy?size=small&set=rounds:4,bytes:2097152", "copy?size=small&set=blocks:56,bytes:2097152"} {
		a, err := experiment.Open(app, (&experiment.Spec{Seed: 1}).SourceOf(config, i))
		require.NoError(t, err)
		processes = append(processes, host.Process{App: a.Workload, Restart: true})
		sms[i] = map[int]bool{}
	}
	listeners := wiring.Listeners{Driver: dispatcher.Listener{TBPlaced: func(e dispatcher.TBEvent) { sms[e.Tenant][e.SM] = true }}}
	w, err := wiring.NewWatched(*config, p, processes, listeners)
	require.NoError(t, err)
	const window = 12_000
	require.NoError(t, w.Run(t.Context(), window, nil))
	c := w.Counters(window)
	for i := range work {
		work[i] = c.Tenant(i)
	}
	return sms, work
}

func from(first, n int) map[int]bool {
	set := map[int]bool{}
	for i := range n {
		set[first+i] = true
	}
	return set
}

// Contexts of 3 and 7 SMs get 4 and 8 under compute capability 8.0, and no thread block runs
// elsewhere. An
// application without a context takes what is left of all SMs.
func TestGreenContextsStayOnTheirSMs(t *testing.T) {
	sms, _ := placed(t, "green:sms=3/7")
	require.Equal(t, [2]map[int]bool{from(0, 4), from(4, 8)}, sms)
	sms, _ = placed(t, "green:sms=even")
	require.Equal(t, [2]map[int]bool{from(0, 6), from(6, 6)}, sms)
	sms, _ = placed(t, "green:sms=5/-") // the first application waits for room on its SMs throughout
	require.Equal(t, [2]map[int]bool{from(0, 6), from(6, 8)}, sms)
}

// Disjoint groups are what MPS gives clients by percentages that add up to 100 or less: 43 and 57
// % of 14 SMs are 6, and 7 rounded down to whole TPCs.
func TestGreenContextsAreMPSOnTheSameSMs(t *testing.T) {
	_, green := placed(t, "green:sms=6/8")
	_, mps := placed(t, "mps:percent=43/58")
	require.Equal(t, mps, green)
	_, other := placed(t, "green:sms=8/6")
	require.NotEqual(t, mps, other)
}
