package reproduce

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/platform/presets"
)

// counts are a module's counters, tenant by tenant; the totals are their sums.
func counts(module string, names []string, tenants ...[]uint64) map[string]stats.Group {
	var g stats.Group
	for i, name := range names {
		g.Total = append(g.Total, stats.Count{Name: name})
		for k, of := range tenants {
			if i == 0 {
				g.Tenants = append(g.Tenants, nil)
			}
			g.Tenants[k] = append(g.Tenants[k], stats.Count{Name: name, Value: of[i]})
			g.Total[i].Value += of[i]
		}
	}
	return map[string]stats.Group{module: g}
}

// The crossbar has 200,000 cycles in 300,000 core cycles. Its 16 ports carry 5 flits for a
// read: 640,000 reads at most.
func TestUseOfTheCrossbarIsThatOfReads(t *testing.T) {
	gpu, err := presets.Load("ccbp16")
	require.NoError(t, err)
	r := &experiment.Result{Cycles: 300_000, Stats: counts("l2", []string{"reads", "writes", "dram_accesses"}, []uint64{64_000, 500_000, 1}, []uint64{128_000, 0, 96_959})}
	assert.InDelta(t, 0.1, nocUse(r, gpu, 0), 1e-12)
	assert.InDelta(t, 0.2, nocUse(r, gpu, 1), 1e-12)
	assert.InDelta(t, 0.3, nocUse(r, gpu, everybody), 1e-12)
	assert.Nil(t, figureRow("", "", nocUse(&experiment.Result{Cycles: 1}, gpu, 0)).Ours, "a counter is missing")
	assert.Equal(t, 2048.0, peakIPC(gpu))
	assert.InDelta(t, 96_959.0/128_000, dfOverRF(r, 1), 1e-12)
}

// Inequality 7's bound is 0.757 (CCBP 5.4): 0.7 x 319 / (0.6 x 614.4) x 160 / 128.
func TestKindsAreDividedByInequality7(t *testing.T) {
	gpu, err := presets.Load("ccbp16")
	require.NoError(t, err)
	for accesses, want := range map[uint64]float64{757: 1, 758: 0} {
		r := &experiment.Result{Stats: counts("l2", []string{"reads", "dram_accesses"}, []uint64{1000, accesses})}
		assert.Equal(t, want, boundByNoC(r, gpu), accesses)
	}
	assert.Nil(t, figureRow("", "", boundByNoC(&experiment.Result{}, gpu)).Ours)
}

func TestTable2(t *testing.T) {
	e, err := Find("ccbp-table2")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := &experiment.Result{Cycles: r.Cycles, Kernels: []experiment.KernelResult{{IPC: 1024}},
			Stats: counts("l2", []string{"reads", "dram_accesses"}, []uint64{64_000, 90_000})}
		result.L2.HitRate, result.DRAM.Utilization = 0.25, 0.5
		return result
	}))
	require.NoError(t, err)
	assert.Len(t, rows, 13*4+8)
	for label, want := range map[string][2]float64{"BP, throughput": {50, 68}, "HG, NoC bandwidth": {10, 19}, "SAD, DRAM bandwidth": {50, 64},
		"BT, L2 misses": {75, 44}, "KM, bound by the crossbar": {0, 1}, "SRT, bound by the crossbar": {0, 0}} {
		r := find(t, rows, label)
		assert.InDelta(t, want[0], *r.Ours, 1e-9, label)
		assert.Equal(t, want[1], *r.Paper, label)
	}
}

// latencies are counters with a mean read latency of the first tenant, in cycles.
func latencies(mean uint64) map[string]stats.Group {
	return counts("irc", []string{"read_latency", "read_replies"}, []uint64{10 * mean, 10}, []uint64{5, 1}, []uint64{5, 1})
}

func TestStallsAndLatenciesOfBP(t *testing.T) {
	e, err := Find("ccbp-fig11")
	require.NoError(t, err)
	result := func(r experiment.Spec, own uint64, full, long uint64) *experiment.Result {
		x := &experiment.Result{Cycles: r.Cycles, Stats: latencies(own)}
		for range r.Apps {
			x.Kernels = append(x.Kernels, experiment.KernelResult{IPC: 50, Stalls: map[string]uint64{"issued": 900, "lsu_full": full, "raw_long": long, "control": 100 - full - long}})
		}
		return x
	}
	d := dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		switch {
		case len(r.Apps) == 1 && strings.Contains(r.GPU, "irc"):
			return result(r, 400, 0, 0)
		case len(r.Apps) == 1:
			x := result(r, 1, 2, 40)
			x.Kernels[0].IPC = 100
			return x
		case strings.HasPrefix(r.Policy, "ccbp"):
			return result(r, 600, 8, 49)
		case r.Policy != "fixed:tbs=3/13":
			x := result(r, 7, 1, 1)
			x.Kernels[1].IPC = 10
			return x
		case r.GPU == "ccbp16?sm.memory_issue=mil":
			return result(r, 7, 15, 50)
		case r.GPU == "ccbp16?sm.irc.sub_queues=8&sm.memory_issue=mil":
			return result(r, 1000, 0, 0)
		case strings.Contains(r.GPU, "irc"):
			return result(r, 1200, 0, 0)
		}
		return result(r, 7, 20, 56)
	})
	d.Sampled = func(r experiment.Spec, known *experiment.Result) ([]Sample, error) {
		s := Sample{}
		for _, k := range known.Kernels {
			s.Stalls = append(s.Stalls, Stalls{All: 100, Memory: k.Stalls["raw_long"], LSU: k.Stalls["lsu_full"]})
		}
		return []Sample{{Stalls: []Stalls{{All: 1}, {All: 1}}}, s}, nil
	}
	rows, err := e.Rows(d)
	require.NoError(t, err)
	for label, want := range map[string]float64{
		"RAW_long of BP, alone": 40, "LSU_full of BP, alone": 2, "RAW_long of BP, CTA_oracle": 56, "LSU_full of BP, CTA_oracle": 20,
		"LSU_full of BP, CTA_oracle+MIL": 15, "RAW_long of BP, CCBP": 49, "LSU_full of BP, CCBP": 8,
		"read latency of BP over alone, CTA_oracle": 3, "read latency of BP over alone, CTA_oracle+MIL": 2.5, "read latency of BP over alone, CCBP": 1.5,
		"slowdown of BP, CCBP": 2, "slowdown of CFD, CTA_oracle": 2,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
	assert.Len(t, d.results, 2+1+1+7+3, "MIL and latencies of the best combination alone")
}

func TestLatencyOfHGIsComparedWithAlone(t *testing.T) {
	e, err := Find("ccbp-fig13")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		x := ccbpStory(func(experiment.Spec, string) float64 { return 1 })(r)
		switch {
		case len(r.Apps) == 1:
			x.Stats = latencies(100)
		case strings.HasPrefix(r.Policy, "ccbp"):
			x.Stats = latencies(140)
		case r.GPU == "ccbp16?sm.irc.sub_queues=8" && r.Policy == "ws":
			x.Stats = latencies(450)
		case r.GPU == "ccbp16?sm.irc.sub_queues=8":
			x.Stats = latencies(480)
		}
		return x
	}))
	require.NoError(t, err)
	for name, want := range map[string]float64{"SMK": 4.8, "WS": 4.5, "CCBP": 1.4} {
		r := find(t, rows, "read latency of HG in HG+LBM+SAD over alone, "+name)
		assert.InDelta(t, want, *r.Ours, 1e-9, name)
		assert.Equal(t, want, *r.Paper)
	}
}

func TestSADIsOverTheIdleLatencyOfItsMisses(t *testing.T) {
	e, err := Find("ccbp-sad")
	require.NoError(t, err)
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		x := &experiment.Result{Kernels: make([]experiment.KernelResult, 1), Stats: latencies(335)}
		x.Kernels[0].L2.HitRate = 0.25 // 335 cycles idle
		if x.DRAM.Utilization = 0.7; r.Policy == "fixed:tbs=1" {
			x.Stats, x.DRAM.Utilization = latencies(670), 0.35
		}
		return x
	}))
	require.NoError(t, err)
	for label, want := range map[string]float64{"DRAM use, all thread blocks": 100, "DRAM use, one thread block": 50,
		"read latency over idle, all thread blocks": 1, "read latency over idle, one thread block": 2} {
		assert.InDelta(t, want, ours(t, rows, label), 1e-9, label)
	}
}

func TestDoubledLatenciesAreComparedWithTheMachines(t *testing.T) {
	rows, _ := ccbpRows(t, "ccbp-latency", Quick, func(r experiment.Spec, name string) float64 {
		if strings.HasSuffix(r.GPU, "?sm.scheduler=gto&l2.hit_latency=231&l2.dram_latency=196") {
			return 50
		}
		return 85
	})
	assert.Len(t, rows, 5)
	assert.InDelta(t, 1.7, ours(t, rows, "HG, slowdown"), 1e-9)
}

func TestQueuesArbitersAndSchedulersAreComparedInTheHarmonicSpeedup(t *testing.T) {
	by := func(options map[string]float64) func(experiment.Spec, string) float64 {
		return func(r experiment.Spec, _ string) float64 {
			if len(r.Apps) == 1 {
				return 100
			}
			for option, ipc := range options {
				if strings.HasSuffix(r.GPU, option) {
					return ipc
				}
			}
			return 80
		}
	}
	rows, _ := ccbpRows(t, "ccbp-fig15", Quick, by(map[string]float64{"depth=8": 60, "depth=32": 90, "depth=1024": 100}))
	for label, want := range map[string][2]float64{"2 kernels, 64 entries": {60, 96}, "3 kernels, 128 entries": {80, 96}, "4 kernels, 256 entries": {90, 98}} {
		r := find(t, rows, "HSpeedup, "+label+", of unlimited")
		assert.InDelta(t, want[0], *r.Ours, 1e-9, label)
		assert.Equal(t, want[1], *r.Paper, label)
	}
	rows, _ = ccbpRows(t, "ccbp-arbiter", Full, by(map[string]float64{"latency=2": 79.2, "latency=3": 80.8, "latency=4": 40}))
	for label, want := range map[string]float64{"2": 1, "3": -1, "4": 50} {
		assert.InDelta(t, want, ours(t, rows, "slowdown, ALL, "+label+" cycles"), 1e-9, label)
	}
	rows, _ = ccbpRows(t, "ccbp-fig16", Quick, by(map[string]float64{"ccbp16?sm.scheduler=kernel-lrr": 92, "ccbp16-irc?sm.scheduler=gto": 40}))
	for label, want := range map[string]float64{"WS, LRR+GTO over WS, 2LVL-8": 15, "WS, LRR+GTO over WS, LRR": 15, "CCBP, LRR+GTO over CCBP, GTO": 100, "CCBP, LRR+GTO over CCBP, LRR": 0} {
		assert.InDelta(t, want, ours(t, rows, "HSpeedup, ALL, "+label), 1e-9, label)
	}
	rows, _ = ccbpRows(t, "ccbp-fig14", Quick, by(map[string]float64{"ccbp16?dram.scheduler=tcm": 84, "ccbp16?sm.l1.victim=ucp": 40, "ccbp16-irc": 96, "issue=mil": 96, "issue=bmi": 64}))
	for label, want := range map[string]float64{"LS+DBI, WS+TCM over WS": 5, "LS+NBI, WS+UCP over WS": -50, "ALL, CCBP over WS": 20, "ALL, CCBP over WS+MIL": 0, "NBI+DBI, CCBP over WS+BMI": 50} {
		assert.InDelta(t, want, ours(t, rows, "HSpeedup, "+label), 1e-9, label)
	}
	rows, _ = ccbpRows(t, "ccbp-fig10", Quick, func(r experiment.Spec, name string) float64 {
		switch names := namesOf(r); {
		case len(names) == 1:
			return 100
		case strings.HasPrefix(r.Policy, "fixed"):
			return 50
		case title(names) == "CFD+FTD":
			return 75
		}
		return 60
	})
	assert.InDelta(t, 50, ours(t, rows, "HSpeedup, largest of all, CCBP over CTA_oracle"), 1e-9)
	assert.InDelta(t, 20, ours(t, rows, "HSpeedup, BP+CFD, CCBP over CTA_oracle"), 1e-9)
}
