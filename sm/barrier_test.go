package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

var (
	meetAll = script.Op(workload.Barrier, workload.NoReg)
	step    = script.Op(workload.FP32, 1, 1) // takes 4 cycles in a chain
)

// runWarps runs a thread block with one scheduler and returns the warps.
func runWarps(t *testing.T, lists ...[]workload.Inst) []*recorder {
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
	r := runWarps(t, program(meetAll, step), program(repeat(20, step), meetAll, step))
	require.Equal(t, r[1].issued[20]+1, r[0].issued[1])
}

func TestBarrierOpensAlikeForEveryScheduler(t *testing.T) {
	for n := range 8 { // the port that goes first changes with the cycle
		spec := testSpec()
		spec.Schedulers = 4
		spec.Pipes.ALU.Latency = 3
		waits := program(meetAll, step)
		b := newBench(t, spec)
		r := b.place(0, waits, program(repeat(20+n, step), meetAll, step), waits, waits)
		b.run()
		for _, w := range []*recorder{r[0], r[2], r[3]} {
			require.Equal(t, r[1].issued[20+n]+1, w.issued[1])
		}
	}
}

func TestWarpAloneDoesNotWaitAtABarrier(t *testing.T) {
	require.Equal(t, []uint64{0, 1}, issues(t, testSpec(), meetAll, step))
}

func TestBarrierDoesNotWaitForEndedWarps(t *testing.T) {
	r := runWarps(t, program(step), program(meetAll, step), program(repeat(5, step)))
	// The last instruction of the last other warp opens it.
	require.Equal(t, r[2].issued[4]+1, r[1].issued[1])
}

func TestBarrierDoesNotWaitForWarpsWithoutInstructions(t *testing.T) {
	r := runWarps(t, nil, program(meetAll, step), nil)
	require.Equal(t, r[1].issued[0]+1, r[1].issued[1])
}

func TestWarpThatEndsWithABarrierCountsOnce(t *testing.T) {
	// Warp 0 is gone after its barrier; warp 1 still has to wait for warp 2.
	r := runWarps(t, program(meetAll), program(meetAll, step), program(repeat(20, step), meetAll, step))
	require.Equal(t, r[2].issued[20]+1, r[1].issued[1])
}

func TestBarrierAsLastInstructionOfEveryWarpEnds(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, program(meetAll), program(step, meetAll), program(meetAll, meetAll), nil)
	b.place(0, program(meetAll))
	b.run()
	require.Equal(t, uint64(2), b.kernel(0).TBsFinished)
}

func TestBarriersInALoopKeepWarpsTogether(t *testing.T) {
	loop := program(meetAll, step, meetAll, step, meetAll)
	r := runWarps(t, loop, loop, loop)
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
	b.place(0, program(meetAll, step), program(repeat(100, step), meetAll))
	other := b.place(0, program(meetAll, step), program(meetAll, step))
	b.run()
	require.Less(t, other[0].issued[1], uint64(20))
}

func TestWaitAtABarrierIsChargedAsControl(t *testing.T) {
	// With a scheduler each, the first warp's has nothing but the barrier.
	b := newBench(t, testSpec())
	r := b.place(0, program(meetAll, step), program(repeat(20, step), meetAll))
	b.run()
	fetch := uint64(2) // both wait a cycle for their first instruction
	require.Equal(t, fetch+r[1].issued[20]-r[0].issued[0], b.kernel(0).Stalls[Control])
}

// meet is a meetAll of a number at which as many warps meet, and signal is one
// at which the warp does not wait.
func meet(id, warps uint8) workload.Inst {
	inst := meetAll
	inst.Barrier, inst.Warps = id, warps
	return inst
}

// free depends on nothing.
var free = script.Op(workload.Int, 9)

func signal(id, warps uint8) workload.Inst {
	inst := meet(id, warps)
	inst.Flags |= workload.Arrive
	return inst
}

func TestBarriersOfDifferentNumbersDoNotMeet(t *testing.T) {
	r := runWarps(t,
		program(meet(1, 2), step), program(repeat(10, step), meet(1, 2), step),
		program(meet(15, 2), step), program(repeat(30, step), meet(15, 2), step))
	require.Equal(t, r[1].issued[10]+1, r[0].issued[1])
	require.Equal(t, r[3].issued[30]+1, r[2].issued[1])
}

func TestBarrierOpensWithTheWarpsThatItExpects(t *testing.T) {
	r := runWarps(t, program(meet(0, 2), step), program(repeat(10, step), meet(0, 2), step), program(repeat(50, step)))
	require.Equal(t, r[1].issued[10]+1, r[0].issued[1])
}

func TestArrivingWarpDoesNotWait(t *testing.T) {
	r := runWarps(t, program(signal(1, 2), free), program(repeat(20, step), meet(1, 2), free))
	require.Equal(t, r[0].issued[0]+1, r[0].issued[1])
	require.Equal(t, r[1].issued[20]+1, r[1].issued[21], "the other has come already")
}

func TestWaitingWarpGoesOnAtTheEdgeAfterTheArrival(t *testing.T) {
	r := runWarps(t, program(repeat(20, step), signal(1, 2), step), program(meet(1, 2), step))
	require.Equal(t, r[0].issued[20]+1, r[1].issued[1])
}

func TestArrivalOfAnEndedWarpStillCounts(t *testing.T) {
	r := runWarps(t, program(signal(1, 2)), program(meet(2, 2)), program(repeat(20, step), meet(1, 2), meet(2, 2), free))
	require.Equal(t, r[2].issued[20]+1, r[2].issued[21])
	require.Equal(t, r[2].issued[21]+1, r[2].issued[22])
}

func TestEndOfAWarpDoesNotOpenABarrierThatExpectsANumber(t *testing.T) {
	r := runWarps(t, program(meet(1, 2), step), program(step), program(repeat(20, step), meet(1, 2)))
	require.Equal(t, r[2].issued[20]+1, r[0].issued[1])
}

func TestWarpThatIsOneTooManyWaitsForTheNextTurn(t *testing.T) {
	// Four schedulers: all four warps arrive in the same cycle, two by two.
	spec := testSpec()
	spec.Schedulers = 4
	b := newBench(t, spec)
	early := program(meet(1, 3), step)
	r := b.place(0, early, early, early, early, program(repeat(20, step), meet(1, 3), step), program(repeat(30, step), meet(1, 3)))
	b.run()
	at := make(map[uint64]int)
	for _, w := range r[:4] {
		at[w.issued[1]]++
	}
	require.Equal(t, map[uint64]int{r[0].issued[0] + 1: 3, r[5].issued[30] + 1: 1}, at)
	require.Equal(t, r[5].issued[30]+1, r[4].issued[21])
}

func TestBarrierWithoutAnActiveLaneIsPassed(t *testing.T) {
	off := meetAll
	off.Active = 0
	r := runWarps(t, program(off, step), program(repeat(20, step), meetAll))
	require.Equal(t, r[0].issued[0]+1, r[0].issued[1])
}

func TestProducerAndConsumerTakeTurns(t *testing.T) {
	// Barrier 1: the buffer is full; meetAll 2: it is empty again.
	var produce, consume []workload.Inst
	for range 5 {
		produce = append(produce, program(repeat(7, step), signal(1, 2), meet(2, 2))...)
		consume = append(consume, program(meet(1, 2), repeat(3, step), signal(2, 2))...)
	}
	b := newBench(t, testSpec()) // each on a scheduler of its own
	r := b.place(0, produce, consume)
	b.run()
	for turn := range 5 {
		full, emptied := r[0].issued[9*turn+7], r[1].issued[5*turn+4]
		require.Equal(t, full+1, r[1].issued[5*turn+1])
		if turn < 4 {
			require.Equal(t, emptied+1, r[0].issued[9*turn+9])
		}
	}
}
