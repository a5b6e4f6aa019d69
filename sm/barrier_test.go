package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

var (
	barrier = script.Op(workload.Barrier, workload.NoReg)
	step    = script.Op(workload.FP32, 1, 1) // takes 4 cycles in a chain
)

// warps runs a thread block with one scheduler and returns the warps.
func warps(t *testing.T, lists ...[]workload.Inst) []*recorder {
	b := newBench(t, oneScheduler())
	r := b.place(0, lists...)
	b.run()
	return r
}

func program(insts ...any) (list []workload.Inst) {
	for _, i := range insts {
		switch i := i.(type) {
		case workload.Inst:
			list = append(list, i)
		case []workload.Inst:
			list = append(list, i...)
		}
	}
	return list
}

func TestBarrierOpensAtTheEdgeAfterTheLastArrival(t *testing.T) {
	r := warps(t, program(barrier, step), program(repeat(20, step), barrier, step))
	require.Equal(t, r[1].issued[20]+1, r[0].issued[1])
}

func TestBarrierOpensAlikeForEveryScheduler(t *testing.T) {
	for n := range 8 { // the port that goes first changes with the cycle
		spec := testSpec()
		spec.Schedulers = 4
		spec.Pipes.ALU.Latency = 3
		waits := program(barrier, step)
		b := newBench(t, spec)
		r := b.place(0, waits, program(repeat(20+n, step), barrier, step), waits, waits)
		b.run()
		for _, w := range []*recorder{r[0], r[2], r[3]} {
			require.Equal(t, r[1].issued[20+n]+1, w.issued[1])
		}
	}
}

func TestWarpAloneDoesNotWaitAtABarrier(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, testSpec(), barrier, step))
}

func TestBarrierDoesNotWaitForEndedWarps(t *testing.T) {
	r := warps(t, program(step), program(barrier, step), program(repeat(5, step)))
	// The last instruction of the last other warp opens it.
	require.Equal(t, r[2].issued[4]+1, r[1].issued[1])
}

func TestBarrierDoesNotWaitForWarpsWithoutInstructions(t *testing.T) {
	r := warps(t, nil, program(barrier, step), nil)
	require.Equal(t, r[1].issued[0]+1, r[1].issued[1])
}

func TestWarpThatEndsWithABarrierCountsOnce(t *testing.T) {
	// Warp 0 is gone after its barrier; warp 1 still has to wait for warp 2.
	r := warps(t, program(barrier), program(barrier, step), program(repeat(20, step), barrier, step))
	require.Equal(t, r[2].issued[20]+1, r[1].issued[1])
}

func TestBarrierAsLastInstructionOfEveryWarpEnds(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, program(barrier), program(step, barrier), program(barrier, barrier), nil)
	b.place(0, program(barrier))
	b.run()
	require.Equal(t, uint64(2), b.kernel(0).TBsFinished)
}

func TestBarriersInALoopKeepWarpsTogether(t *testing.T) {
	loop := program(barrier, step, barrier, step, barrier)
	r := warps(t, loop, loop, loop)
	for phase := range 2 {
		for _, late := range r {
			for _, early := range r {
				require.Less(t, late.issued[2*phase], early.issued[2*phase+1])
			}
		}
	}
}

func TestBarrierHoldsOneThreadBlockOnly(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, program(barrier, step), program(repeat(100, step), barrier))
	other := b.place(0, program(barrier, step), program(barrier, step))
	b.run()
	require.Less(t, other[0].issued[1], uint64(20))
}

func TestWaitAtABarrierIsChargedAsControl(t *testing.T) {
	// With a scheduler each, the first warp's has nothing but the barrier.
	b := newBench(t, testSpec())
	r := b.place(0, program(barrier, step), program(repeat(20, step), barrier))
	b.run()
	fetch := uint64(2) // both wait a cycle for their first instruction
	require.Equal(t, fetch+r[1].issued[20]-r[0].issued[0], b.kernel(0).Stalls[Control])
}
