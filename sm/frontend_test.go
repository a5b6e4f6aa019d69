package sm

import (
	"testing"

	"cotenant/sm/frontend"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// independent lists instructions that do not wait for each other.
func independent(n int) (list []workload.Inst) {
	for i := range n {
		list = append(list, script.Op(workload.Int, uint8(i)))
	}
	return list
}

func frontEnd(depth, width, latency int) Spec {
	spec := oneScheduler()
	spec.FrontEnd = frontend.Spec{BufferDepth: depth, FetchWidth: width, FetchLatency: latency, BranchLatency: 6, Refill: frontend.RefillRoom}
	return spec
}

func TestFirstInstructionIssuesAFetchAfterPlacement(t *testing.T) {
	for _, latency := range []int{1, 2, 16} {
		b := newBench(t, frontEnd(2, 2, latency))
		r := b.place(0, independent(1))[0]
		b.run()
		// Sent at 0, placed at 1, fetched from 2 on.
		require.Equal(t, uint64(2+latency), r.issued[0])
	}
}

func TestFetchWidthBoundsInstructionsPerCycle(t *testing.T) {
	// Two arrive every cycle for two warps in turn: each gets one per cycle.
	b := newBench(t, frontEnd(4, 2, 1))
	r := b.place(0, independent(8), independent(8))
	b.run()
	require.Equal(t, multiples(1, 16), relative(append(r[0].issued, r[1].issued...), r[0].issued[0]))
	// One arrives every cycle for two warps in turn.
	b = newBench(t, frontEnd(4, 1, 1))
	r = b.place(0, independent(4), independent(4))
	b.run()
	require.Equal(t, []uint64{0, 2, 4, 6}, relative(r[0].issued, r[0].issued[0]))
	require.Equal(t, []uint64{1, 3, 5, 7}, relative(r[1].issued, r[0].issued[0]))
}

func TestBufferDepthBoundsInstructionsOnTheirWay(t *testing.T) {
	// With a latency of 4 a buffer of 2 is refilled every 4 cycles at best.
	require.Equal(t, []uint64{0, 1, 4, 5, 8, 9}, issues(t, frontEnd(2, 2, 4), independent(6)...))
	require.Equal(t, []uint64{0, 4, 8, 12}, issues(t, frontEnd(1, 2, 4), independent(4)...))
	// A buffer of 5 covers it.
	require.Equal(t, multiples(1, 12), issues(t, frontEnd(5, 1, 4), independent(12)...))
}

func TestEmptyBufferIsChargedAsControl(t *testing.T) {
	b := newBench(t, frontEnd(1, 1, 4))
	b.place(0, independent(4))
	b.run()
	// The first fetch is at the edge after placement.
	require.Equal(t, uint64(1+3+3*3), b.kernel(0).Stalls[Control])
}

func TestTakenBranchCostsItsLatencyAndAFetch(t *testing.T) {
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	for _, latency := range []int{1, 5} {
		require.Equal(t, []uint64{0, uint64(6 + latency)}, issues(t, frontEnd(2, 2, latency), branch, script.Op(workload.Int, 1)))
	}
}

func TestBranchNotTakenCostsNothing(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, frontEnd(2, 2, 1), script.Op(workload.Branch, workload.NoReg), script.Op(workload.Int, 1)))
}

func TestFetchFromBeforeABranchDoesNotReachTheBuffer(t *testing.T) {
	// When the branch issues, the next fetch is on its way; were it to count,
	// what follows would issue before the branch resolves.
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	require.Equal(t, []uint64{0, 1, 1 + 6 + 3}, issues(t, frontEnd(4, 2, 3), script.Op(workload.Int, 1), branch, script.Op(workload.Int, 2)))
}

func TestFetchForAnEndedWarpDoesNotReachTheNextOneInItsSlot(t *testing.T) {
	spec := frontEnd(8, 8, 16)
	spec.Threads = 32
	nops := repeat(9, script.Op(workload.Nop, workload.NoReg)) // the slot is free with the last
	alone := issuesOf(t, spec, independent(2))
	// The warp before ends with fetches on their way; its successor takes the
	// slot while they are.
	b := newBench(t, spec)
	b.place(0, nops)
	second := b.place(0, independent(2))[0]
	b.chain()
	placed := b.run()[0] + 1 // sent with the report, seen an edge later
	require.Equal(t, alone[0]-1, second.issued[0]-placed)
}

// issuesOf is the cycles at which a lone warp's instructions issue.
func issuesOf(t *testing.T, spec Spec, list []workload.Inst) []uint64 {
	b := newBench(t, spec)
	r := b.place(0, list)[0]
	b.run()
	return r.issued
}

func TestBranchAsLastInstructionEndsTheWarp(t *testing.T) {
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	require.Equal(t, []uint64{0}, issues(t, testSpec(), branch))
}

func TestSharedFetchUnitLetsTheSMIssueWhatItBrings(t *testing.T) {
	// Two warps on each of two schedulers: alone each scheduler would issue every
	// cycle, and what one fetch unit brings in four cycles lasts for four issues.
	spec := frontEnd(1, 1, 1)
	spec.Schedulers = 2
	count := func(perSM bool) int {
		spec.FrontEnd.PerSM = perSM
		b := newBench(t, spec)
		r := b.place(0, independent(20), independent(20), independent(20), independent(20))
		b.run()
		first, last := r[0].issued[0], uint64(0)
		for _, w := range r {
			first, last = min(first, w.issued[0]), max(last, w.issued[19])
		}
		return int(last - first + 1)
	}
	require.Equal(t, 40, count(false))
	require.Equal(t, 80, count(true))
}

func TestBufferThatIsRefilledWhenEmptyIssuesInBursts(t *testing.T) {
	spec := frontEnd(2, 2, 2)
	spec.FrontEnd.Refill = frontend.RefillEmpty
	// The last of two issues at 1, and the fetch of that cycle arrives at 3.
	require.Equal(t, []uint64{0, 1, 3, 4, 6, 7}, issues(t, spec, independent(6)...))
}

func TestSharedFetchUnitGoesOnAfterASleep(t *testing.T) {
	spec := frontEnd(2, 2, 2)
	spec.FrontEnd.PerSM, spec.FrontEnd.Refill = true, frontend.RefillEmpty
	require.Equal(t, []uint64{0, missToUse, missToUse + 2}, issues(t, spec, load(1, 0), use(1), use(2)))
}
