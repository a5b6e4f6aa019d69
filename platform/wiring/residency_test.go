package wiring

import (
	"testing"

	"cotenant/components"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/mem/l2"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// An A100's 40 MB in 80 slices of 16 ways: a way of all sets is 2.5 MB.
func TestSetAsideIsForTheTenantThatAsksForMost(t *testing.T) {
	spec := &l2.Spec{Sets: 256, Ways: 16}
	var r residency
	for _, c := range []struct {
		tenant int
		bytes  uint64
		ways   int
	}{
		{0, 30 << 20, 12}, {0, 5 << 20, 2}, {1, 5<<20 + 1, 3}, {1, 0, 2}, {3, 1, 2}, {3, 40 << 20, 12}, {3, 0, 2}, {0, 0, 0},
	} {
		r.asked[c.tenant] = c.bytes
		require.Equal(t, c.ways, r.ways(spec, 80), "%+v", c)
	}
	spec.SetAsideWays = 4
	require.Equal(t, 4, r.ways(spec, 80), "as from the start")
	r.asked[2] = 20 << 20
	require.Equal(t, 8, r.ways(spec, 80))
}

// A program that has set something aside says so with every launch, so a launch without is of a new process.
func TestNewProcessAsksAnew(t *testing.T) {
	var r residency
	nothing := &dispatcher.KernelEvent{Tenant: 1}
	require.False(t, r.concerns(nothing))
	asks := &dispatcher.KernelEvent{Tenant: 1, L2: &workload.Residency{SetAside: 5 << 20, Reset: true}}
	require.True(t, r.concerns(asks))
	require.True(t, r.ask(asks))
	require.Equal(t, uint64(5<<20), r.asked[1])
	require.False(t, r.concerns(&dispatcher.KernelEvent{Tenant: 2}))
	require.True(t, r.concerns(nothing))
	require.False(t, r.ask(nothing))
	require.Zero(t, r.asked[1])
}

// A launch of any run of its application has the engine stop, so that it is given what it asks for at the end of the instant.
func TestLaunchesOfLaterRunsStopTheEngine(t *testing.T) {
	p := &Platform{engine: components.NewEngine(), Config: Config{L2: l2.Spec{Sets: 256, Ways: 16}}}
	started := p.listen(dispatcher.Listener{}).KernelStarted
	for at, e := range []dispatcher.KernelEvent{{}, {L2: &workload.Residency{SetAside: 1 << 20}}, {}} {
		p.engine.Schedule(launchAt{sim.NewEventBase(sim.VTimeInSec(at), nil), func() { started(e) }})
	}
	require.True(t, p.engine.RunUntil(components.Never), "the third is left")
	require.Equal(t, sim.VTimeInSec(1), p.engine.CurrentTime())
	require.Len(t, p.launches.asking, 1)
}

// launchAt is an event that starts a launch.
type launchAt struct {
	*sim.EventBase
	start func()
}

func (l launchAt) Handler() sim.Handler   { return l }
func (l launchAt) Handle(sim.Event) error { l.start(); return nil }
