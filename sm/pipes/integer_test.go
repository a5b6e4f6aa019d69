package pipes

import (
	"testing"

	"cotenant/sm/tensor"
	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// withIntegers are pipes of two schedulers with integer pipes.
func withIntegers(t *testing.T, units int, integers IntSpec) *Pipes {
	t.Helper()
	pipe := PipeSpec{Interval: 2, Latency: 4, Units: 1}
	spec := Spec{ALU: PipeSpec{Interval: 2, Latency: 4, Units: units}, FP64: pipe, SFU: pipe, Tensor: pipe, Int: integers}
	require.NoError(t, spec.Validate())
	p := &Pipes{}
	p.Init(&spec, &tensor.Spec{}, 2)
	return p
}

var integer, single = workload.Inst{Class: workload.Int}, workload.Inst{Class: workload.FP32}

// taken says how many cycles a scheduler needs for instructions that issue in their order,
// one a cycle if their pipes let them.
func taken(p *Pipes, list ...*workload.Inst) (cycles int) {
	cycle := uint64(10)
	for _, inst := range list {
		for !p.CanTake(0, p.Unit(inst), cycle) {
			cycle++
		}
		p.Take(0, p.Unit(inst), inst, cycle)
		cycle++
	}
	return int(cycle - 10)
}

func TestIntegersAndSinglePrecisionOverlapOnPipesOfTheirOwn(t *testing.T) {
	for name, c := range map[string]struct {
		units    int
		integers IntSpec
		cycles   [3]int // of four integers, four single precision, and four of each in turn
	}{
		"one pipe for both":   {1, IntSpec{}, [3]int{7, 7, 15}},
		"pipes of their own":  {1, IntSpec{Interval: 2, Latency: 5}, [3]int{7, 7, 8}},
		"slow integers":       {1, IntSpec{Interval: 4, Latency: 5}, [3]int{13, 7, 14}},
		"one of two is lent":  {2, IntSpec{Interval: 2, Latency: 4, Shares: "alu-b"}, [3]int{7, 4, 8}},
		"two pipes, one more": {2, IntSpec{Interval: 2, Latency: 4}, [3]int{7, 4, 8}},
	} {
		got := [3]int{
			taken(withIntegers(t, c.units, c.integers), &integer, &integer, &integer, &integer),
			taken(withIntegers(t, c.units, c.integers), &single, &single, &single, &single),
			taken(withIntegers(t, c.units, c.integers), &integer, &single, &integer, &single, &integer, &single, &integer, &single),
		}
		require.Equal(t, c.cycles, got, name)
	}
}

// Of two pipes the first has single precision alone, so an integer waits only for the
// second, and single precision for whichever is free.
func TestLentPipeIsBusyForBoth(t *testing.T) {
	p := withIntegers(t, 2, IntSpec{Interval: 2, Latency: 4, Shares: "alu-b"})
	require.Equal(t, uint64(4), p.Take(0, warps.ALU, &single, 10))
	require.True(t, p.CanTake(0, warps.Int, 11), "single precision takes the first pipe first")
	require.Equal(t, uint64(4), p.Take(0, warps.Int, &integer, 11))
	require.False(t, p.CanTake(0, warps.Int, 12))
	require.True(t, p.CanTake(0, warps.ALU, 12), "the first pipe is free again")
	p.Take(0, warps.ALU, &single, 12)
	require.False(t, p.CanTake(0, warps.Int, 12))
	require.True(t, p.CanTake(0, warps.Int, 13))
	p.Take(0, warps.ALU, &single, 13)
	require.False(t, p.CanTake(0, warps.Int, 14), "single precision has the second pipe")
	require.True(t, p.CanTake(1, warps.Int, 14), "another scheduler has its own pipes")
}

func TestIntegerPipesAreChecked(t *testing.T) {
	pipe := PipeSpec{Interval: 2, Latency: 4, Units: 1}
	for want, change := range map[string]func(*Spec){
		"int.latency is 0, must be 1 to 1023 with an interval":                    func(s *Spec) { s.Int.Latency = 0 },
		`int.shares is "alu", must be alu-b, or empty`:                            func(s *Spec) { s.Int.Shares = "alu" },
		"int.shares is alu-b, which goes with alu.units: 2 and alu.per_sm: false": func(s *Spec) { s.Int.Shares = "alu-b" },
		"imad.unit is int, which goes with int.interval above 0":                  func(s *Spec) { s.Int, s.IMad = IntSpec{}, UnitSpec{Unit: "int", Interval: 2, Latency: 4} },
		"int.interval is 1024, must be 0 to 1023":                                 func(s *Spec) { s.Int.Interval = 1024 },
	} {
		s := Spec{ALU: pipe, FP64: pipe, SFU: pipe, Tensor: pipe, Int: IntSpec{Interval: 2, Latency: 4}}
		require.NoError(t, s.Validate())
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
}

// A multiplication that names the integer pipes has a latency of its own there.
func TestMultiplicationsCanNameTheIntegerPipes(t *testing.T) {
	pipe := PipeSpec{Interval: 2, Latency: 4, Units: 1}
	spec := Spec{ALU: pipe, FP64: pipe, SFU: pipe, Tensor: pipe, Int: IntSpec{Interval: 2, Latency: 4}, IMad: UnitSpec{Unit: "int", Interval: 3, Latency: 7}}
	require.NoError(t, spec.Validate())
	p := &Pipes{}
	p.Init(&spec, &tensor.Spec{}, 1)
	product := workload.Inst{Class: workload.Int, Flags: workload.MultiplyAdd}
	require.Equal(t, warps.Int, p.Unit(&product))
	require.Equal(t, uint64(7), p.Take(0, warps.Int, &product, 10))
	require.False(t, p.CanTake(0, warps.Int, 12))
	require.True(t, p.CanTake(0, warps.Int, 13))
	require.Equal(t, uint64(4), p.Take(0, warps.Int, &integer, 13))
}
