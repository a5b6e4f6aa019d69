package tests

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/source"
)

// wgemm is a product by wgmma of tiles that bulk copies bring, one at a time: on an H100, with one thread
// block on each of six SMs, it asks the L2 for all bytes of the tiles, and waits for them.
func TestAProductOfFourWarpsWaitsForTheTilesThatBulkCopiesBring(t *testing.T) {
	gpu := preset(t, "h100")
	app, err := source.Open("ptx:../docs/examples/kernels/wgemm.yaml", source.Options{Target: gpu.Streams()})
	require.NoError(t, err)
	k := run(t, gpu, "fcfs", 0, app).Kernels[0]
	const m, n, deep, tile = 128, 192, 256, 64
	l := k.Launches[0]
	tiles := m / tile * n / tile * deep / tile
	require.GreaterOrEqual(t, l.L2.Accesses, uint64(tiles*2*tile*tile*2/128), "A and B of each tile, line by line")
	require.Positive(t, l.Stalls["mbarrier_wait"])
	// A tile comes from the L2 or the DRAM, 105 cycles later than a load's data; its products take four
	// times 50 cycles. Nothing overlaps in a thread block.
	require.Greater(t, l.EndCycle-l.StartCycle, uint64(deep/tile*(105+264+4*32)))
	require.Less(t, l.EndCycle-l.StartCycle, uint64(deep/tile*(105+1000+4*50)+3000))
	slow := preset(t, "h100?sm.tma.latency=1000")
	later := run(t, slow, "fcfs", 0, app).Kernels[0].Launches[0]
	require.InDelta(t, float64(l.EndCycle-l.StartCycle)+deep/tile*895, float64(later.EndCycle-later.StartCycle), 400)
}

// Warp 1 sleeps for 20 us, then arrives at the mbarrier that warp 0 waits for in a loop. Warp 0 is suspended: it
// looks a few times, not hundreds of times.
func TestAWarpThatWaitsForAnMBarrierIsSuspended(t *testing.T) {
	app := waitingForAnArrival(t, "nanosleep.u32 20000;\n	mbarrier.arrive.shared.b64 %s, [%r1];\n	ret;")
	gpu := preset(t, "h100")
	l := run(t, gpu, "fcfs", 0, app).Kernels[0].Launches[0]
	require.Greater(t, l.EndCycle-l.StartCycle, uint64(20*1000))
	require.Less(t, l.WarpInstructions, uint64(60))
}

// A phase that lacks an arrival ends the run, with the instruction, its line and the mbarrier.
func TestAnMBarrierThatNothingCompletesEndsTheRun(t *testing.T) {
	p := platform(t, preset(t, "h100"), "fcfs", false, waitingForAnArrival(t, "ret;"))
	p.EndSpins()
	err := p.Run(context.Background(), 0, nil)
	var spins *wiring.SpinError
	require.ErrorAs(t, err, &spins)
	require.Regexp(t, `^tenant 0 \(k\), kernel k: no thread block has begun or ended for \d{5} cycles, and all warps wait .*: mbarrier\.try_wait\.parity\.shared\.b64 at \S+/k\.ptx:18 `+
		`waits for the end of a phase of the mbarrier in bar \(8 bytes of shared memory; byte 0\), with 32 arrivals and 0 bytes pending$`, err.Error())
	require.NotContains(t, err.Error(), "\n")
	require.Less(t, p.Cycles(0), uint64(100_000))
}

// waitingForAnArrival is a kernel of two warps, of which one waits for the other's arrival at an mbarrier. The other
// does something else first.
func waitingForAnArrival(t *testing.T, other string) *workload.App {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("k.ptx", `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<4>; .reg .pred %p, %q; .reg .b64 %x, %s; .shared .align 8 .b64 bar;
	mov.u32 %r1, bar;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p, %r2, 0;
	@%p bra W;
	mbarrier.init.shared.b64 [%r1], 32;
W:
	bar.sync 0;
	setp.lt.u32 %q, %r2, 32;
	@%q bra L;
	`+other+`
L:
	mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
	@!%p bra L;
	ld.param.u64 %x, [out];
	st.global.u32 [%x], %r2;
	ret;
}
`)
	write("k.yaml", "name: k\nptx: k.ptx\narrays:\n  - {name: c, type: u32, length: 64}\nkernels:\n  - {name: k, block: [64]}\n"+
		"steps:\n  - launch: {kernel: k, grid: [1], args: [c]}\n")
	gpu := preset(t, "h100")
	app, err := source.Open("ptx:"+filepath.Join(folder, "k.yaml"), source.Options{Target: gpu.Streams()})
	require.NoError(t, err)
	return app
}
