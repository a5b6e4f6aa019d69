package sm

import (
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

const handlerCycles = 700

// handles has the SM's handlers serve regions from an address on.
func handles(t *testing.T, from uint64) *bench {
	spec := queuedSpec("replay-queue", 1)
	spec.Faults.HandlerCycles = handlerCycles
	b := newBench(t, spec)
	b.mmu.local = true
	b.mmu.missing = func(region uint64) protocol.Fault {
		if region < from {
			return protocol.NoFault
		}
		return protocol.Migrate
	}
	return b
}

// The SM hears of the fault a cycle after the MMU has sent it, and the MMU of the
// handler's end a cycle after that. What the message takes is part of the handler.
func TestHandlerTakesItsCyclesToldIncluded(t *testing.T) {
	b := handles(t, 0)
	b.place(0, program(load(1, 0), use(1)))
	b.run()
	require.Equal(t, []uint64{b.mmu.asked[0].cycle + 1 + handlerCycles - toldAfter + 1}, b.mmu.handled)
	require.Equal(t, uint64(1), b.kernel(0).HandledFaults)
	requireQueueAtRest(t, b.sm)
}

// The second warp is quiet at once, and the first when its other load has come.
func TestFirstWarpThatFaultsHandlesWhenItIsQuiet(t *testing.T) {
	b := handles(t, 0x20000)
	b.place(0, program(load(1, 0x10000), load(2, 0x20000), use(2)), program(alu(20), load(1, 0x20080), use(1)))
	b.run()
	quiet := b.memory.at[0] + memoryLatency + 1
	require.Equal(t, []uint64{quiet + handlerCycles - toldAfter + 1}, b.mmu.handled)
	require.Equal(t, uint64(2), b.kernel(0).Faults)
	require.Equal(t, uint64(1), b.kernel(0).HandledFaults)
}

// Another SM can be done first. A handler that runs goes on all the same, and one that
// has not begun is not needed any more.
func TestHandlerOfARegionThatIsServedGoesOnIfItHasBegun(t *testing.T) {
	for begun, list := range map[bool][]uint64{true: {0x20000}, false: {0x10000, 0x20000}} {
		b := handles(t, 0x20000)
		if begun {
			b.place(0, program(load(2, list[0]), use(2)))
		} else {
			b.memory.latency = 400 // for so long the warp is not quiet
			b.place(0, program(load(1, list[0]), load(2, list[1]), use(2)))
		}
		b.mmu.send(100, b.mmu.fill, &protocol.RegionServed{Region: 0x20000})
		b.mmu.WakeAt(100)
		b.run()
		if begun {
			require.Equal(t, []uint64{b.mmu.asked[0].cycle + 1 + handlerCycles - toldAfter + 1}, b.mmu.handled)
		} else {
			require.Empty(t, b.mmu.handled)
		}
		require.Empty(t, b.sm.window.handlers)
		require.False(t, b.sm.Handling())
		requireQueueAtRest(t, b.sm)
	}
}
