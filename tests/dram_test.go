package tests

import (
	"context"
	"testing"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// Utilisation is over all channels together: a stream's traffic, by the program's own
// count, over the capacity of the channels in that time.
func TestDRAMUtilizationIsOverAllChannels(t *testing.T) {
	gpu := preset(t, "plain16")
	require.Equal(t, 8, gpu.Address.Channels)
	const rounds = 4
	app := stream(false, rounds)
	var channels []uint64 // data bus cycles of each
	var p *wiring.Platform
	r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs"}, GPU: gpu, Apps: []experiment.App{{Spec: app.Name, Workload: app}},
		Started: func(b *wiring.Platform) error { p = b; return nil }}
	result, err := r.Do(context.Background())
	require.NoError(t, err)

	const bytes = streamTBs * streamWarps * rounds * protocol.LineBytes
	require.Equal(t, uint64(bytes), result.DRAM.Bytes)
	seconds := float64(result.Cycles) / float64(gpu.Clocks.Core) / 1e6
	require.InEpsilon(t, bytes/seconds/224e9, result.DRAM.Utilization, 0.001, "of 224 GB/s")
	require.Equal(t, result.DRAM.Utilization, result.Kernels[0].DRAM.Utilization)

	sum := uint64(0)
	for _, c := range p.Channels {
		s := c.Stats()
		channels = append(channels, s.Total().DataBusCycles)
		sum += s.Total().DataBusCycles
	}
	require.Equal(t, uint64(bytes/(4*4)), sum, "4 beats of 4 bytes in a cycle")
	for i, busy := range channels {
		require.InEpsilon(t, sum/8, busy, 0.1, "channel %d", i)
	}
}
