package contract

import (
	"testing"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// steady is a GPU of 16 SMs that replaces every ended thread block, without a referee. It has a
// tenant for each goal.
func steady(t require.TestingT, spec string, goals ...float64) *trial {
	tenants := len(goals)
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	var list []application
	for i := range tenants {
		threads := 64 * (tenants - i)
		list = append(list, application{goal: goals[i], kernels: []kernel{{tbs: 1_000_000_000, durations: []int{1000},
			demand: occupancy.Demand{TBs: 1, Threads: threads, Warps: threads / 32, Registers: 1000 * (i + 2)}}}})
	}
	s := &trial{scenario: byArrival(scenario{sms: alike(16, maxwell)}, list...)}
	require.NoError(t, s.build(p, dispatcher.Listener{}))
	s.step(31_000) // in the middle of a window, and of a slice, and after any profiling
	require.NoError(t, s.fault)
	return s
}

// nothingIsAllocated checks that the policy's decisions allocate nothing once all
// tenants are there, with and without goals.
func (c *suite) nothingIsAllocated(t *testing.T) {
	for _, goals := range [][]float64{{0, 0, 0, 0}, {100, 0, 50, 0}} {
		s := steady(t, c.name, goals...)
		before := s.driver.Stats().PolicyCalls
		require.Zero(t, testing.AllocsPerRun(60, func() { s.step(100) }), goals)
		require.Greater(t, s.driver.Stats().PolicyCalls-before, uint64(100), goals)
	}
}
