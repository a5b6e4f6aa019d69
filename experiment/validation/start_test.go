package validation

import (
	"testing"

	"cotenant/platform/presets"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// A Volta takes 0.88 and 1.57 cycles for each further thread block of 8 and 32 warps of a kernel
// that does nothing, an H100 1.03 and 1.47 (AMALi, see the presets).
func TestThreadBlocksStartAsOnTheChips(t *testing.T) {
	for name, slopes := range map[string]map[int]float64{"v100": {8: 0.88, 32: 1.57}, "h100": {8: 1.03, 32: 1.47}} {
		gpu, err := presets.Load(name)
		require.NoError(t, err)
		b := &bench{ctx: t.Context(), gpu: gpu}
		for warps, want := range slopes {
			nothing := func(tbs int) *workload.Kernel {
				return script.Kernel("nothing", tbs, warps*workload.WarpSize, func(int, int) []workload.Inst {
					return []workload.Inst{script.Op(workload.Exit, workload.NoReg)}
				})
			}
			each, err := b.run(nothing(1600), nothing(3200))
			require.NoError(t, err)
			require.InEpsilon(t, want, float64(each[1].Cycles-each[0].Cycles)/1600, 0.15, "%s, %d warps", name, warps)
		}
	}
}
