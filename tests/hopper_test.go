package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

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
	require.Positive(t, l.Stalls["async_wait"])
	// A tile comes from the L2 or the DRAM, 105 cycles later than a load's data; its products take four
	// times 50 cycles. Nothing overlaps in a thread block.
	require.Greater(t, l.EndCycle-l.StartCycle, uint64(deep/tile*(105+264+4*32)))
	require.Less(t, l.EndCycle-l.StartCycle, uint64(deep/tile*(105+1000+4*50)+3000))
	slow := preset(t, "h100?sm.tma.latency=1000")
	later := run(t, slow, "fcfs", 0, app).Kernels[0].Launches[0]
	require.InDelta(t, float64(l.EndCycle-l.StartCycle)+deep/tile*895, float64(later.EndCycle-later.StartCycle), 400)
}
