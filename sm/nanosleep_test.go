package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// nap is a nanosleep of a time; the bench's clock has a cycle each nanosecond.
func nap(nanoseconds uint64) workload.Inst {
	inst := script.Op(workload.Nop, workload.NoReg)
	inst.Space, inst.Base = workload.Time, nanoseconds
	return inst
}

func TestASleepingWarpIssuesNothingBeforeItsTimeIsOver(t *testing.T) {
	spec := testSpec()
	step, other := script.Op(workload.Int, 1), script.Op(workload.Int, 2)
	for _, ns := range []uint64{1, 2, 10, 63, 64, 1000, 5000, 300_000} {
		require.Equal(t, []uint64{0, ns, ns + 1}, issues(t, spec, nap(ns), step, other), "%d ns", ns)
	}
	require.Equal(t, []uint64{0, 700, 2000}, issues(t, spec, nap(700), nap(1300), step))
	idle := nap(1000)
	idle.Active = 0
	require.Equal(t, []uint64{0, 1}, issues(t, spec, idle, step), "no lane sleeps")
}

func TestOthersIssueWhileAWarpSleeps(t *testing.T) {
	b := newBench(t, oneScheduler())
	step := script.Op(workload.Int, 1)
	r := b.place(0, program(nap(500), step), independent(40), program(nap(200), step))
	b.run()
	require.Equal(t, r[0].issued[0]+500, r[0].issued[1])
	require.Equal(t, r[2].issued[0]+200, r[2].issued[1])
	require.Less(t, r[1].issued[39], uint64(150))
}

// A thread block that leaves does not wait for a warp to wake, and does not sleep on when
// it is back.
func TestASleepingWarpCanBeEvicted(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, append([]workload.Inst{nap(100_000)}, alu(5)...))
	e := b.preEng(evict(1, 60))
	b.RunTo(100)
	require.Len(t, e.evicted(), 1)
	requireAtRest(t, b.sm)
	e.back(b, 150)
	b.RunTo(400)
	require.Equal(t, uint64(6), b.kernel(0).WarpInstructions)
}

// Cycles of a sleeping warp alone are nobody's stall but the program's.
func TestSleepIsChargedToControl(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, program(nap(1000), script.Op(workload.Int, 1)))
	b.run()
	require.GreaterOrEqual(t, b.kernel(0).Stalls.ByName()["control"], uint64(999))
}
