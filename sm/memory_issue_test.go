package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// onTwo runs lists on two schedulers and returns the cycles at which the first
// and the second issue, from the first issue of all.
func onTwo(t *testing.T, spec Spec, first, second []workload.Inst) (a, b []uint64, m *bench) {
	m = newBench(t, spec)
	r := m.place(0, first, second)
	m.run()
	start := min(r[0].issued[0], r[1].issued[0])
	return relative(r[0].issued, start), relative(r[1].issued, start), m
}

func TestSchedulersIssueOneMemoryInstructionACycle(t *testing.T) {
	spec := testSpec()
	loads := program(load(1, 0), load(2, 0), load(3, 0))
	a, b, _ := onTwo(t, spec, loads, loads)
	require.Equal(t, [][]uint64{{0, 1, 2}, {0, 1, 2}}, [][]uint64{a, b})
	spec.Pipes.MemoryIssuePerSM = true
	a, b, m := onTwo(t, spec, loads, loads)
	// They take turns.
	require.ElementsMatch(t, multiples(1, 6), append(a, b...))
	require.Equal(t, uint64(5), m.kernel(0).Stalls[LSUFull], "for all but the last the other has to wait")
}

func TestArithmeticIssuesBesideTheMemoryInstruction(t *testing.T) {
	spec := testSpec()
	spec.Pipes.MemoryIssuePerSM = true
	a, b, _ := onTwo(t, spec, program(load(1, 0), load(2, 0)), independent(2))
	require.Equal(t, [][]uint64{{0, 1}, {0, 1}}, [][]uint64{a, b})
}

func TestMemoryInstructionWithoutALaneTakesTheIssueTurn(t *testing.T) {
	spec := testSpec()
	spec.Pipes.MemoryIssuePerSM = true
	idle := load(1, 0)
	idle.Active = 0
	a, b, _ := onTwo(t, spec, program(idle), program(idle))
	require.ElementsMatch(t, []uint64{0, 1}, append(a, b...))
}

func TestSecondInstructionOfAWarpWaitsForTheMemoryTurn(t *testing.T) {
	spec := testSpec()
	spec.IssueWidth = 2
	pair := program(script.Op(workload.Int, 1), load(2, 0))
	a, b, _ := onTwo(t, spec, pair, pair)
	require.Equal(t, [][]uint64{{0, 0}, {0, 0}}, [][]uint64{a, b})
	spec.Pipes.MemoryIssuePerSM = true
	a, b, _ = onTwo(t, spec, pair, pair)
	require.ElementsMatch(t, []uint64{0, 0, 0, 1}, append(a, b...))
}
