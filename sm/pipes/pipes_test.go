package pipes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/sm/tensor"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// When may the units that waiting warps need take an instruction?
func TestFreeAtIsWhenTheFirstNeededPipeIsFree(t *testing.T) {
	spec := Spec{ALU: PipeSpec{Interval: 1, Latency: 4, Units: 1}, FP64: PipeSpec{Interval: 30, Latency: 4, Units: 1},
		SFU: PipeSpec{Interval: 8, Latency: 4, Units: 1}, Tensor: PipeSpec{Interval: 1, Latency: 4, Units: 1}}
	require.NoError(t, spec.Validate())
	var p Pipes
	p.Init(&spec, &tensor.Spec{}, 2)
	p.Take(1, warps.FP64, &workload.Inst{Class: workload.FP64}, 100)
	p.Take(1, warps.SFU, &workload.Inst{Class: workload.SFU}, 100)
	var needs [warps.NumUnits]warps.Mask
	needs[warps.FP64], needs[warps.SFU], needs[warps.LSU] = 0b001, 0b010, 0b100
	for ready, at := range map[warps.Mask]uint64{0b001: 130, 0b010: 108, 0b011: 108, 0b101: 130, 0b100: math.MaxUint64} {
		require.Equal(t, at, p.FreeAt(1, &needs, ready, 101), "ready %b", ready)
	}
}
