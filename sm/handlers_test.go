package sm

import (
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

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

// Another SM can be done first. A running handler goes on all the same; a handler that
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
		require.False(t, b.sm.Handling())
		requireQueueAtRest(t, b.sm)
	}
}

// The warp is quiet when it hears of the second fault. The MMU answers it a cycle behind the
// first.
func TestHandlersOfOneWarpRunOneAfterAnother(t *testing.T) {
	b := handles(t, 0)
	b.place(0, program(load(1, 0), load(2, 0x20000), load(3, 0x10000), use(3)))
	b.run()
	quiet := b.mmu.asked[2].cycle + 1
	first := quiet + handlerCycles - toldAfter + 1
	require.Equal(t, []uint64{first, first + handlerCycles, first + 2*handlerCycles}, b.mmu.handled)
	require.Equal(t, []uint64{0, 0x20000, 0x10000}, b.mmu.regions)
	require.Equal(t, uint64(3), b.kernel(0).HandledFaults)
	require.Equal(t, uint64(3), b.kernel(0).Replays)
	requireQueueAtRest(t, b.sm)
}

// Each warp runs the handler of its own region, and none waits for another's. The first one
// is quiet when its load has come, the second and the third at once.
func TestHandlersOfSeveralWarpsRunAtTheSameTime(t *testing.T) {
	b := handles(t, 0x20000)
	b.place(0, program(load(1, 0x10000), load(2, 0x20000), use(2)))
	b.place(1, program(alu(20), load(1, 0x30000), use(1)))
	b.place(2, program(alu(25), load(1, 0x40000), use(1)))
	b.run()
	var want []uint64
	for _, n := range b.mmu.asked {
		if n.page >= 0x30000 && len(want) < 2 { // not of a replay
			want = append(want, n.cycle+1+handlerCycles-toldAfter+1)
		}
	}
	want = append(want, b.memory.at[0]+memoryLatency+1+handlerCycles-toldAfter+1)
	require.Equal(t, want, b.mmu.handled)
	require.Equal(t, []uint64{0x30000 | tenant.ID(1).Base(), 0x40000 | tenant.ID(2).Base(), 0x20000}, b.mmu.regions)
	for id := range 3 {
		require.Equal(t, uint64(1), b.kernel(id).HandledFaults, "tenant %d", id)
	}
	requireQueueAtRest(t, b.sm)
}

// A warp that goes on behind a region that it has handled also handles the next region
// that it faults on, while another warp does.
func TestWarpHandlesASecondRegionLater(t *testing.T) {
	b := handles(t, 0)
	behind := func(addr uint64) workload.Inst {
		inst := load(2, addr)
		inst.Src[0] = 1
		return inst
	}
	b.place(0, program(load(1, 0), behind(0x10000), use(2)))
	b.place(0, program(load(1, 0x80), behind(0x20000), use(2)))
	b.run()
	require.ElementsMatch(t, []uint64{0, 0x10000, 0x20000}, b.mmu.regions)
	require.Equal(t, uint64(3), b.kernel(0).HandledFaults)
	for i, region := range b.mmu.regions {
		asked := slices.IndexFunc(b.mmu.asked, func(n asked) bool { return n.page == region })
		require.Equal(t, b.mmu.asked[asked].cycle+1+handlerCycles-toldAfter+1, b.mmu.handled[i])
	}
	require.False(t, b.sm.Handling())
	requireQueueAtRest(t, b.sm)
}

// A served region takes its own handler away, and no other: here no warp of the SM waits
// for the region, while the warp is not quiet yet.
func TestRegionThatIsServedTakesNoOtherHandlerAway(t *testing.T) {
	b := handles(t, 0x20000)
	b.memory.latency = 400
	b.place(0, program(load(1, 0x10000), load(2, 0x20000), use(2)))
	b.mmu.send(100, b.mmu.fill, &protocol.RegionServed{Region: 0x90000})
	b.mmu.WakeAt(100)
	b.run()
	require.Equal(t, []uint64{0x20000}, b.mmu.regions)
	requireQueueAtRest(t, b.sm)
}
