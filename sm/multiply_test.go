package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// marked is an instruction with flags.
func marked(flags workload.Flags, inst workload.Inst) workload.Inst {
	inst.Flags |= flags
	return inst
}

// multiplying is a spec with multiplications on the special-function unit: interval 2
// and 1, latency 7 and 9. Other instructions there take 4 and 20.
func multiplying() Spec {
	spec := oneScheduler()
	spec.Pipes.IMul = UnitSpec{Unit: "sfu", Interval: 2, Latency: 7}
	spec.Pipes.IMad = UnitSpec{Unit: "sfu", Interval: 1, Latency: 9}
	return spec
}

func TestMultiplicationsTakeTheirOwnLatency(t *testing.T) {
	spec := multiplying()
	dependent := func(class workload.Class, flags workload.Flags) []uint64 {
		return issues(t, spec, repeat(4, marked(flags, script.Op(class, 1, 1)))...)
	}
	require.Equal(t, multiples(7, 4), dependent(workload.Int, workload.Multiply))
	require.Equal(t, multiples(9, 4), dependent(workload.Int, workload.MultiplyAdd))
	require.Equal(t, multiples(4, 4), dependent(workload.Int, 0))
	require.Equal(t, multiples(4, 4), dependent(workload.FP32, workload.Multiply), "integers alone")
	require.Equal(t, multiples(20, 4), dependent(workload.SFU, 0))
	spec.Pipes.IMul, spec.Pipes.IMad = UnitSpec{}, UnitSpec{}
	require.Equal(t, multiples(4, 4), dependent(workload.Int, workload.Multiply), "off")
	require.Equal(t, multiples(4, 4), dependent(workload.Int, workload.MultiplyAdd), "off")
}

func TestMultiplicationsTakeThePipeOfTheirUnit(t *testing.T) {
	mul, mad := marked(workload.Multiply, script.Op(workload.Int, 1)), marked(workload.MultiplyAdd, script.Op(workload.Int, 2))
	mul2, mad2 := mul, mad
	mul2.Dst[0], mad2.Dst[0] = 11, 12
	sfu, alu := script.Op(workload.SFU, 3), script.Op(workload.Int, 4)
	for _, unit := range []string{"sfu", "fp64"} {
		spec := multiplying()
		spec.Pipes.IMul.Unit, spec.Pipes.IMad.Unit = unit, unit
		require.Equal(t, []uint64{0, 2}, issues(t, spec, mul, mul2), unit)
	}
	require.Equal(t, []uint64{0, 2, 3, 4, 8}, issues(t, multiplying(), mul, mad, mad2, sfu, mul2), "four cycles of the other")
	require.Equal(t, []uint64{0, 1}, issues(t, multiplying(), mul, alu))
	spec := multiplying()
	spec.Pipes.IMul.Unit = "alu"
	require.Equal(t, []uint64{0, 2}, issues(t, spec, mul, alu))
	require.Equal(t, []uint64{0, 1}, issues(t, spec, mul, sfu))
}

func TestMultiplicationIssuesTogetherWithAnAddition(t *testing.T) {
	mul, alu := marked(workload.Multiply, script.Op(workload.Int, 1)), script.Op(workload.Int, 4)
	spec := dualIssue()
	require.Equal(t, []uint64{0, 1}, issues(t, spec, mul, alu))
	spec.Pipes.IMul = UnitSpec{Unit: "sfu", Interval: 2, Latency: 7}
	require.Equal(t, []uint64{0, 0}, issues(t, spec, mul, alu))
}

func TestConversionsTakeTheUnitTheyAreGiven(t *testing.T) {
	convert, sfu, alu := marked(workload.Convert, script.Op(workload.SFU, 1)), script.Op(workload.SFU, 2), script.Op(workload.Int, 3)
	spec := oneScheduler()
	require.Equal(t, []uint64{0, 4}, issues(t, spec, convert, sfu), "off")
	spec.Pipes.Convert = UnitSpec{Unit: "alu", Interval: 2, Latency: 7}
	require.Equal(t, []uint64{0, 1}, issues(t, spec, convert, sfu))
	require.Equal(t, []uint64{0, 2}, issues(t, spec, convert, alu))
	require.Equal(t, multiples(20, 4), issues(t, spec, repeat(4, script.Op(workload.SFU, 1, 1))...))
	require.Equal(t, multiples(7, 4), issues(t, spec, repeat(4, marked(workload.Convert, script.Op(workload.SFU, 1, 1)))...))
	spec.Pipes.Convert.Interval = 0
	require.EqualError(t, spec.Validate(), "pipes.convert.interval is 0, must be 1 to 1023")
}

func TestMatrixProductsTakeTheUnitTheyAreGiven(t *testing.T) {
	product, sfu := script.Op(workload.Tensor, 1), script.Op(workload.SFU, 2)
	spec := oneScheduler()
	require.Equal(t, []uint64{0, 1}, issues(t, spec, product, sfu), "off")
	spec.Pipes.Matrix = UnitSpec{Unit: "sfu", Interval: 3, Latency: 7}
	require.Equal(t, []uint64{0, 3}, issues(t, spec, product, sfu))
	require.Equal(t, multiples(7, 4), issues(t, spec, repeat(4, script.Op(workload.Tensor, 1, 1))...))
	spec.Pipes.Matrix.Interval = 0
	require.EqualError(t, spec.Validate(), "pipes.matrix.interval is 0, must be 1 to 1023")
}

func TestValidateChecksMultiplications(t *testing.T) {
	for _, c := range []struct {
		spec UnitSpec
		err  string
	}{
		{UnitSpec{Unit: "lsu", Interval: 1, Latency: 1}, `unit is "lsu", must be alu, int, fp64, sfu, `},
		{UnitSpec{Unit: "sfu", Interval: 0, Latency: 1}, "interval is 0, must be 1 to 1023"},
		{UnitSpec{Unit: "sfu", Interval: 1, Latency: 1024}, "latency is 1024, must be 1 to 1023"},
	} {
		spec := testSpec()
		spec.Pipes.IMul = c.spec
		require.ErrorContains(t, spec.Validate(), "pipes.imul."+c.err)
		spec = testSpec()
		spec.Pipes.IMad = c.spec
		require.ErrorContains(t, spec.Validate(), "pipes.imad."+c.err)
	}
	spec := multiplying()
	require.NoError(t, spec.Validate())
	spec.Pipes.IMul = UnitSpec{Unit: "", Interval: 0, Latency: 7}
	require.NoError(t, spec.Validate(), "off")
}
