package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// some lists n instructions of a class that do not wait for each other.
func some(class workload.Class, n int) (list []workload.Inst) {
	for i := range n {
		list = append(list, script.Op(class, uint8(i)))
	}
	return list
}

func TestSeveralPipesTakeAnInstructionEachInAnInterval(t *testing.T) {
	spec := oneScheduler() // an SFU instruction takes a pipe for 4 cycles
	spec.Pipes.SFU.Units = 2
	require.Equal(t, []uint64{0, 1, 4, 5, 8}, issues(t, spec, some(workload.SFU, 5)...))
	spec.Pipes.SFU.Units = 3
	require.Equal(t, []uint64{0, 1, 2, 4, 5, 6}, issues(t, spec, some(workload.SFU, 6)...))
	spec.Pipes.SFU.Units = 4
	require.Equal(t, multiples(1, 9), issues(t, spec, some(workload.SFU, 9)...))
}

func TestPipeThatIsFreeFirstTakesTheNext(t *testing.T) {
	spec := oneScheduler()
	spec.Pipes.SFU.Units = 2
	spec.Pipes.IMul = UnitSpec{Unit: "sfu", Interval: 7, Latency: 7}
	list := some(workload.SFU, 5)
	list[0] = marked(workload.Multiply, script.Op(workload.Int, 9))
	// The first instruction takes a pipe up to 7, and all further ones take turns on the
	// second pipe.
	require.Equal(t, []uint64{0, 1, 5, 7, 9}, issues(t, spec, list...))
}

// sharedPipes runs as many SFU instructions on each of two schedulers and returns
// the cycles at which they issue.
func sharedPipes(t *testing.T, units int, perSM bool) (cycles []uint64) {
	spec := testSpec()
	spec.Pipes.SFU.Units, spec.Pipes.SFU.PerSM = units, perSM
	b := newBench(t, spec)
	r := b.place(0, some(workload.SFU, 3), some(workload.SFU, 3))
	b.run()
	counts := map[uint64]int{}
	first, last := min(r[0].issued[0], r[1].issued[0]), max(r[0].issued[2], r[1].issued[2])
	for _, w := range r {
		for _, c := range w.issued {
			counts[c]++
		}
	}
	for c := first; c <= last; c++ {
		for range counts[c] {
			cycles = append(cycles, c-first)
		}
	}
	return cycles
}

func TestSchedulersShareThePipesOfTheSM(t *testing.T) {
	require.Equal(t, []uint64{0, 4, 8, 12, 16, 20}, sharedPipes(t, 1, true))
	require.Equal(t, []uint64{0, 0, 4, 4, 8, 8}, sharedPipes(t, 2, true))
	require.Equal(t, []uint64{0, 0, 1, 4, 4, 5}, sharedPipes(t, 3, true))
	require.Equal(t, []uint64{0, 0, 4, 4, 8, 8}, sharedPipes(t, 1, false))
	require.Equal(t, []uint64{0, 0, 1, 1, 4, 4}, sharedPipes(t, 2, false))
}

func TestTwoInstructionsGoToTwoPipesOfOneKind(t *testing.T) {
	spec := dualIssue()
	spec.IssueSameUnit = true
	alu := []workload.Inst{script.Op(workload.Int, 1), script.Op(workload.FP32, 2), script.Op(workload.Int, 3), script.Op(workload.Int, 4)}
	require.Equal(t, []uint64{0, 1, 2, 3}, issues(t, spec, alu...), "one pipe")
	spec.Pipes.ALU.Units = 2
	require.Equal(t, []uint64{0, 0, 1, 1}, issues(t, spec, alu...))
	spec.IssueSameUnit = false
	require.Equal(t, []uint64{0, 1, 2, 3}, issues(t, spec, alu...), "off")
}

func TestSecondPipeMustBeFree(t *testing.T) {
	spec := dualIssue()
	spec.IssueSameUnit, spec.Pipes.SFU.Units = true, 3
	require.Equal(t, []uint64{0, 0, 1, 4, 4}, issues(t, spec, some(workload.SFU, 5)...))
}

func TestOnlyArithmeticInstructionsPairWithTheirOwnKind(t *testing.T) {
	spec := dualIssue()
	spec.IssueSameUnit = true
	require.Equal(t, []uint64{0, 1}, issues(t, spec, load(1, 0), load(2, 0)))
	require.Equal(t, []uint64{0, 1}, issues(t, spec, repeat(2, script.Op(workload.Nop, workload.NoReg))...))
}
