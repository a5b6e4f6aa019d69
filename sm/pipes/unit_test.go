package pipes

import (
	"testing"

	"cotenant/sm/tensor"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// every takes an instruction every interval cycles, from any scheduler.
type every struct {
	interval, latency, free uint64
	taken, flushed          int
}

func (e *every) CanTake(_ int, cycle uint64) bool { return cycle >= e.free }
func (e *every) Flush(tenant.ID)                  { e.flushed++ }

func (e *every) Take(_ int, _ *workload.Inst, cycle uint64) uint64 {
	e.taken++
	e.free = cycle + e.interval
	return e.latency
}

func TestRegisteredUnitTakesTheKindsThatNameIt(t *testing.T) {
	unit := &every{}
	registerUnit("every", func(_ int, interval, latency uint64) Unit {
		unit.interval, unit.latency = interval, latency
		return unit
	})
	defer delete(units, "every")
	pipe := PipeSpec{Interval: 1, Latency: 4, Units: 1}
	spec := Spec{ALU: pipe, FP64: pipe, SFU: pipe, Tensor: pipe, IMad: UnitSpec{Unit: "every", Interval: 3, Latency: 9},
		Matrix: UnitSpec{Unit: "every", Interval: 3, Latency: 9}}
	require.NoError(t, spec.Validate())
	var p Pipes
	p.Init(&spec, &tensor.Spec{}, 2)
	inst := &workload.Inst{Class: workload.Int, Flags: workload.MultiplyAdd}
	require.Equal(t, warps.Extra, p.Unit(inst))
	require.Equal(t, warps.Extra, p.Unit(&workload.Inst{Class: workload.Tensor}))
	require.Equal(t, warps.ALU, p.Unit(&workload.Inst{Class: workload.Int}))
	var needs [warps.NumUnits]warps.Mask
	needs[warps.Extra] = 0b101
	require.Zero(t, p.Busy(0, &needs, 10))
	require.Equal(t, uint64(9), p.Take(0, warps.Extra, inst, 10))
	for cycle := uint64(11); cycle < 13; cycle++ {
		require.Equal(t, needs[warps.Extra], p.Busy(1, &needs, cycle))
		require.False(t, p.CanTake(1, warps.Extra, cycle))
	}
	require.Zero(t, p.Busy(1, &needs, 13))
	require.True(t, p.CanTake(1, warps.Extra, 13))
	p.Flush(3)
	require.Equal(t, [2]int{1, 1}, [2]int{unit.taken, unit.flushed})
}

func TestUnitsMustBeRegistered(t *testing.T) {
	m := UnitSpec{Unit: "matrix", Interval: 1, Latency: 1}
	require.EqualError(t, m.Validate(), `unit is "matrix", must be alu, int, fp64, sfu, or empty`)
}
