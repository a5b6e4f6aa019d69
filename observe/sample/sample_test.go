package sample

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/even"
	_ "cotenant/cta_dispatcher/policy/spart"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"
)

// chain is an application with warps that add and load by turns.
func chain(name string, tbs int) *workload.App {
	return script.App(name, script.Kernel(name, tbs, 64, func(tb, warp int) (list []workload.Inst) {
		for i := range 40 {
			list = append(list, script.Op(workload.FP32, 1, 1),
				script.Access(workload.Load, workload.Global, uint64(tb*40+i)*4096, 4, 4, 2, 1))
		}
		return list
	}))
}

// gpu has two SMs and two tenants.
func gpu(t *testing.T, restart bool, tbs int) *wiring.Platform {
	c, err := presets.Load("plain16")
	require.NoError(t, err)
	c.SMs = wiring.EqualSMs(2)
	p, err := policy.Parse("even")
	require.NoError(t, err)
	g, err := wiring.New(*c, p, []host.Process{{App: chain("a", tbs), Restart: restart}, {App: chain("b", 2*tbs), Restart: restart}})
	require.NoError(t, err)
	return g
}

// check makes sure that samples are even in time, never go back, and end with
// the counters of the run.
func check(t *testing.T, g *wiring.Platform, samples []Sample, interval, cycles uint64) {
	for i, s := range samples[:len(samples)-1] {
		require.Equal(t, uint64(i)*interval, s.Cycle)
		next := samples[i+1]
		for k := range s.Tenants {
			require.LessOrEqual(t, s.Tenants[k].ThreadInstructions, next.Tenants[k].ThreadInstructions)
			require.LessOrEqual(t, s.Tenants[k].DRAMBytes, next.Tenants[k].DRAMBytes)
			threads := uint64(0)
			for _, sm := range s.SMs {
				threads += sm[k].ThreadCycles
			}
			require.Equal(t, s.Tenants[k].ThreadCycles, threads, "the SMs' sum")
		}
	}
	last := samples[len(samples)-1]
	assert.Equal(t, cycles, last.Cycle)
	c := g.Counters(cycles)
	for k := range last.Tenants {
		own := c.SM.Tenant(k)
		assert.Equal(t, own.ThreadInstructions, last.Tenants[k].ThreadInstructions)
		assert.Equal(t, own.ThreadCycles, last.Tenants[k].ThreadCycles)
		assert.Positive(t, last.Tenants[k].RequestFlits)
		assert.Positive(t, last.Tenants[k].ReplyFlits)
	}
}

func TestRunOfKnownLengthIsSampledAtRoundCycles(t *testing.T) {
	g := gpu(t, true, 8)
	r := Attach(g, 2, 10_900) // 43.6 cycles for 250 samples
	require.NoError(t, g.Run(context.Background(), 10_900, nil))
	samples := r.Samples(10_900)
	check(t, g, samples, 50, 10_900)
	assert.Len(t, samples, 219)
}

// A context's bytes are sampled on the SM of the preemption engine that moves them.
func TestContextsAreSampledBySM(t *testing.T) {
	c, err := presets.Load("plain16")
	require.NoError(t, err)
	c.SMs = wiring.EqualSMs(2)
	p, err := policy.Parse("spart")
	require.NoError(t, err)
	late := host.Process{App: chain("b", 4), Attributes: tenant.Attributes{Arrival: tenant.Moment{Cycles: 1000}}}
	g, err := wiring.New(*c, p, []host.Process{{App: chain("a", 100), Restart: true}, late})
	require.NoError(t, err)
	r := Attach(g, 2, 50_000)
	require.NoError(t, g.Run(context.Background(), 50_000, nil))
	samples := r.Samples(50_000)
	var saved, loaded uint64
	for i, last := range samples[len(samples)-1].SMs {
		s := g.PreEngs[i].Stats()
		assert.Equal(t, s.Tenants[0].SavedBytes, last[0].SavedBytes)
		assert.Equal(t, s.Tenants[0].LoadedBytes, last[0].LoadedBytes)
		saved, loaded = saved+last[0].SavedBytes, loaded+last[0].LoadedBytes
	}
	assert.Positive(t, saved)
	assert.Positive(t, loaded)
}

func TestRoundGoesUpToTheNextRoundNumber(t *testing.T) {
	for n, want := range map[uint64]uint64{1: 1, 2: 2, 3: 4, 5: 5, 6: 8, 9: 10, 10: 10, 11: 20, 44: 50, 800: 800, 801: 1000} {
		assert.Equal(t, want, Round(n), "%d", n)
	}
}

func TestRunOfUnknownLengthIsSampledHalfAsOftenWhenThereAreTooMany(t *testing.T) {
	g := gpu(t, false, 400)
	r := Attach(g, 2, 0)
	require.NoError(t, g.Run(context.Background(), 0, nil))
	cycles := g.Cycles(0)
	samples := r.Samples(cycles)
	require.Greater(t, cycles, uint64(512*250), "long enough to be halved")
	interval := uint64(250)
	for interval*most <= cycles {
		interval *= 2
	}
	check(t, g, samples, interval, cycles)
	assert.Less(t, len(samples), most)
	assert.GreaterOrEqual(t, len(samples), most/2)
}

func TestSamplingChangesNoCounter(t *testing.T) {
	var counters [2]*wiring.Counters
	for i := range counters {
		g := gpu(t, true, 8)
		if i == 1 {
			Attach(g, 2, 5_000)
			g.Every(1, func(cycle uint64) { g.Counters(cycle) })
		}
		require.NoError(t, g.Run(context.Background(), 5_000, nil))
		counters[i] = g.Counters(5_000)
	}
	assert.Equal(t, counters[0], counters[1])
}

func TestPreemptionsAreAddedUpByTenantAndMechanism(t *testing.T) {
	p := NewPreemptions()
	l := p.Listener()
	tb := func(cycle uint64, tenant, n, bytes int, m policy.Mechanism) dispatcher.TBEvent {
		return dispatcher.TBEvent{Cycle: cycle, Tenant: tenant, TB: n, Mechanism: m, ContextBytes: bytes}
	}
	l.TBLeaving(tb(100, 1, 0, 0, policy.Switch))
	l.TBLeaving(tb(100, 1, 1, 0, policy.Switch))
	l.TBLeaving(tb(100, 1, 2, 0, policy.Switch))
	l.TBLeaving(tb(100, 0, 0, 0, policy.Drain))
	l.TBFinished(tb(130, 1, 2, 0, policy.Switch))
	l.TBPreempted(tb(150, 1, 0, 1000, policy.Switch))
	l.TBPreempted(tb(250, 1, 1, 500, policy.Switch))
	l.TBReturning(tb(300, 1, 0, 1000, policy.Switch))
	l.TBRestored(tb(320, 1, 0, 1000, policy.Switch))
	l.TBReturning(tb(400, 1, 1, 500, policy.Switch)) // still on its way at the end
	l.TBFinished(tb(500, 0, 0, 0, policy.Drain))
	l.TBFinished(tb(600, 1, 0, 0, policy.Switch)) // long after it returned
	l.SMReserved(dispatcher.SMEvent{Cycle: 100, SM: 4, Mechanism: policy.Drain})
	l.SMFreed(dispatcher.SMEvent{Cycle: 500, SM: 4, Mechanism: policy.Drain})
	l.SMReserved(dispatcher.SMEvent{Cycle: 700, SM: 4, Mechanism: policy.Drain})

	assert.Equal(t, []Row{
		{Tenant: 0, Mechanism: policy.Drain, Finished: Times{1, 400, 400}},
		{Tenant: 1, Mechanism: policy.Switch, Left: Times{2, 200, 150}, Finished: Times{1, 30, 30}, SavedBytes: 1500,
			Restored: Times{1, 20, 20}, LoadedBytes: 1000},
	}, p.Rows())
	assert.Equal(t, []Reservation{{policy.Drain, Times{1, 400, 400}}}, p.Reservations())
	assert.Equal(t, 100.0, p.Rows()[1].Left.Mean())
	assert.Zero(t, p.Rows()[0].Left.Mean())
}
