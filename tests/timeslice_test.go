package tests

import (
	"context"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"

	"github.com/stretchr/testify/require"
)

// A switch of these tenants takes many times the shortest slice. Each has its slice all the
// same, from when its last context is loaded until its thread blocks are told to leave, and
// all get on.
func TestThreeTenantsGetOnInTheShortestSlices(t *testing.T) {
	const slice = 1000
	p, err := policy.Parse("timeslice:slice=1k")
	require.NoError(t, err)
	var began, loaded, longest uint64 // of a turn: its begin, and when it was loaded
	turns, reserved, loading := 0, 0, 0
	runs := func(cycle uint64) {
		if loaded == 0 && reserved == 0 && loading == 0 {
			loaded = cycle
			longest = max(longest, loaded-began)
		}
	}
	l := dispatcher.Listener{
		TBPlaced:    func(e dispatcher.TBEvent) { runs(e.Cycle) },
		TBReturning: func(dispatcher.TBEvent) { loading++ },
		TBRestored: func(e dispatcher.TBEvent) {
			loading--
			runs(e.Cycle)
		},
		SMReserved: func(e dispatcher.SMEvent) {
			if reserved++; e.Cycle == began {
				return // a turn ends on all SMs at once
			}
			if began > 0 {
				require.NotZero(t, loaded, "the turn that ends at %d", e.Cycle)
				require.GreaterOrEqual(t, e.Cycle-loaded, uint64(slice), "the turn that ends at %d", e.Cycle)
				turns++
			}
			began, loaded = e.Cycle, 0
		},
		SMFreed: func(dispatcher.SMEvent) { reserved-- },
	}
	var processes []host.Process
	for _, name := range []string{"lbm", "sgemm", "stencil"} {
		processes = append(processes, host.Process{App: builtin(t, name), Restart: true})
	}
	gpu, err := wiring.NewWatched(*preset(t, "gtx980?sms=2"), p, processes, wiring.Listeners{Driver: l})
	require.NoError(t, err)
	issued := func(cycle uint64) (n [3]uint64) {
		for _, s := range gpu.SMs {
			for id := range n {
				n[id] += s.Stats(cycle).Tenant(id).WarpInstructions
			}
		}
		return n
	}
	var half [3]uint64
	const cycles = 300_000
	gpu.Every(cycles/2, func(cycle uint64) {
		if cycle == cycles/2 {
			half = issued(cycle)
		}
	})
	require.NoError(t, gpu.Run(context.Background(), cycles, nil))
	require.Greater(t, longest, uint64(5*slice), "a switch")
	require.Greater(t, turns, 9)
	for id, n := range issued(cycles) {
		require.Greater(t, half[id], uint64(5000), "tenant %d", id)
		require.Greater(t, n-half[id], uint64(5000), "tenant %d", id)
	}
}
