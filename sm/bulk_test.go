package sm

import (
	"testing"

	"cotenant/sm/hot"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// bulkCopy is a bulk copy of a number of lanes with 16 bytes each, from an address on, to an mbarrier.
func bulkCopy(base uint64, lanes int, number uint8) workload.Inst {
	inst := script.Access(workload.Copy, workload.Global, base, 16, 16, workload.NoReg)
	inst.Active, inst.Width, inst.Warps, inst.Barrier = uint32(1<<lanes-1), 1, 1, number
	return inst
}

func phaseWait(number uint8, flags workload.Flags) workload.Inst {
	inst := script.Op(workload.Await, workload.NoReg)
	inst.Warps, inst.Barrier, inst.Flags = workload.PhaseWaits, number, flags
	return inst
}

// arrival is an arrival at an mbarrier.
func arrival(number uint8) workload.Inst {
	inst := script.Access(workload.Reduction, workload.Shared, 0, 0, 8, workload.NoReg)
	inst.Active, inst.Warps, inst.Barrier = 1, 1, number
	return inst
}

// A bulk copy of a line takes as long as a copy of it that no L1 serves, and the unit's latency.
func TestABulkCopyTakesTheTimeOfACopyAndTheLatencyOfItsUnit(t *testing.T) {
	plain := past(line)
	want := issues(t, testSpec(), plain, commits(), awaits(0))[2]
	for _, latency := range []int{0, 105} {
		spec := testSpec()
		spec.TMA.Latency = latency
		at := issues(t, spec, bulkCopy(0, 8, 3), script.Op(workload.Int, 1), phaseWait(4, 0), phaseWait(3, 0))
		require.Equal(t, []uint64{0, 1, 2, want + uint64(latency)}, at)
	}
}

// Copies of 512 bytes each go behind each other, 128 bytes a cycle.
func TestBulkCopiesFollowEachOther(t *testing.T) {
	one := issues(t, testSpec(), bulkCopy(0, 32, 3), phaseWait(3, 0))[1]
	two := issues(t, testSpec(), bulkCopy(0, 32, 3), bulkCopy(1<<16, 32, 3), phaseWait(3, 0))[2]
	require.Equal(t, one+4, two)
}

// A bulk copy from shared memory has groups of its own.
func TestBulkStoresHaveGroups(t *testing.T) {
	store := bulkCopy(0, 8, 0)
	store.Class = workload.Store
	bulk := func(inst workload.Inst) workload.Inst {
		inst.Warps = workload.BulkGroups
		return inst
	}
	at := issues(t, testSpec(), store, bulk(commits()), bulk(awaits(1)), awaits(0), bulk(awaits(0)))
	require.Equal(t, []uint64{0, 1, 2, 3}, at[:4])
	require.Greater(t, at[4], uint64(memoryLatency))
}

// A warp that has found a phase going on waits for the other warp's arrival, and a thread block ends with its
// bulk copies.
func TestAWarpWaitsForAnArrivalAtAnMBarrier(t *testing.T) {
	b := newBench(t, testSpec())
	list := make([]workload.Inst, 0, 60)
	for range 50 {
		list = append(list, script.Op(workload.Int, 1))
	}
	r := b.place(0, []workload.Inst{phaseWait(3, workload.Unmet), script.Op(workload.Int, 1)},
		append(list, arrival(4), script.Op(workload.Int, 1), arrival(3), bulkCopy(0, 8, 9)))
	b.run()
	arrived := r[1].issued[52]
	require.Equal(t, []uint64{arrived + 1, arrived + 2}, r[0].issued)
	require.Zero(t, b.sm.lsu.InFlight())
}

// Each cycle of a wait for a phase is charged to it alone, to the cycle: no other warp is there.
func TestAWaitForAnMBarrierIsChargedToItsOwnCause(t *testing.T) {
	b := newBench(t, testSpec())
	lines := hot.New(false)
	b.sm.CountLines(lines)
	r := b.place(0, []workload.Inst{bulkCopy(0, 8, 3), script.Op(workload.Int, 1), phaseWait(3, 0)})[0]
	b.run()
	k := b.kernel(0)
	require.Equal(t, r.issued[2]-r.issued[1]-1, k.Stalls[MBarrierWait])
	require.Greater(t, k.Stalls[MBarrierWait], uint64(memoryLatency))
	require.Zero(t, k.Stalls[AsyncWait]+k.Stalls[RAWLong])
	sum := uint64(0)
	for _, row := range lines.Rows() {
		sum += row.Stalls[MBarrierWait]
	}
	require.Equal(t, k.Stalls[MBarrierWait], sum)
}

// A cycle in which one warp waits for copies and another for an mbarrier is the copies'.
func TestCopiesAreNearerToAnIssueThanAnMBarrier(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.memory.latency = 500
	r := b.place(0, []workload.Inst{phaseWait(3, workload.Unmet), script.Op(workload.Int, 1)},
		[]workload.Inst{line, commits(), awaits(0), script.Op(workload.Int, 1), script.Op(workload.Int, 1, 1), arrival(3)})
	b.run()
	k := b.kernel(0)
	copied := r[1].issued[2]
	require.Equal(t, copied-r[1].issued[1]-1, k.Stalls[AsyncWait])
	require.Equal(t, uint64(1), k.Stalls[MBarrierWait], "the other warp has no instruction yet; later it waits for something shorter")
	require.Positive(t, k.Stalls[RAWOther])
}

// A warp whose phase never ends looks again after a time.
func TestAWarpIsSuspendedForALimitedTime(t *testing.T) {
	spec := testSpec()
	spec.TMA.Suspend = 300
	require.Equal(t, []uint64{0, 300, 301}, issues(t, spec, script.Op(workload.Int, 1), phaseWait(3, workload.Unmet), script.Op(workload.Int, 2)))
}
