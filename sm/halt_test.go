package sm

import (
	"fmt"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// variants are all orders of the issue queue with the schemes that go with each.
func variants() (list []Spec) {
	for _, order := range []string{"out-of-order", "in-order", "in-order-commit", "in-order-both"} {
		for _, scheme := range schemes {
			spec := queuedSpec(scheme, 2)
			spec.Queue.Order = order
			if spec.Queue.Validate(scheme) == nil {
				list = append(list, spec)
			}
		}
	}
	return list
}

// halted halts the SM and evicts the first thread block at a cycle, and lets the SM go
// on and brings the thread block back once it has left.
func (b *bench) halted(at uint64) preEng {
	e := b.preEng(rig.At[sim.Msg](at, &protocol.Halt{On: true}), evict(1, at))
	e.Width = 2
	e.Answer = func(cycle uint64, m sim.Msg) {
		if left, ok := m.(*protocol.TBEvicted); ok {
			e.Send(cycle, &protocol.Halt{})
			if left.Context != nil {
				e.Send(cycle+50, &protocol.PlaceTB{TB: b.placed[0].TB, Serial: 2, Context: left.Context, Demand: b.placed[0].Demand})
			}
		}
	}
	return e
}

// shortAndLong is a chain of special functions, beside products and sums that need not wait
// for it, so that younger instructions complete before older ones issue.
func shortAndLong() (list []workload.Inst) {
	for i := range 19 {
		r := uint8(10 + i%40)
		list = append(list, script.Op(workload.SFU, 1, 1), script.Op(workload.FP32, r, 1), script.Op(workload.Int, r+50))
	}
	return list
}

func TestThreadBlockDrainsFromAHaltedSM(t *testing.T) {
	for _, spec := range variants() {
		for _, faults := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,%s,faults=%v", spec.Queue.Order, spec.Faults.Scheme, faults), func(t *testing.T) {
				for at := uint64(5); at < 120; at++ {
					b := newBench(t, spec)
					list := shortAndLong()
					if faults {
						b.migrates(300)
						list = program(shortAndLong()[:6], load(3, 0), shortAndLong())
					}
					r := b.place(0, list, list)
					e := b.halted(at)
					b.Run()
					require.Len(t, e.evicted(), 1, "at %d", at)
					require.Len(t, r[0].issued, len(list), "at %d", at)
					require.Len(t, r[1].issued, len(list), "at %d", at)
					requireQueueAtRest(t, b.sm)
				}
			})
		}
	}
}

// The data of both loads come in one cycle, so that both sums, the warps' last
// instructions, commit at the next edge: neither warp is part of a context.
func TestWarpsThatEndAtOneEdgeLeaveNoContext(t *testing.T) {
	spec := queuedSpec("stall", 2)
	spec.Queue.Order = "in-order-commit"
	list := program(load(1, 0), independent(1))
	for at := uint64(1); at < 40; at++ {
		b := newBench(t, spec)
		r := b.place(0, list, list)
		e := b.halted(at)
		b.Run()
		require.Len(t, e.evicted(), 1)
		require.Len(t, b.driver.Got, 1, "at %d", at)
		require.Len(t, r[0].issued, len(list))
		require.Len(t, r[1].issued, len(list))
		requireQueueAtRest(t, b.sm)
	}
}

func TestDrainOfAHaltedSMIsChargedAsPreempted(t *testing.T) {
	spec := queuedSpec("stall", 1)
	spec.Queue.Order = "in-order-commit"
	b := newBench(t, spec)
	b.place(0, shortAndLong())
	e := b.halted(40)
	b.RunTo(42)
	before := b.kernel(0).WarpInstructions
	issued := b.kernel(0).Stalls[Issued]
	end := uint64(42)
	for ; len(e.evicted()) == 0; end++ {
		require.Less(t, end, uint64(1000))
		b.RunTo(end)
	}
	require.Greater(t, b.kernel(0).WarpInstructions, before+5, "they issue")
	k := b.sm.Stats(end).Accounts.Get(0)
	require.Equal(t, issued, k.Stalls[Issued])
	require.Equal(t, e.evicted()[0].Cycle-43, k.Stalls[Preempted], "from edge 42 on; gone at the edge before the engine hears of it")
}
