package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/irc"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload/profile"

	"github.com/stretchr/testify/require"
)

// rates is even, and gives all SMs rates at its first decision.
type rates struct {
	policy.Policy
	rates *protocol.Rates
	given bool
}

func (r *rates) Decide(v *policy.View, a policy.Actions) {
	r.Policy.Decide(v, a)
	if r.given {
		return
	}
	r.given = true
	for i := range v.SMs {
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, r.rates)
	}
}

// A tenant alone finds the issue-rate controller to be the plain queue of as many
// packets: nothing on the whole GPU is a cycle sooner or later.
func TestTenantAloneDoesNotFeelTheRateController(t *testing.T) {
	for _, app := range []string{"lbm", "spmv"} {
		result := func(options string) *experiment.Result {
			return run(t, preset(t, "ccbp16?sms=4&"+options), "even", 30_000, builtin(t, app))
		}
		plain := result("sm.l1.miss_queue=128")
		rated := result("sm.irc.sub_queues=8&sm.irc.depth=16")
		controller := rated.Stats["irc"]
		require.Nil(t, plain.Stats["irc"].Total, "off it is not there")
		delete(rated.Stats, "irc")
		rated.GPU, rated.ConfigHash = plain.GPU, plain.ConfigHash
		require.Equal(t, encoded(t, plain), encoded(t, rated), app)
		sent, _ := controller.Total.Get("requests")
		require.Positive(t, sent)
		intervals, _ := controller.Total.Get("intervals")
		require.Equal(t, uint64(4*30_000/300), intervals)
	}
}

// In no interval of the crossbars' clock does an SM send more of a tenant's requests
// than its rate.
func TestRatesHoldOnAWholeGPU(t *testing.T) {
	even, err := policy.Parse("even")
	require.NoError(t, err)
	given := &protocol.Rates{On: true}
	given.Of[0] = protocol.Rate{Given: true, Limited: true, Requests: 5 * protocol.RateOne / 2}
	given.Of[1] = protocol.Rate{Given: true, Sensitive: true}
	gpu := built(t, *preset(t, "ccbp16?sms=4&sm.irc.sub_queues=8"), &rates{Policy: even, rates: given}, true, builtin(t, "lbm"), builtin(t, "spmv"))
	const interval = 200 * 1800 / 1200
	requests := func(cycle uint64) (n [2]uint64) {
		s := gpu.SMs[1].Stats(cycle)
		for id := range n {
			n[id] = s.Tenant(id).MemoryRequests
		}
		return n
	}
	var before [2]uint64
	var sum uint64
	gpu.Every(interval, func(cycle uint64) {
		now := requests(cycle)
		if n := now[0] - before[0]; cycle > 4*interval {
			require.LessOrEqual(t, n, uint64(3), "the interval up to cycle %d", cycle)
			sum += n
		}
		before = now
	})
	require.NoError(t, gpu.Run(context.Background(), 100*interval, nil))
	require.InDelta(t, 96*2.5, float64(sum), 3, "it wants all that it may have")
	c := gpu.SMs[1].RateController().(*irc.Controller).Stats(100 * interval)
	require.Equal(t, uint64(100), c.Intervals)
	require.Equal(t, requests(100*interval), [2]uint64{c.Tenants[0].Requests, c.Tenants[1].Requests})
	require.Greater(t, c.Tenants[0].Demand, c.Tenants[0].Requests, "it wants more")
	require.Greater(t, c.Tenants[0].Exhausted, uint64(90))
	require.Zero(t, c.Tenants[1].Exhausted)
	require.LessOrEqual(t, c.Tenants[1].Replies, c.Tenants[1].Requests)
	require.Greater(t, c.Tenants[1].Replies, c.Tenants[1].Requests-128*tenant.Max)
	require.Greater(t, c.Tenants[0].ReadLatency/c.Tenants[0].ReadReplies, uint64(200), "core cycles of an L2 hit")
}

// The first tenant stores in 30 % of its instructions and gets next to no credit. The
// second, which has no limit, stores as it would with a buffer that never fills.
func TestStoresOfATenantWithoutCreditHoldNobodyUp(t *testing.T) {
	ipc := func(entries string) float64 {
		stores, err := profile.Open("testdata/stores.yaml", "", 1)
		require.NoError(t, err)
		gpu := platform(t, preset(t, "ccbp16-irc?sm.l1.store_buffer="+entries), "fixed:tbs=2/4,rates=0.1/-", true, stores, builtin(t, "stencil"))
		require.NoError(t, gpu.Run(context.Background(), 20_000, nil))
		sum := uint64(0)
		for _, s := range gpu.SMs {
			sum += s.Stats(20_000).Tenant(1).ThreadInstructions
		}
		return float64(sum) / 20_000
	}
	all := ipc("128") // as many as the queue's packets
	require.Greater(t, all, 250.0)
	for _, entries := range []string{"1", "16"} {
		require.Greater(t, ipc(entries), 0.9*all, "%s entries", entries)
	}
}

func TestRateControllerIsAModuleOfItsSM(t *testing.T) {
	names := func(gpu string) (list []string) {
		for _, n := range platform(t, preset(t, gpu), "even", true, builtin(t, "lbm")).Hierarchy() {
			if n.Type == "IRC" {
				list = append(list, n.Name)
			}
		}
		return list
	}
	require.Equal(t, []string{"GPU.SM[0].IRC", "GPU.SM[1].IRC"}, names("ccbp16?sms=2&sm.irc.sub_queues=8"))
	require.Empty(t, names("ccbp16?sms=2"))
}

// Neither the controller nor a load-store unit that skips depends on the order of ticks.
func TestOrderOfTicksChangesNothingWithRates(t *testing.T) {
	const gpu = crowded + "&sm.irc.sub_queues=4&sm.irc.depth=4&sm.irc.interval_cycles=50&sm.lsu.skip=true&sm.lsu.queue_depth=3"
	inAnyOrder(t, gpu, "even", 5000, "profile:spmv", "profile:histo?arrival=1000", "profile:lbm")
	even, err := policy.Parse("even")
	require.NoError(t, err)
	given := &protocol.Rates{On: true}
	for id, requests := range []uint32{3, 700, 1300} {
		given.Of[id] = protocol.Rate{Given: true, Limited: true, Requests: requests, Sensitive: id == 1}
	}
	once := func(seed uint64) any {
		gpu := built(t, *preset(t, gpu), &rates{Policy: even, rates: given}, true, builtin(t, "spmv"), builtin(t, "histo"), builtin(t, "lbm"))
		if seed != 0 {
			gpu.Engine().Shuffle(seed)
		}
		require.NoError(t, gpu.Run(context.Background(), 5000, nil))
		modules, _ := gpu.Stats(5000, 3)
		return modules
	}
	want := once(0)
	for seed := range uint64(3) {
		require.Equal(t, want, once(seed+1))
	}
}
