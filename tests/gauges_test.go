package tests

import (
	"context"
	"strings"
	"testing"

	"cotenant/components"

	"github.com/stretchr/testify/require"
)

// Under a load that fills the GPU every gauge of the blocks moves, and none
// shows more than there can be.
func TestGaugesShowLevelsWithinTheirLimits(t *testing.T) {
	config := preset(t, "plain16")
	config.L2.Sets = 16 // so that lines are written back soon
	gpu := platform(t, config, "even", true, builtin(t, "lbm"), builtin(t, "spmv"))
	highest := map[string]int{} // by module type and gauge
	gpu.Every(20, func(uint64) {
		for _, m := range gpu.Components() {
			g, ok := m.(components.Gauged)
			if !ok {
				continue
			}
			kind, _, _ := strings.Cut(m.Name(), "[")
			for _, gauge := range g.Gauges() {
				level := gauge.Level()
				require.LessOrEqual(t, level, gauge.Max, "%s.%s", m.Name(), gauge.Name)
				require.GreaterOrEqual(t, level, 0, "%s.%s", m.Name(), gauge.Name)
				name := kind + " " + strings.Trim(gauge.Name, "0123456789[]")
				highest[name] = max(highest[name], level)
			}
		}
	})
	require.NoError(t, gpu.Run(context.Background(), 10_000, nil))
	for _, name := range []string{"GPU.SM Threads", "GPU.SM LSU.Queue", "GPU.SM L1.MSHRs", "GPU.SM L1.MissQueue", "GPU.L2 Lookups", "GPU.L2 MSHRs",
		"GPU.L2 Reply.Queue", "GPU.L2 DRAM.Queue", "GPU.DRAM Read.Queue", "GPU.DRAM Write.Queue"} {
		require.Positive(t, highest[name], "%s: %v", name, highest)
	}
}
