package barrier

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// bench is the barriers of two schedulers with four slots each.
type bench struct {
	*Unit
	signals []warps.Signals
}

func newBench() *bench {
	slots := warps.Slots{Schedulers: 2, Each: 4}
	signals := make([]warps.Signals, slots.Schedulers)
	return &bench{New(slots, signals), signals}
}

// block starts a thread block in the given slots.
func (b *bench) block(slots ...int) *Block {
	tb := &Block{}
	b.start(tb, slots...)
	return tb
}

func (b *bench) start(tb *Block, slots ...int) {
	tb.Reset(len(slots))
	for _, slot := range slots {
		b.Start(slot)
	}
}

// waiting lists the slots that wait.
func (b *bench) waiting() []int {
	slots := []int{}
	for slot := range 8 {
		if b.signals[slot/4].Waits>>(slot%4)&1 != 0 {
			slots = append(slots, slot)
		}
	}
	return slots
}

// meet is a barrier of a number at which as many warps meet, 0 for all.
func meet(id, count uint8) *workload.Inst {
	inst := script.Op(workload.Barrier, workload.NoReg)
	inst.Barrier, inst.Warps = id, count
	return &inst
}

// signal is a barrier at which a warp counts and does not wait.
func signal(id, count uint8) *workload.Inst {
	inst := meet(id, count)
	inst.Flags |= workload.Arrive
	return inst
}

func TestBarrierOpensAtTheEndOfTheCycleOfTheLastArrival(t *testing.T) {
	b := newBench()
	tb := b.block(0, 3, 5)
	b.Arrive(tb, 0, meet(0, 0))
	b.Arrive(tb, 5, meet(0, 0))
	b.Open()
	require.Equal(t, []int{0, 5}, b.waiting())
	require.Equal(t, protocol.Barrier{Arrived: 2}, tb.State[0])
	require.Equal(t, uint16(1), tb.Arrivals)
	b.Arrive(tb, 3, meet(0, 0))
	require.Equal(t, []int{0, 3, 5}, b.waiting(), "until the end of the cycle")
	b.Open()
	require.Empty(t, b.waiting())
	require.Equal(t, protocol.Barrier{Turn: 1}, tb.State[0])
	require.Zero(t, tb.Arrivals)
}

func TestBarrierOfANumberOfWarpsOpensWithThem(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2, 3)
	b.Arrive(tb, 0, meet(15, 2))
	b.Arrive(tb, 1, meet(1, 3))
	b.Open()
	require.Equal(t, []int{0, 1}, b.waiting(), "different barriers do not meet")
	require.Equal(t, uint16(1<<15|1<<1), tb.Arrivals)
	b.Arrive(tb, 2, meet(15, 2))
	b.Open()
	require.Equal(t, []int{1}, b.waiting())
	require.Equal(t, uint16(1<<1), tb.Arrivals)
}

func TestBarrierNumbersGoRound(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1)
	b.Arrive(tb, 0, meet(workload.Barriers+3, 2))
	require.Equal(t, Warp{Waits: true, At: 3}, b.Warp(0))
}

func TestArrivalOnlyCountsAndDoesNotWait(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1)
	b.Arrive(tb, 0, signal(2, 2))
	require.Empty(t, b.waiting())
	require.Equal(t, Warp{}, b.Warp(0))
	b.Arrive(tb, 1, meet(2, 2))
	require.Equal(t, []int{1}, b.waiting())
	b.Open()
	require.Empty(t, b.waiting())
}

func TestWarpWithoutAnActiveLanePassesBy(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1)
	off := meet(0, 0)
	off.Active = 0
	b.Arrive(tb, 0, off)
	require.Empty(t, b.waiting())
	require.Zero(t, tb.State[0])
	require.Zero(t, tb.Arrivals)
}

func TestWarpThatComesAfterTheLastWaitsForTheNextTurn(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2, 3)
	for _, slot := range []int{0, 1, 2} { // all in one cycle
		b.Arrive(tb, slot, meet(4, 2))
	}
	b.Open()
	require.Equal(t, []int{2}, b.waiting())
	require.Equal(t, Warp{Waits: true, At: 4, Turn: 1}, b.Warp(2))
	require.Equal(t, protocol.Barrier{Arrived: 1, Expected: 2, Turn: 1}, tb.State[4])
	b.Open()
	require.Equal(t, []int{2}, b.waiting())
	b.Arrive(tb, 0, meet(4, 2))
	b.Open()
	require.Empty(t, b.waiting())
	require.Equal(t, uint8(2), tb.State[4].Turn)
}

func TestTwoBarriersOfABlockCanOpenInOneCycle(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2, 3)
	for slot, id := range []uint8{1, 2, 1, 2} {
		b.Arrive(tb, slot, meet(id, 2))
	}
	b.Open()
	require.Empty(t, b.waiting())
}

func TestBlocksMeetApart(t *testing.T) {
	b := newBench()
	one, other := b.block(0, 1), b.block(2, 3)
	b.Arrive(one, 0, meet(0, 0))
	b.Arrive(other, 2, meet(0, 0))
	b.Arrive(other, 3, meet(0, 0))
	b.Open()
	require.Equal(t, []int{0}, b.waiting())
	b.Arrive(one, 1, meet(0, 0))
	b.Arrive(other, 2, meet(0, 0))
	b.Open()
	require.Equal(t, []int{2}, b.waiting())
}

func TestEndOfTheLastWarpToComeOpensABarrierForAll(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2)
	b.Arrive(tb, 0, meet(0, 0))
	b.Leave(tb, 1)
	b.Open()
	require.Equal(t, []int{0}, b.waiting())
	b.Leave(tb, 2)
	b.Open()
	require.Empty(t, b.waiting())
	require.Equal(t, 1, tb.Live)
}

func TestEndOfAWarpDoesNotOpenABarrierThatExpectsANumber(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1)
	b.Arrive(tb, 0, meet(3, 2))
	b.Leave(tb, 1)
	b.Open()
	require.Equal(t, []int{0}, b.waiting())
}

func TestWarpThatEndsAtABarrierForAllCountsNoMore(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2)
	b.Arrive(tb, 0, meet(0, 0))
	b.Leave(tb, 0)
	require.Zero(t, tb.State[0].Arrived)
	b.Arrive(tb, 1, meet(0, 0))
	b.Open()
	require.Contains(t, b.waiting(), 1, "two are live, and one has come")
	b.Arrive(tb, 2, meet(0, 0))
	b.Open()
	require.NotContains(t, b.waiting(), 1)
}

func TestWarpThatEndsAtABarrierThatExpectsANumberStillCounts(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2)
	b.Arrive(tb, 0, meet(0, 2))
	b.Leave(tb, 0)
	require.Equal(t, uint8(1), tb.State[0].Arrived)
	b.Arrive(tb, 1, meet(0, 2))
	b.Open()
	require.NotContains(t, b.waiting(), 1)
}

func TestLastWarpThatEndsAtItsBarrierIsNotTakenOffTheNextTurn(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1, 2)
	b.Arrive(tb, 0, meet(0, 0))
	b.Arrive(tb, 1, meet(0, 0))
	b.Arrive(tb, 2, meet(0, 0)) // the barrier's turn is over
	b.Arrive(tb, 0, signal(0, 0))
	b.Leave(tb, 2)
	require.Equal(t, uint8(1), tb.State[0].Arrived)
}

func TestSlotOfAWarpThatEndedAtABarrierIsItsNextWarps(t *testing.T) {
	b := newBench()
	old := b.block(0, 1, 2)
	b.Arrive(old, 0, meet(0, 2))
	b.Leave(old, 0)
	// Another thread block takes slot 0, and its warp waits too.
	other := b.block(0, 4)
	require.Empty(t, b.waiting())
	b.Arrive(other, 0, meet(0, 0))
	b.Arrive(old, 1, meet(0, 2)) // opens the old block's barrier
	b.Open()
	require.Equal(t, []int{0}, b.waiting(), "it waits for its own block")
	require.Equal(t, Warp{Waits: true}, b.Warp(0))
	b.Arrive(other, 4, meet(0, 0))
	b.Open()
	require.Empty(t, b.waiting())
}

func TestNewWarpOfASlotWaitsNowhere(t *testing.T) {
	b := newBench()
	tb := b.block(0, 1)
	b.Arrive(tb, 0, meet(5, 2))
	b.start(tb, 0, 1) // the block has left, another takes its place
	require.Empty(t, b.waiting())
	require.Equal(t, Warp{}, b.Warp(0))
	require.Equal(t, Block{Live: 2, waiting: []uint16{}}, *tb)
}

// moved takes a thread block off the slots of one bench and puts it into slots
// of another.
func moved(b *bench, tb *Block, from []int, to *bench, slots ...int) *Block {
	resumed := to.block(slots...)
	resumed.State, resumed.Arrivals = tb.State, tb.Arrivals
	for i, slot := range slots {
		to.Resume(resumed, slot, b.Warp(from[i]))
	}
	return resumed
}

func TestBlockThatComesBackWaitsWhereItDid(t *testing.T) {
	b, to := newBench(), newBench()
	tb := b.block(0, 1, 2, 3)
	b.Arrive(tb, 0, meet(0, 0))
	b.Arrive(tb, 1, meet(7, 2))
	back := moved(b, tb, []int{0, 1, 2, 3}, to, 4, 5, 6, 7)
	require.Equal(t, []int{4, 5}, to.waiting())
	require.Equal(t, Warp{Waits: true, At: 7}, to.Warp(5))
	to.Arrive(back, 6, meet(7, 2))
	to.Open()
	require.Equal(t, []int{4}, to.waiting(), "the arrival before the move counts")
	for _, slot := range []int{5, 6, 7} {
		to.Arrive(back, slot, meet(0, 0))
	}
	to.Open()
	require.Empty(t, to.waiting())
}

func TestBlockThatComesBackKnowsItsArrivals(t *testing.T) {
	b, to := newBench(), newBench()
	tb := b.block(0, 1)
	b.Arrive(tb, 0, meet(0, 0))
	back := moved(b, tb, []int{0, 1}, to, 2, 3)
	to.Leave(back, 3)
	to.Open()
	require.Empty(t, to.waiting(), "the end of the other opens the barrier")
}

func TestBlockThatComesBackKnowsTheTurn(t *testing.T) {
	b, to := newBench(), newBench()
	tb := b.block(0, 1, 2)
	b.Arrive(tb, 0, meet(0, 2))
	b.Arrive(tb, 1, meet(0, 2))
	b.Open()
	b.Arrive(tb, 2, meet(0, 2)) // waits for the barrier's second turn
	back := moved(b, tb, []int{0, 1, 2}, to, 1, 2, 3)
	require.Equal(t, []int{3}, to.waiting())
	// Another barrier opens.
	to.Arrive(back, 1, meet(9, 1))
	to.Open()
	require.Equal(t, []int{3}, to.waiting(), "its own has not opened again")
	to.Arrive(back, 2, meet(0, 2))
	to.Open()
	require.Empty(t, to.waiting())
}
