package tests

import (
	"context"
	"testing"

	"cotenant/platform/presets"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// straight has 64 warps of integer instructions of 16 bytes, one behind the other.
func straight(instructions int) *workload.App {
	list := make([]workload.Inst, instructions)
	for i := range list {
		list[i] = script.Op(workload.Int, 1)
		list[i].PC = uint32(16 * i)
	}
	return script.App("straight", script.Kernel("straight", 8, 256, func(int, int) []workload.Inst { return list }))
}

// The kernels have no data: all that an SM sends is reads of code. The two SMs read each
// line once, and the L2 fetches it once, for each tenant: both execute the same
// instructions and have a copy each. 20 lines of two tenants displace each other in a
// cache of 16, and are read again.
func TestMissesOfCodeAreReadsOfTheL2(t *testing.T) {
	for _, c := range []struct {
		instructions, tenants int
		reads, fills          uint64 // no reads: more than one of each line by each SM
	}{{64, 1, 2 * 4, 4}, {64, 2, 2 * 2 * 4, 2 * 4}, {320, 2, 0, 2 * 20}} {
		const end = 200_000 // all is over by then
		gpu, err := presets.Load("fermi16?sms=2&sm.front_end.icache.miss_latency=1&sm.front_end.icache.misses=memory")
		require.NoError(t, err)
		var apps []*workload.App
		for range c.tenants {
			apps = append(apps, straight(c.instructions))
		}
		p := platform(t, gpu, "even", false, apps...)
		require.NoError(t, p.Run(context.Background(), end, nil))
		for _, sm := range p.SMs {
			require.Zero(t, sm.Outstanding())
		}
		counters := p.Counters(end)
		sm, l2, dram := counters.SM.Total(), counters.L2.Total(), counters.DRAM.Total()
		require.Equal(t, sm.MemoryRequests, l2.Reads)
		require.Equal(t, l2.Reads, l2.Accesses())
		require.Equal(t, l2.Reads*128, l2.ReplyBytes)
		require.LessOrEqual(t, l2.Reads, sm.Icache.Misses)
		require.Equal(t, []uint64{c.fills, c.fills}, []uint64{l2.Fills, dram.Reads})
		if c.reads > 0 {
			require.Equal(t, c.reads, l2.Reads)
		} else {
			require.Greater(t, l2.Reads, 2*c.fills, "read again")
		}
	}
}
