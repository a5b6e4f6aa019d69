package l1

import (
	"testing"

	"cotenant/protocol"
	"cotenant/workload"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// returns has the port end exactly the operations, in their order.
func (b *bench) returns(ops ...uint32) {
	b.t.Helper()
	var calls []*gomock.Call
	for _, op := range ops {
		calls = append(calls, b.waiter.EXPECT().AccessDone(op))
	}
	gomock.InOrder(calls...)
	b.Return()
}

// ported is a bench with a return port of a number of accesses a cycle.
func ported(t *testing.T, perCycle int) *bench {
	spec := testSpec()
	spec.MSHRMerge, spec.ReturnsPerCycle = 8, perCycle
	return newBench(t, spec)
}

func TestReturnPortTakesSoManyAccessesACycle(t *testing.T) {
	b := ported(t, 2)
	b.miss(9, 6, 0b0001, 0)
	for _, op := range []uint32{3, 7} {
		require.Equal(t, Missed, b.load(op, 6, 0b0001))
	}
	b.miss(1, 7, 0b0001, 0)
	b.miss(2, 8, 0b0001, 0)
	require.False(t, b.Returning())
	b.reply(6, 0b0001) // no operation ends yet
	b.reply(8, 0b0001)
	b.reply(7, 0b0001)
	require.True(t, b.Returning())
	require.Zero(t, b.Outstanding(), "the port holds them, not the MSHRs")
	require.Equal(t, Hit, b.load(5, 6, 0b0001), "the data are there")
	b.returns(9, 3)
	b.returns(7, 2) // in the order of the fills
	require.True(t, b.Returning())
	b.returns(1)
	require.False(t, b.Returning())
}

func TestAccessesOfAnEntryReturnAsTheirSectorsArrive(t *testing.T) {
	b := ported(t, 1)
	b.miss(1, 6, 0b0001, 0)
	b.sends(protocol.Read, 2)
	require.Equal(t, Missed, b.load(2, 6, 0b0010))
	b.miss(3, 7, 0b0001, 0)
	b.reply(6, 0b0001)
	b.reply(7, 0b0001)
	b.reply(6, 0b0010)
	b.returns(1)
	b.returns(3)
	b.returns(2)
	require.False(t, b.Returning())
}

func TestRepliesToAccessesWithoutAnEntryPassNoPort(t *testing.T) {
	b := ported(t, 1)
	b.miss(9, 6, 0b0001, 0)
	b.reply(6, 0b0001)
	for i, class := range []workload.Class{workload.Load, workload.Store, workload.Atomic} {
		op := uint32(20 + i)
		b.sends([]protocol.Kind{protocol.Read, protocol.Write, protocol.Atomic}[i], 2)
		b.Access(&Request{Op: op, Account: 2, Class: class, Bypass: true}, &Access{Line: 1 << 20, Sectors: 1}, 100)
		b.waiter.EXPECT().AccessDone(op)
		b.Reply(&protocol.Packet{Tag: direct | op, Account: 2}, 500)
	}
	b.returns(9)
}

func TestLoadThatJoinsAMissIsDoneNoSoonerThanAHit(t *testing.T) {
	const hitDone = 100 + 30 - 1 // of a load looked up at cycle 100
	for cycle, later := range map[uint64]bool{hitDone - 1: true, hitDone: false, hitDone + 1: false} {
		for _, perCycle := range []int{0, 1} {
			spec := testSpec()
			spec.MissesTakeHitLatency, spec.ReturnsPerCycle, spec.MSHRs = true, perCycle, 2
			b := newBench(t, spec)
			b.sends(protocol.Read, 2)
			b.picks(2, 0)
			b.Access(&Request{Op: 90, Account: 2, Class: workload.Load}, &Access{Line: 6 * protocol.LineBytes, Sectors: 1}, 40)
			require.Equal(t, Missed, b.load(7, 6, 1))
			var calls []*gomock.Call
			if perCycle == 0 {
				calls = append(calls, b.waiter.EXPECT().AccessDone(uint32(90)))
			}
			if later {
				calls = append(calls, b.waiter.EXPECT().AccessDoneAt(uint32(7), uint64(hitDone)))
			} else if perCycle == 0 {
				calls = append(calls, b.waiter.EXPECT().AccessDone(uint32(7)))
			}
			gomock.InOrder(calls...)
			b.Reply(&protocol.Packet{Kind: protocol.ReadReply, Addr: 6 * protocol.LineBytes, Sectors: 1, Account: 2}, cycle)
			if perCycle == 0 {
				continue
			}
			b.returns(90)
			if require.Equal(t, !later, b.Returning(), "a hit has no need of the port"); !later {
				b.returns(7)
			}
		}
	}
}

func TestOperationIsBoundByItsLastLookup(t *testing.T) {
	spec := testSpec()
	spec.MissesTakeHitLatency = true
	b := newBench(t, spec)
	for i, cycle := range []uint64{100, 120} {
		b.sends(protocol.Read, 2)
		b.picks(2, 0)
		b.Access(&Request{Op: 7, Account: 2, Class: workload.Load}, &Access{Line: uint64(i) * protocol.LineBytes, Sectors: 1}, cycle)
	}
	b.waiter.EXPECT().AccessDoneAt(uint32(7), uint64(120+30-1))
	b.Reply(&protocol.Packet{Kind: protocol.ReadReply, Addr: protocol.LineBytes, Sectors: 1, Account: 2}, 125)
}

func TestReturnPortIsAQueueOfAnyLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var port returnPort
		var want []uint32
		for _, n := range rapid.SliceOfN(rapid.IntRange(-90, 100), 1, 20).Draw(t, "pushes and pops") {
			for range max(n, 0) {
				op := uint32(len(want) + 1000*n)
				want = append(want, op)
				port.push(op)
			}
			for range min(max(-n, 0), len(want)) {
				require.Equal(t, want[0], port.pop())
				want = want[1:]
			}
			require.Equal(t, len(want), port.waiting)
		}
	})
}
