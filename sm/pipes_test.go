package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// multiples lists 0, n, 2n, ...
func multiples(n uint64, count int) []uint64 {
	list := make([]uint64, count)
	for i := range list {
		list[i] = uint64(i) * n
	}
	return list
}

func TestDependentInstructionIssuesExactlyTheLatencyLater(t *testing.T) {
	spec := testSpec()
	spec.Pipes.FP64.Latency = 18
	for class, latency := range map[workload.Class]uint64{workload.Int: 4, workload.FP32: 4, workload.FP64: 18,
		workload.SFU: 20, workload.Tensor: 16, workload.Constant: 8} {
		require.Equal(t, multiples(latency, 6), issues(t, spec, repeat(6, script.Op(class, 1, 1))...), "%v", class)
	}
}

func TestPipeTakesOneInstructionPerInterval(t *testing.T) {
	for class, interval := range map[workload.Class]uint64{workload.Int: 1, workload.FP32: 1, workload.FP64: 16,
		workload.SFU: 4, workload.Tensor: 2, workload.Constant: 1} {
		var list []workload.Inst
		for i := range 6 {
			list = append(list, script.Op(class, uint8(i)))
		}
		require.Equal(t, multiples(interval, 6), issues(t, testSpec(), list...), "%v", class)
	}
}

func TestIntervalLongerThanLatencyHoldsADependentBack(t *testing.T) {
	// FP64 of testSpec: interval 16, latency 8.
	require.Equal(t, []uint64{0, 16}, issues(t, testSpec(), repeat(2, script.Op(workload.FP64, 1, 1))...))
	require.Equal(t, []uint64{0, 8}, issues(t, testSpec(), script.Op(workload.FP64, 1), script.Op(workload.Int, 2, 1)))
}

func TestReadAfterWriteWaitsForEveryRegister(t *testing.T) {
	pair := script.Op(workload.SFU, 1)
	pair.Dst[1] = 2
	for _, source := range []uint8{1, 2} {
		require.Equal(t, []uint64{0, 20}, issues(t, testSpec(), pair, script.Op(workload.Int, 9, 5, 6, source)))
	}
}

func TestWriteAfterWriteWaits(t *testing.T) {
	require.Equal(t, []uint64{0, 20}, issues(t, testSpec(), script.Op(workload.SFU, 1), script.Op(workload.Int, 1)))
}

func TestWriteAfterReadDoesNotWait(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, testSpec(), script.Op(workload.SFU, 1, 2), script.Op(workload.Int, 2)))
}

func TestHighestRegistersAreTracked(t *testing.T) {
	for _, r := range []uint8{0, 63, 64, 127, 128, 254} {
		require.Equal(t, []uint64{0, 20}, issues(t, testSpec(), script.Op(workload.SFU, r), script.Op(workload.Int, 9, r)), "%d", r)
	}
}

func TestZeroRegisterCarriesNoDependence(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, testSpec(), script.Op(workload.SFU, workload.NoReg), script.Op(workload.Int, 9, workload.NoReg)))
}

func TestRegistersOfOneWarpDoNotHoldAnother(t *testing.T) {
	b := newBench(t, oneScheduler())
	r := b.place(0, []workload.Inst{script.Op(workload.SFU, 1)}, []workload.Inst{script.Op(workload.Int, 2, 1)})
	b.run()
	require.Equal(t, uint64(1), r[1].issued[0]-r[0].issued[0])
}

func TestBranchWaitsForItsPredicate(t *testing.T) {
	require.Equal(t, []uint64{0, 4}, issues(t, testSpec(), script.Op(workload.Int, 1), script.Op(workload.Branch, workload.NoReg, 1)))
}

func TestMemoryInstructionWithoutALanePassesThroughLikeAnALUOne(t *testing.T) {
	load := script.Access(workload.Load, workload.Global, 0, 4, 4, 1)
	load.Active = 0
	b := newBench(t, testSpec())
	r := b.place(0, []workload.Inst{load, script.Op(workload.Int, 2, 1)})[0]
	b.run()
	require.Equal(t, []uint64{0, 4}, relative(r.issued, r.issued[0]))
	require.Empty(t, b.memory.seen)
}

// sfuPair runs an SFU instruction on each of two schedulers and returns the
// cycles between them.
func sfuPair(t *testing.T, perSM bool) uint64 {
	spec := testSpec()
	spec.Pipes.SFU.PerSM = perSM
	b := newBench(t, spec)
	sfu := []workload.Inst{script.Op(workload.SFU, 1)}
	r := b.place(0, sfu, sfu)
	b.run()
	first, second := r[0].issued[0], r[1].issued[0]
	return max(first, second) - min(first, second)
}

func TestSchedulersHaveAPipeEach(t *testing.T) { require.Zero(t, sfuPair(t, false)) }

func TestSharedPipeServesOneSchedulerAtATime(t *testing.T) {
	require.Equal(t, uint64(4), sfuPair(t, true))
}

func TestSharedPipeIsSharedFairly(t *testing.T) {
	spec := testSpec()
	spec.Pipes.FP64.PerSM = true
	spec.Pipes.FP64.Interval = 3
	b := newBench(t, spec)
	var list []workload.Inst
	for i := range 40 {
		list = append(list, script.Op(workload.FP64, uint8(i)))
	}
	r := b.place(0, list, list)
	b.run()
	require.InDelta(t, r[0].issued[39], r[1].issued[39], 3)
}

func dualIssue() Spec {
	spec := oneScheduler()
	spec.IssueWidth = 2
	spec.FrontEnd.BufferDepth = 8
	spec.FrontEnd.FetchWidth = 8
	return spec
}

func TestTwoInstructionsForDifferentUnitsIssueTogether(t *testing.T) {
	require.Equal(t, []uint64{0, 0, 1, 1}, issues(t, dualIssue(), script.Op(workload.Int, 1), script.Op(workload.SFU, 2),
		script.Op(workload.Int, 3), script.Access(workload.Load, workload.Shared, 0, 4, 4, 4)))
}

func TestTwoInstructionsForOneUnitDoNotIssueTogether(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, dualIssue(), script.Op(workload.Int, 1), script.Op(workload.FP32, 2)))
	require.Equal(t, []uint64{0, 1}, issues(t, dualIssue(), load(1, 0), load(2, 0)))
	require.Equal(t, []uint64{0, 1}, issues(t, dualIssue(), repeat(2, script.Op(workload.Nop, workload.NoReg))...))
}

func TestDependentInstructionsDoNotIssueTogether(t *testing.T) {
	require.Equal(t, []uint64{0, 4}, issues(t, dualIssue(), script.Op(workload.Int, 1), script.Op(workload.SFU, 2, 1)))
}

func TestSecondInstructionWaitsForItsPipe(t *testing.T) {
	require.Equal(t, []uint64{0, 0, 4}, issues(t, dualIssue(), script.Op(workload.Int, 1), script.Op(workload.SFU, 2),
		script.Op(workload.SFU, 3)))
	require.Equal(t, []uint64{0, 0, 1, 4}, issues(t, dualIssue(), script.Op(workload.Int, 1), script.Op(workload.SFU, 2),
		script.Op(workload.Int, 3), script.Op(workload.SFU, 4)))
}

func TestNothingIssuesTogetherWithATakenBranch(t *testing.T) {
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	require.Equal(t, []uint64{0, 0, 7}, issues(t, dualIssue(), script.Op(workload.Int, 1), branch, script.Op(workload.Int, 2)))
	require.Equal(t, []uint64{0, 7}, issues(t, dualIssue(), branch, script.Op(workload.Int, 2)))
}

func TestDualIssueChargesOneCycle(t *testing.T) {
	b := newBench(t, dualIssue())
	b.place(0, []workload.Inst{script.Op(workload.Int, 1), script.Op(workload.SFU, 2)})
	b.run()
	require.Equal(t, uint64(2), b.kernel(0).WarpInstructions)
	require.Equal(t, uint64(1), b.kernel(0).Stalls[Issued])
}

func TestReadyWarpWithoutAPipeIsChargedAsPipeFull(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, []workload.Inst{script.Op(workload.FP64, 1), script.Op(workload.FP64, 2)})
	b.run()
	require.Equal(t, uint64(15), b.kernel(0).Stalls[PipeFull])
}

func TestWaitForAShortResultIsChargedAsRAWOther(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, []workload.Inst{script.Op(workload.SFU, 1), script.Op(workload.Int, 2, 1)})
	b.run()
	require.Equal(t, uint64(19), b.kernel(0).Stalls[RAWOther])
}

func TestThreadInstructionsCountActiveLanes(t *testing.T) {
	b := newBench(t, oneScheduler())
	part := script.Op(workload.Int, 1)
	part.Active = 0xff
	none := script.Op(workload.Int, 2)
	none.Active = 0
	b.place(0, []workload.Inst{part, none, script.Op(workload.Int, 3)})
	b.run()
	require.Equal(t, uint64(3), b.kernel(0).WarpInstructions)
	require.Equal(t, uint64(8+32), b.kernel(0).ThreadInstructions)
}

func TestOverwriteOfALoadsRegisterIsChargedAsRAWLong(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, []workload.Inst{load(1, 0), script.Op(workload.Int, 1)})
	b.run()
	require.Equal(t, uint64(missToUse-1), b.kernel(0).Stalls[RAWLong])
}

func TestRegisterIsShortAgainAfterItsLoad(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, []workload.Inst{load(1, 0), use(1), load(5, 1<<20), script.Op(workload.SFU, 1), use(1)})
	b.run()
	require.Equal(t, uint64(missToUse-1), b.kernel(0).Stalls[RAWLong])
	require.Equal(t, uint64(19), b.kernel(0).Stalls[RAWOther])
}

func TestWarpThatWaitsForMemoryYieldsItsActivePlace(t *testing.T) {
	spec := oneScheduler()
	spec.Scheduler = "2lvl-1"
	b := newBench(t, spec)
	r := b.place(0, program(load(1, 0), use(1)), independent(200))
	b.run()
	// The second warp has taken the only place and never stalls.
	require.Equal(t, r[1].issued[199]+1, r[0].issued[1])
}
