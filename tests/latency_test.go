package tests

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/metrics/latency"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"
)

// Each stage has the requests that the counters have, and nothing depends on whether times are
// measured.
func TestLatenciesCoverTheRequestsOfTheCounters(t *testing.T) {
	run := func(measure bool) *wiring.Platform {
		p, err := policy.Parse("smk-pw")
		require.NoError(t, err)
		gpu, err := wiring.New(*preset(t, "smk16"), p, []host.Process{{App: builtin(t, "lbm"), Restart: true}, {App: builtin(t, "sgemm"), Restart: true}})
		require.NoError(t, err)
		if measure {
			gpu.MeasureLatencies()
		}
		require.NoError(t, gpu.Run(context.Background(), 15_000, nil))
		return gpu
	}
	plain, measured := run(false).Counters(15_000), run(true)
	counters := measured.Counters(15_000)
	require.Equal(t, plain, counters)
	for i := range 2 {
		work, times := counters.Tenant(i), measured.Latencies()
		count := func(s latency.Stage) uint64 { return times.Of(tenant.ID(i), s).Count }
		require.Equal(t, work.L2.Accesses(), count(latency.L2Queue))
		require.GreaterOrEqual(t, count(latency.Request), count(latency.L2Queue))
		require.LessOrEqual(t, count(latency.Reply), count(latency.L2Queue))
		require.LessOrEqual(t, work.L2.Fills, count(latency.DRAMService))
		require.LessOrEqual(t, count(latency.DRAMService), count(latency.DRAMQueue))
		require.NotZero(t, count(latency.LoadToUse))
	}
}

// The only load of an idle GPU: its stages lie inside its time to use, which the counters of the
// journey know to the cycle.
func TestLatenciesOfASingleLoad(t *testing.T) {
	gpu := preset(t, "plain16")
	load := workload.Inst{Class: workload.Load, Space: workload.Global, Base: 1 << 20, Stride: 4, Width: 4, Active: ^uint32(0), Dst: [4]uint8{1, 255, 255, 255}, Src: workload.NoRegs10}
	use := workload.Inst{Class: workload.Int, PC: 16, Active: ^uint32(0), Dst: workload.NoRegs4, Src: workload.NoRegs10}
	use.Src[0] = 1
	p := platform(t, gpu, "fcfs", false, script.App("one", script.Kernel("one", 1, 32, func(int, int) []workload.Inst { return []workload.Inst{load, use} })))
	times := p.MeasureLatencies()
	require.NoError(t, p.Run(context.Background(), 0, nil))
	one := func(s latency.Stage) uint64 {
		h := times.Of(0, s)
		require.EqualValues(t, 1, h.Count, s)
		return h.Sum
	}
	whole := one(latency.LoadToUse)
	counters := p.Counters(p.Cycles(0))
	require.Equal(t, counters.SM.Tenant(0).Stalls[3], whole-1, "raw_long: the scheduler waits from the load's issue to the use's")
	parts := one(latency.Request) + one(latency.L2Queue) + one(latency.DRAMQueue) + one(latency.DRAMService) + one(latency.Reply)
	t.Log(whole, parts)
	require.Less(t, parts, whole)
	require.InDelta(t, whole, parts+uint64(gpu.L2.DRAMLatency+gpu.DRAM.ReturnLatency), 12, "the rest: to the controller and back, links, and the SM's two ends")
}
