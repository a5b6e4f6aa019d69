package emulated

import (
	"math/bits"
	"testing"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// sad reads a frame as a texture of two dimensions, in windows that spread over rows.
func TestLayoutsMoveFetchesToFewerLinesAndChangeNoResult(t *testing.T) {
	m, err := kernels.Builtin("sad")
	require.NoError(t, err)
	run := func(layout workload.TextureLayout) (lines, instructions int, sums []byte) {
		app, err := App(m, "tiny", "", workload.Target{TextureLayout: layout}, sass.Options{})
		require.NoError(t, err)
		var last *host
		start := app.Host
		app.Host = func() (workload.Host, error) {
			h, err := start()
			last, _ = h.(*host)
			return h, err
		}
		execute(t, app, functional.Observer{Executed: func(_, _ int, inst *workload.Inst) {
			instructions++
			if inst.Class.IsMemory() && inst.Space == workload.Texture {
				touched := map[uint64]bool{}
				addr := inst.Base
				for lane := bits.TrailingZeros32(inst.Active); lane < workload.WarpSize; lane++ {
					if inst.Lanes != nil {
						addr = inst.Lanes[lane]
					}
					if inst.Active>>lane&1 != 0 {
						touched[addr/128] = true
					}
					addr += uint64(inst.Stride)
				}
				lines += len(touched)
			}
		}})
		for _, a := range last.instance.Arrays() {
			if a.Name == "sums" {
				sums = a.Data
			}
		}
		return lines, instructions, sums
	}
	rows, n, want := run(workload.Rows)
	require.NotEmpty(t, want)
	for _, layout := range []workload.TextureLayout{workload.Tiles, workload.BlockLinear} {
		lines, same, got := run(layout)
		require.Equal(t, want, got, layout)
		require.Equal(t, n, same, layout)
		require.NotZero(t, lines, layout)
		require.Less(t, lines, rows, layout)
	}
}
