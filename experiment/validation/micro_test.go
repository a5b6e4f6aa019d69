package validation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/workloads"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
)

// machine is the GPU that the tests know the numbers of.
const machine = "testdata/machine.yaml"

// shown is what the microkernel of a figure shows on a GPU, and what its further
// steps did.
func shown(t *testing.T, gpu, figure string) (value float64, more workloads.Counts) {
	t.Helper()
	values, more := measured(t, gpu, figure)
	return values[figure], more
}

// measured is shown, with all figures of the microkernel.
func measured(t *testing.T, gpu, figure string) (values map[string]float64, more workloads.Counts) {
	t.Helper()
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	b := &bench{ctx: context.Background(), gpu: config, tell: func(c *workloads.Counts) { more = *c }}
	for _, m := range All() {
		if !slices.ContainsFunc(m.Figures, func(f Figure) bool { return f.Name == figure }) {
			continue
		}
		list, err := m.measure(b)
		require.NoError(t, err)
		require.Len(t, list, len(m.Figures))
		values = map[string]float64{}
		for i, f := range m.Figures {
			values[f.Name] = list[i]
		}
		return values, more
	}
	require.Fail(t, "there is no figure "+figure)
	return nil, more
}

// What a parameter says is what the microkernel shows, to the cycle.
func TestMicrokernelsShowParametersExactly(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		figure string
		want   float64
	}{
		{machine, "int-chain", 4},
		{machine + "?sm.pipes.alu.latency=7", "int-chain", 7},
		{machine + "?sm.pipes.alu.latency=7", "fp32-chain", 7},
		{machine + "?sm.pipes.alu.latency=1", "fp32-chain", 1},
		{machine + "?sm.pipes.fp64.latency=50", "fp64-chain", 50},
		{machine + "?sm.pipes.sfu.latency=33", "sfu-chain", 33},
		{machine, "int-rate", 128},
		{machine, "fp32-rate", 128},
		{machine + "?sm.pipes.alu.interval=2", "fp32-rate", 64},
		{machine + "?sm.pipes.fp64.interval=2", "fp64-rate", 64},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2", "int-fp32-rate", 64},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2&sm.pipes.int={interval: 2, latency: 4}", "int-fp32-rate", 128},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2&sm.pipes.int={interval: 4, latency: 4}", "int-fp32-rate", 64},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2&sm.pipes.alu.units=2&sm.pipes.int={interval: 2, latency: 4, shares: alu-b}", "int-fp32-rate", 128},
		{machine + "?sm.pipes.int={interval: 2, latency: 6}", "int-chain", 6},
		{machine + "?sm.pipes.int={interval: 2, latency: 6}", "int-rate", 64},
		{machine + "?sm.pipes.int={interval: 2, latency: 6}", "fp32-rate", 128},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2&sm.pipes.alu.units=2&sm.pipes.int={interval: 2, latency: 4, shares: alu-b}", "int-rate", 64},
		{machine + "?sm.issue_width=1&sm.pipes.alu.interval=2&sm.pipes.alu.units=2&sm.pipes.int={interval: 2, latency: 4, shares: alu-b}", "fp32-rate", 128},
		{machine + "?sm.pipes.sfu.interval=8&sm.pipes.sfu.per_sm=true", "sfu-rate", 4},
		{machine, "issue-rate", 8},
		{machine + "?sm.issue_width=1", "issue-rate", 4},
		{machine + "?sm.schedulers=2", "issue-rate", 4},
		{machine, "mixed-issue", 6},
		{machine + "?sm.lsu.shared_latency=30", "shared-chain", 30},
		{machine + "?sm.lsu.shared_latency=30", "shared-conflict-2", 31},
		{machine + "?sm.lsu.shared_latency=30", "shared-conflict-32", 61},
		{machine + "?sm.lsu.shared_banks=16", "shared-rate", 64},
		{machine + "?sm.lsu.shared_atomic_interval=3", "shared-atomic-1", 24 + 2},
		{machine + "?sm.lsu.shared_atomic_interval=3", "shared-atomic-8", 24 + 8*3 - 1},
		{machine + "?sm.lsu.constant_latency=12", "constant-chain", 12},
		{machine + "?sm.l1.hit_latency=50", "l1-chain", 50},
		{machine + "?sm.l1.mshr_merge=4", "l1-rate", 128},
		{machine + "?sm.l1.hit_latency=50", "local-chain", 50},
		{machine + "?sm.l1.hit_latency=50", "texture-chain", 50},
		{machine, "l1-rate", 128},
		{machine + "?sm.lsu.texels_per_cycle=4", "texture-rate", 4},
		{machine + "?l2.atomic_interval=9", "atomic-same", 9},
	} {
		got, _ := shown(t, c.gpu, c.figure)
		assert.Equal(t, c.want, got, "%s of %s", c.figure, c.gpu)
	}
}

// Where several parameters make a latency, a change of one is seen in full.
func TestMicrokernelsShowChangesOfParametersExactly(t *testing.T) {
	for _, c := range []struct {
		option, figure string
		more           float64
	}{
		{"l2.hit_latency=150", "l2-chain", 30},
		{"sm.l1.miss_latency=92", "l2-chain", 10},
		{"reply_noc.latency=9", "l2-chain", 5},
		{"l2.hit_latency=150", "atomic-chain", 30},
	} {
		before, _ := shown(t, machine, c.figure)
		after, _ := shown(t, machine+"?"+c.option, c.figure)
		assert.Equal(t, c.more, after-before, "%s by %s", c.figure, c.option)
	}
	before, _ := shown(t, machine, "dram-chain")
	after, _ := shown(t, machine+"?l2.dram_latency=160", "dram-chain")
	assert.InDelta(t, 60, after-before, 1, "the DRAM has another clock")
	for _, launch := range []string{"launch", "launch-graph"} {
		before, _ := shown(t, machine, launch)
		after, _ := shown(t, machine+"?host.launch_latency=5000", launch)
		assert.InDelta(t, 5000, after-before, 10, "%s: the writes of the launch before are under way for less long", launch)
	}
	const late = machine + "?host.launch_latency=9000"
	before, _ = shown(t, late, "launch")
	after, _ = shown(t, late+"&host.graph_launch_latency=5000", "launch")
	assert.Equal(t, before, after)
	after, _ = shown(t, late+"&host.graph_launch_latency=5000", "launch-graph")
	assert.InDelta(t, -4000, after-before, 10)
}

// Microkernels reach what they are about, and nothing beyond.
func TestMicrokernelsReachWhatTheyAreAbout(t *testing.T) {
	for _, figure := range []string{"l1-chain", "local-chain", "texture-chain", "l1-rate", "texture-rate"} {
		_, more := shown(t, machine, figure)
		assert.NotZero(t, more.L1Accesses, figure)
		assert.Equal(t, more.L1Accesses, more.L1Hits, figure)
		assert.Zero(t, more.L2Accesses, figure)
	}
	for _, figure := range []string{"l2-rate", "noc-sectors", "noc-lines", "atomic-chain", "atomic-same", "atomic-many"} {
		_, more := shown(t, machine, figure)
		assert.Zero(t, more.L1Accesses, figure)
		assert.Equal(t, more.WarpInstructions, more.L2Accesses, figure)
		assert.Equal(t, more.L2Accesses, more.L2Hits, figure)
	}
	for _, figure := range []string{"int-rate", "shared-rate", "shared-atomic-32", "barrier-rate", "mixed-issue"} {
		_, more := shown(t, machine, figure)
		assert.NotZero(t, more.WarpInstructions)
		assert.Zero(t, more.L1Accesses+more.L2Accesses, figure)
	}
}

// On every preset, whatever caches it has.
func TestChainsBeyondTheL1EndInTheL2OrTheDRAM(t *testing.T) {
	for _, gpu := range presets.Names() {
		_, more := shown(t, gpu, "l2-chain")
		assert.Zero(t, more.L1Hits, gpu)
		assert.Equal(t, more.WarpInstructions, more.L2Accesses, gpu)
		assert.Equal(t, more.L2Accesses, more.L2Hits, gpu)
		_, more = shown(t, gpu, "dram-chain")
		accesses := more.L2Accesses
		if config, err := presets.Load(gpu); assert.NoError(t, err) && config.Topology == "halves" {
			assert.InDelta(t, 1.5, float64(accesses)/1024, 0.1, "%s: half of the lines have a far home, whose slice looks them up too", gpu)
			accesses = 1024
		}
		assert.InDelta(t, 1024, accesses, 1, "%s: a line of code may come from the L2 too", gpu)
		assert.LessOrEqual(t, more.L2Hits, uint64(2), gpu)
	}
}

// Half of the machine has 4 channels of 4 bytes by 4 at 1750 MHz: 112 GB/s, and bus cycles of
// 16 bytes.
func TestStreamsAreSharesOfThePeak(t *testing.T) {
	const half = machine + "?sms=8&address.slices=8&address.channels=4"
	for figure, perRound := range map[string]uint64{"dram-read": 1, "dram-write": 1, "dram-copy": 2, "dram-scale": 2, "dram-triad": 3} {
		values, more := measured(t, half, figure)
		share, rate := values[figure], values[figure+"-bandwidth"]
		assert.InDelta(t, share, 100*rate/112, 1e-9, figure)
		bytes := uint64(float64(more.Cycles)/1216e6*rate*1e9 + 0.5)
		assert.Zero(t, bytes%(64*8*128*perRound), "%s: rounds of 64 thread blocks of 8 warps", figure)
		assert.InEpsilon(t, bytes, more.DRAMBusCycles*16, 0.01, "%s: what the program moves is what the DRAM moves", figure)
		assert.True(t, share > 50 && share <= 100, "%s: %v", figure, share)
	}
}

// A reply is a header and its sectors: 2 flits of a sector, 5 of a line.
func TestCrossbarIsMeasuredInFlits(t *testing.T) {
	for figure, flits := range map[string]uint64{"noc-sectors": 2, "noc-lines": 5} {
		share, more := shown(t, machine, figure)
		assert.Equal(t, flits*more.WarpInstructions, more.ReplyFlits, figure)
		assert.InEpsilon(t, share, 100*float64(more.ReplyFlits)/float64(16*more.Cycles), 1e-3, "the crossbar has the core's clock")
	}
	narrow, _ := shown(t, machine+"?address.slices=8", "noc-lines")
	wide, _ := shown(t, machine, "noc-lines")
	assert.Greater(t, narrow, wide, "8 slices fill their ports better for 16 SMs")
}

// A kernel that the GPU cannot measure is an error that names it.
func TestErrorsNameGPUAndMicrokernel(t *testing.T) {
	config, err := presets.Load(machine + "?sm.shared_bytes=[1024]&sms=1")
	require.NoError(t, err)
	_, err = Measure(t.Context(), []*wiring.Config{config}, Options{})
	require.ErrorContains(t, err, "GPU testdata/machine.yaml?sm.shared_bytes=[1024]&sms=1, ")
}

func TestEveryFigureHasItsOwnNameAndIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		assert.True(t, strings.HasSuffix(m.About, "."), m.About)
		for _, f := range m.Figures {
			assert.False(t, seen[f.Name], f.Name)
			assert.NotEmpty(t, f.Unit, f.Name)
			seen[f.Name] = true
		}
	}
}
