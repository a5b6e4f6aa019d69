package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// While a preempted thread block is on its way to memory, its kernel may have no waiting one.
// A thread block that filled its place would be preempted as soon as the first is back.

func TestPPQKeepsRoomForThreadBlocksOnTheirWayToMemory(t *testing.T) {
	// H's thread blocks are short: each is gone before M's context is in memory.
	low, middle, high := uniform(0, 40, 1000), uniform(0, 2, 3000), uniform(100, 1, 20)
	middle.priority, high.priority = 1, 2
	again := high.kernels[0]
	again.pause = 400
	high.kernels = append(high.kernels, again, again)
	s := byArrival(scenario{sms: alike(2, holding(1)), delays: []int{100}}, low, middle, high)
	m := start(t, "ppq:mode=shared", s)
	require.Equal(t, 3, m.total.preemptions, "M once for each of H's kernels, and L never")
}

func TestDSSKeepsAnSMForAThreadBlockOnItsWayToMemory(t *testing.T) {
	// K2 takes SM1 from K1. K1's thread block on SM0 ends while that of SM1 is on its way to
	// memory.
	k1 := uniform(0, 2, 0)
	k1.kernels[0].durations = []int{220, 1000}
	s := byArrival(scenario{sms: alike(2, holding(1)), delays: []int{100}}, k1, uniform(100, 20, 500))
	m := start(t, "dss", s)
	require.Equal(t, 1, m.total.preemptions)
	require.Less(t, m.done(0), m.done(1))
}

func TestDSSGivesAnotherKernelAnSMThatIsKeptEmpty(t *testing.T) {
	// K1 has five SMs, and K2 takes two; the thread blocks on the rest end. K3 comes before
	// the two are back, and needs no preemption.
	k1 := uniform(0, 5, 0)
	k1.kernels[0].durations = []int{220, 220, 220, 1000, 1000}
	s := byArrival(scenario{sms: alike(5, holding(1)), delays: []int{100}}, k1, uniform(100, 20, 500), uniform(230, 1, 50))
	m := start(t, "dss", s)
	require.Equal(t, 2, m.total.preemptions)
	require.Equal(t, 230, m.first(2, 0), "at once")
}
