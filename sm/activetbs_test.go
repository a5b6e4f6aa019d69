package sm

import (
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// atMost has the SM driver limit the active thread blocks of tenants 0, 1, ... at a
// cycle.
func (b *bench) atMost(cycle uint64, most ...uint8) {
	m := &protocol.ActiveTBs{On: true}
	copy(m.Most[:], most)
	b.driver.Send(cycle, m)
}

// aluToLeave are the cycles from a warp's last instruction, of the ALU, to the edge at
// which its result lets it leave. A gate lets warps issue from the next edge on.
const aluToLeave = 4

func TestThrottledThreadBlockGoesOnWithTheEdgeAfterAnotherHasLeft(t *testing.T) {
	b := newBench(t, testSpec()) // of two schedulers
	b.atMost(0, 1)
	others := append(b.place(1, independent(2)), b.place(1, independent(2))...)
	first := b.place(0, independent(10), independent(30))
	second := b.place(0, independent(5), independent(7))
	third := b.place(0, independent(5))[0]
	b.run()
	for _, w := range second {
		require.Equal(t, first[1].issued[29]+aluToLeave+1, w.issued[0], "behind the last result of the last warp")
	}
	require.Equal(t, second[1].issued[6]+aluToLeave+1, third.issued[0])
	for _, w := range others {
		require.Less(t, w.issued[1], first[0].issued[9], "others have no limit")
	}
}

func TestThreadBlockIsActiveUntilItsStoresAreAcknowledged(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.atMost(0, 1)
	b.place(0, program(store(0)))
	r := b.place(0, independent(2))[0]
	b.run()
	require.Len(t, b.memory.at, 1)
	// The acknowledgement is seen an edge after it has been sent; the gate opens behind that.
	require.Equal(t, b.memory.at[0]+memoryLatency+2, r.issued[0])
}

func TestThrottledThreadBlocksPayWithQuotaCycles(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.atMost(0, 1)
	b.place(0, program(load(1, 0), use(1)))
	r := b.place(0, independent(2))[0]
	b.run()
	// The second is ready two cycles behind its placing; the first has a load that
	// takes long, which counts for less.
	require.Equal(t, uint64(0), b.kernel(0).Stalls[RAWLong])
	require.Greater(t, b.kernel(0).Stalls[Quota], uint64(memoryLatency))
	require.Len(t, r.issued, 2)
}

func TestThrottledThreadBlockGoesOnWithTheMessageThatLetsIt(t *testing.T) {
	run := func(at uint64) (issued []uint64, ticks int) {
		b := newBench(t, oneScheduler())
		b.atMost(0, 1)
		b.place(0, program(meetAll, load(1, 0), use(1)))
		r := b.place(0, independent(2))[0]
		b.memory.latency = 20_000
		n := b.Ticks(&b.sm.Module)
		b.atMost(at, 2)
		b.run()
		return r.issued, *n
	}
	early, ticks := run(200)
	require.Equal(t, []uint64{202, 203}, early)
	late, same := run(9000)
	require.Equal(t, []uint64{9002, 9003}, late)
	require.Equal(t, ticks, same, "it sleeps until then")
}

func TestThreadBlockThatLeavesLetsAThrottledOneGoOn(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.atMost(0, 1)
	gone := b.place(0, alu(1000))[0]
	r := b.place(0, independent(2))[0]
	e := b.preEng(evict(1, 50))
	b.RunTo(500)
	require.Len(t, e.evicted(), 1)
	require.Equal(t, gone.issued[len(gone.issued)-1]+aluToLeave+1, r.issued[0])

	n := len(gone.issued)
	third := b.place(0, independent(40))[0]
	b.RunTo(b.Cycle() + 5)
	e.back(b, b.Cycle())
	b.RunTo(b.Cycle() + 500)
	require.Greater(t, len(gone.issued), n)
	require.Equal(t, third.issued[39]+aluToLeave+1, gone.issued[n], "one that comes back is the last placed")
}

func TestThrottledThreadBlockKeepsItsPlaceAndItsRegisters(t *testing.T) {
	b := newBench(t, oneScheduler())
	first := b.place(0, independent(60))[0]
	second := b.place(0, independent(60))[0]
	b.atMost(10, 1)
	b.RunTo(40)
	n := len(second.issued)
	require.Less(t, n, 60)
	require.Equal(t, 2, b.sm.residents.Threads()/32)
	b.run()
	require.Equal(t, first.issued[59]+aluToLeave+1, second.issued[n])
}
