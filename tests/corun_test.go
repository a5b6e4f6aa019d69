package tests

import (
	"context"
	"runtime"
	"strings"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The counts are facts of the traces; the cycles, also of each launch, are another
// simulator's (docs/deviations.md, Against the reference runs).
func TestReferenceTracesRunWholeAndInSimilarTime(t *testing.T) {
	for _, want := range []struct {
		name                 string
		warp, thread, cycles uint64
		launches             []uint64
	}{
		{"vectoradd", 26601, 801056, 3133, []uint64{3133}},
		{"bfs-rodinia-2.0", 159509, 1280630, 58408,
			[]uint64{7897, 650, 7653, 562, 7843, 649, 8956, 655, 9480, 653, 6700, 641, 3823, 517, 1436, 293}},
		{"backprop-128", 20168, 592504, 32398, []uint64{10474, 7127, 2373, 967, 805, 7127, 1957, 876, 692}},
	} {
		t.Run(want.name, func(t *testing.T) {
			r := run(t, preset(t, "reference16"), "fcfs", 0, trace(t, want.name))
			require.Equal(t, want.warp, r.WarpInstructions)
			require.Equal(t, want.thread, r.ThreadInstructions)
			require.InEpsilon(t, want.cycles, r.Cycles, 0.08)
			for i, cycles := range want.launches {
				l := r.Kernels[0].Launches[i]
				assert.InEpsilon(t, cycles, l.EndCycle-l.StartCycle, 0.15, "launch %d", i+1)
			}
		})
	}
}

// The second trace arrives late and is more urgent, so that policies preempt.
func TestTwoTracesShareTheGPUUnderEveryPolicy(t *testing.T) {
	alone := &experiment.IsolatedCache{} // the same whatever the policy of the mix
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			gpu := preset(t, suiting(d, "plain16?sms=4&address.slices=4&address.channels=2"))
			mix := &experiment.Run{Spec: experiment.Spec{Policy: d.Name}, GPU: gpu, Cache: alone}
			for _, name := range []string{"vectoradd", "backprop-128"} {
				mix.Apps = append(mix.Apps, experiment.App{Spec: name, Workload: trace(t, name)})
			}
			mix.Apps[1].Attributes = tenant.Attributes{Arrival: tenant.Moment{Cycles: 1000}, Priority: 1}
			r, err := mix.Do(context.Background())
			require.NoError(t, err)
			require.Equal(t, uint64(26601), r.Kernels[0].WarpInstructions)
			require.Equal(t, uint64(20168), r.Kernels[1].WarpInstructions)
			require.Equal(t, uint64(801056), r.Kernels[0].ThreadInstructions)
			require.Equal(t, uint64(592504), r.Kernels[1].ThreadInstructions)
			require.LessOrEqual(t, float64(r.STP), 2.0)
			if d.Name == "dss" || d.Name == "ppq" || d.Name == "ws" {
				require.NotZero(t, r.Kernels[0].Preemptions)
			}
			checkSums(t, gpu, r)
		})
	}
}

func TestProfilesShareTheGPUUnderEveryPolicy(t *testing.T) {
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			gpu := preset(t, suiting(d, "plain16"))
			gpu.SMs = wiring.EqualSMs(6)
			r, err := shared(gpu, hasty(d), 14_000, builtin(t, "histo"), builtin(t, "spmv"), builtin(t, "sgemm"))
			require.NoError(t, err)
			require.NotZero(t, r.Kernels[0].WarpInstructions)
			if strings.HasPrefix(d.Name, "smk-pw") {
				require.NotZero(t, r.Stalls["quota"])
			}
			checkSums(t, gpu, r)
		})
	}
}

// checkSums asserts that the tenants' counters add up to the GPU's.
func checkSums(t *testing.T, gpu *wiring.Config, r *experiment.Result) {
	t.Helper()
	sms := gpu.SMList()
	var warp, thread, tbs, l2, dram uint64
	charged := map[string]uint64{}
	for _, k := range r.Kernels {
		warp += k.WarpInstructions
		thread += k.ThreadInstructions
		tbs += k.TBsCompleted
		l2 += k.L2.Accesses
		dram += k.DRAM.Bytes
		for cause, n := range k.Stalls {
			charged[cause] += n
		}
		require.Equal(t, k.L1.Accesses, k.L1.Hits+k.L1.Misses)
		require.Equal(t, k.L2.Accesses, k.L2.Hits+k.L2.Misses)
	}
	require.Equal(t, r.WarpInstructions, warp)
	require.Equal(t, r.ThreadInstructions, thread)
	require.Equal(t, r.L2.Accesses, l2)
	require.Equal(t, r.DRAM.Bytes, dram)
	var smWarp, smTBs, sum uint64
	for _, s := range r.SMs {
		smWarp += s.WarpInstructions
		smTBs += s.TBsCompleted
		perSM := uint64(0)
		for _, n := range s.Stalls {
			perSM += n
		}
		require.Equal(t, r.Cycles*uint64(sms[s.ID].Spec.Schedulers), perSM, "SM %d: causes add up to cycles x schedulers", s.ID)
		sum += perSM
	}
	require.Equal(t, warp, smWarp)
	require.Equal(t, tbs, smTBs)
	total := uint64(0)
	for cause, n := range r.Stalls {
		total += n
		if cause != "idle" {
			require.Equal(t, n, charged[cause], cause)
		}
	}
	require.Equal(t, sum, total)
}

func TestSameRunTwiceGivesTheSameBytesOnAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	once := func() string {
		return encoded(t, run(t, preset(t, "plain16?sms=6"), "even", 10_000, builtin(t, "lbm"), builtin(t, "tpacf")))
	}
	first := once()
	require.Equal(t, first, once())
	runtime.GOMAXPROCS(2)
	require.Equal(t, first, once())
}

// One tenant gets the same under every policy.
func TestOneTenantRunsAsAloneUnderEveryPolicy(t *testing.T) {
	once := func(gpu, policyName string) string {
		small := preset(t, gpu)
		small.SMs = wiring.EqualSMs(4)
		r := run(t, small, policyName, 10_000, builtin(t, "histo"))
		r.Policy, r.ConfigHash = "", ""
		delete(r.Stats, "driver") // how often the policy was asked
		return encoded(t, r)
	}
	alone := map[string]string{} // by GPU
	for _, d := range policy.All() {
		gpu := suiting(d, "plain16")
		if alone[gpu] == "" {
			alone[gpu] = once(gpu, "fcfs")
		}
		require.Equal(t, alone[gpu], once(gpu, hasty(d)), d.Name)
	}
}

// SMK Table 2 on the running GPU: the first wave of thread blocks fills every
// SM exactly as far as the published occupancy says.
func TestFirstWaveFillsTheSMsAsSMKTable2Says(t *testing.T) {
	gpu := preset(t, "plain16")
	for _, want := range []struct {
		app string
		tbs int
	}{{"cutcp", 16}, {"lbm", 9}, {"sgemm", 11}, {"spmv", 10}, {"stencil", 2}, {"tpacf", 7}} {
		app := builtin(t, want.app)
		kernel := app.Kernels()[0]
		sms, capacity := gpu.SMs.Count(), gpu.SM.Capacity()
		tbs, _ := capacity.Occupancy(dispatcher.DemandOf(kernel))
		require.Equal(t, want.tbs, tbs, want.app)
		p := platform(t, gpu, "fcfs", true, app)
		require.NoError(t, p.Run(context.Background(), 400, nil))
		placed := uint64(0)
		for _, m := range p.SMs {
			placed = max(placed, m.Stats(400).Accounts.Get(0).TBsPlaced-m.Stats(400).Accounts.Get(0).TBsFinished)
		}
		// A grid of few thread blocks is spread over all SMs.
		require.Equal(t, uint64(min(want.tbs, (kernel.TBs()+sms-1)/sms)), placed, want.app)
	}
}
