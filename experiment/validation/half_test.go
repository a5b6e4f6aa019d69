package validation

import (
	"testing"

	"cotenant/platform/presets"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// FLOP of a cycle and SM, a multiplication and an addition for each half of a lane: on a TITAN
// V 249 (Accel-Sim, microbenchmarks), on the others the CUDA C programming guide's throughput
// of 16-bit additions, twice.
func TestRatesOfHalfPrecisionAreThePublishedOnes(t *testing.T) {
	for gpu, want := range map[string]float64{"v100": 249, "a100": 512, "h100": 512, "rtx4090": 256} {
		config, err := presets.Load(gpu)
		require.NoError(t, err)
		m := blockRate("half", "FLOP", "", 4*workload.WarpSize, 960, func(_, i int) workload.Inst {
			inst := script.Op(workload.FP32, uint8(i%96))
			inst.Flags |= workload.Half
			return inst
		})
		got, err := m.measure(&bench{ctx: t.Context(), gpu: config})
		require.NoError(t, err)
		require.InEpsilon(t, want, got[0], 0.03, gpu) // 256 beside 249
	}
}
