package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// product is a product of a shape.
func product(s workload.Shape) *workload.Inst {
	return &workload.Inst{Class: workload.Tensor, Width: uint8(s)}
}

// starts issues n products of a shape on one core as early as it takes them.
func starts(u *Unit, s workload.Shape, n int) (cycles []uint64) {
	for cycle := uint64(0); len(cycles) < n; {
		cycles = append(cycles, cycle)
		cycle, _ = u.Take(0, product(s), cycle)
	}
	return cycles
}

func TestIntervalsWithAFractionHoldOnAverage(t *testing.T) {
	u := New(&Spec{Shapes: Shapes{M16N8K16F32: Timing{Interval: 6400, Latency: 24}, M16N8K8F32: Timing{Interval: 4000, Latency: 18}, M8N8K16S8: Timing{Interval: 500, Latency: 9}}}, 2, 16)
	require.Equal(t, []uint64{0, 6, 12, 19, 25, 32, 38, 44, 51, 57, 64}, starts(u, workload.M16N8K16F32, 11))
	u.freeAt[0] = 0
	require.Equal(t, []uint64{0, 4, 8, 12}, starts(u, workload.M16N8K8F32, 4))
	u.freeAt[0] = 0
	require.Equal(t, []uint64{0, 0, 1, 1, 2}, starts(u, workload.M8N8K16S8, 5), "two in a cycle")
	u.freeAt[0] = 0
	require.Equal(t, []uint64{0, 2, 4}, starts(u, workload.M8N8K4F64, 3), "as pipes.tensor, for lack of an entry")
	require.Equal(t, []uint64{0, 2, 4}, starts(New(&Spec{}, 2, 16), workload.NoShape, 3))
}

// A core that was idle owes nothing for the time before, and cores do not wait for one another.
func TestAnIdleCoreGathersNoCredit(t *testing.T) {
	u := New(&Spec{Shapes: Shapes{M16N8K16F32: Timing{Interval: 6400, Latency: 24}}}, 2, 16)
	free, latency := u.Take(0, product(workload.M16N8K16F32), 0)
	require.Equal(t, []uint64{6, 24}, []uint64{free, latency})
	free, _ = u.Take(0, product(workload.M16N8K16F32), 100)
	require.Equal(t, uint64(106), free)
	free, _ = u.Take(0, product(workload.M16N8K16F32), 106)
	require.Equal(t, uint64(112), free)
	free, _ = u.Take(1, product(workload.M16N8K16F32), 106)
	require.Equal(t, uint64(112), free)
}

func TestEveryShapeHasItsKeyAndItsProducts(t *testing.T) {
	s := Shapes{M16N8K16F64: Timing{Interval: 64000, Latency: 33}}
	list := s.list()
	require.Equal(t, Timing{Interval: 64000, Latency: 33}, list[workload.M16N8K16F64])
	require.Zero(t, list[workload.NoShape], "a key of Shapes is no shape")
	var n TenantStats
	for _, s := range []workload.Shape{workload.M16N8K16F32, workload.M8N8K4F64, workload.M8N8K4F32, workload.NoShape, workload.M8N8K4F32Step, workload.M8N8K4F16Step} {
		n.Add(New(&Spec{}, 2, 16), product(s))
	}
	require.Equal(t, TenantStats{Products: 6, MultiplyAdds: 2048 + 256 + 1024 + 1024/4 + 1024/2}, n)
}

func TestCyclesAreReadToTheThousandth(t *testing.T) {
	for text, want := range map[string]Cycles{"8": 8000, "6.4": 6400, "0.125": 125, "1023": 1023000} {
		var c Cycles
		require.NoError(t, c.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, c)
		require.Equal(t, text, c.String())
	}
	for _, text := range []string{"", "0", "-1", "1.", "1.0001", "1e3", "1024", "x", "0.0", "+1", " 1"} {
		var c Cycles
		require.ErrorContains(t, c.UnmarshalText([]byte(text)), "must be a number of cycles, 0.001 to 1023", "%q", text)
	}
}

// 64 x N x 16 of f16 at the peak take N / 2 cycles from N = 64 on; below, the matrices take longer to
// come from shared memory, 16 cycles for 64 rows and N / 4 for the columns.
func TestProductsOfFourWarpsTakeTheTimeOfTheirColumnsOrOfTheirMatrices(t *testing.T) {
	table := Spec{Shapes: Shapes{M16N8K16F32: Timing{Interval: 6400, Latency: 24}}, Warpgroup: Warpgroup{Column: 500, Latency: 18, Bytes: 128}}
	for _, c := range []struct {
		columns, matrices int
		interval, latency uint64
	}{{256, 2, 128, 146}, {128, 2, 64, 82}, {64, 2, 32, 50}, {32, 2, 24, 34}, {8, 2, 18, 22}, {32, 1, 16, 34}, {8, 1, 4, 22}} {
		inst := product(workload.M16N8K16F32)
		inst.Barrier, inst.Warps = uint8(c.columns/8), uint8(c.matrices)
		u := New(&table, 2, 16)
		free, latency := u.Take(3, inst, 1000)
		require.Equal(t, []uint64{1000 + c.interval, c.latency}, []uint64{free, latency}, "%+v", c)
		interval, latency := u.Timing(inst)
		require.Equal(t, []uint64{c.interval, c.latency}, []uint64{interval, latency}, "%+v", c)
	}
	inst := product(workload.M16N8K16F32)
	inst.Barrier = 8
	table.Warpgroup = Warpgroup{}
	free, latency := New(&table, 2, 16).Take(0, inst, 0)
	require.Equal(t, []uint64{51, 75}, []uint64{free, latency}, "eight of 6.4 cycles, without an entry")
	var n TenantStats
	n.Add(New(&table, 2, 16), inst)
	require.Equal(t, TenantStats{Products: 1, MultiplyAdds: 8 * 2048}, n)
}

// steps lists the cycles below an end at which the core of scheduler 0 has a step.
func steps(u *Unit, end uint64) (cycles []uint64) {
	for cycle := range end {
		if u.Steps(0, cycle) {
			cycles = append(cycles, cycle)
		}
	}
	return cycles
}

func TestStepsDivideTheInterval(t *testing.T) {
	shapes := Shapes{M16N8K16F32: Timing{Interval: 16000, Latency: 38, Steps: 8}, M16N8K8F32: Timing{Interval: 6400, Latency: 18, Steps: 3}, M16N8K8F16: Timing{Interval: 4000, Latency: 18}}
	u := New(&Spec{Shapes: shapes}, 2, 16)
	require.Empty(t, steps(u, 40))
	u.Take(0, product(workload.M16N8K16F32), 0)
	require.Equal(t, []uint64{2, 4, 6, 8, 10, 12, 14}, steps(u, 40))
	u.Take(0, product(workload.M16N8K8F16), 16)
	require.Equal(t, []uint64{2, 4, 6, 8, 10, 12, 14}, steps(u, 40), "a product without steps has none")
	u.Take(0, product(workload.M16N8K8F32), 20)
	require.Equal(t, []uint64{22, 24}, steps(u, 40))
	u.Take(0, product(workload.M16N8K8F32), 26) // begins at 26.4
	require.Equal(t, []uint64{28, 30}, steps(u, 40))
	require.False(t, u.Steps(1, 28))

	var n TenantStats
	n.Add(u, product(workload.M16N8K16F32))
	n.Add(u, product(workload.M16N8K8F16))
	require.Equal(t, TenantStats{Products: 2, MultiplyAdds: 2048 + 1024, Steps: 7}, n)
}
