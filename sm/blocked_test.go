package sm

import (
	"testing"

	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// notices are the cycles at which the driver hears that a thread block waits, or goes on.
func (b *bench) notices(on bool) (cycles []uint64) {
	for _, m := range b.driver.Got {
		if n, ok := m.Msg.(*protocol.TBBlocked); ok && n.On == on {
			cycles = append(cycles, m.Cycle)
		}
	}
	return cycles
}

// A thread block is blocked when nothing of it is in flight, and nothing waits that can
// go on: here one warp waits for a page, and another, at a barrier, for a load first and
// for what depends on it.
func TestThreadBlockIsBlockedWhenNothingOfItCanGoOn(t *testing.T) {
	for _, scheme := range []string{"replay-queue", operandLog} {
		for _, chain := range []int{0, 20} {
			b := newBench(t, queuedSpec(scheme, 2), tells)
			b.migrates(5000).mmu.missing = func(region uint64) protocol.Fault {
				if region == 0 {
					return protocol.NoFault
				}
				return protocol.Migrate
			}
			b.place(0, program(load(1, 0x10000), use(1)), program(load(1, 0), alu(chain), meetAll, step))
			b.Run()
			came := b.memory.at[0] + memoryLatency + 1
			require.Equal(t, []uint64{came + uint64(4*chain) + 1}, b.notices(true), "%s, %d behind the load", scheme, chain)
			require.Equal(t, []uint64{b.mmu.at[0] + 1}, b.notices(false))
		}
	}
}

// The last that happens to a thread block that waits can be the end of another of its warps:
// the driver hears of it in the cycle in which it would hear that the thread block has
// finished, had the first warp not faulted.
func TestThreadBlockIsBlockedWhenItsLastOtherWarpEnds(t *testing.T) {
	for _, scheme := range preemptible {
		for name, last := range map[string]workload.Inst{
			"arithmetic": step, "a load": load(2, 0x100), "a store": store(0x100), "a branch": script.Op(workload.Branch, workload.NoReg),
			"a fence": script.Op(workload.Fence, workload.NoReg),
		} {
			run := func(missing protocol.Fault) *bench {
				b := newBench(t, queuedSpec(scheme, 2), tells)
				b.migrates(5000).mmu.missing = func(region uint64) protocol.Fault {
					if region == 0 {
						return protocol.NoFault
					}
					return missing
				}
				b.place(0, program(load(1, 0x10000)), program(load(9, 0), use(9), alu(100), last), program())
				b.Run()
				return b
			}
			finished := run(protocol.NoFault)
			require.Empty(t, finished.notices(true))
			faulted := run(protocol.Migrate)
			require.Equal(t, []uint64{finished.driver.Got[0].Cycle}, faulted.notices(true), "%s, %s", scheme, name)
			require.Equal(t, []uint64{faulted.mmu.at[0] + 1}, faulted.notices(false))
			require.Equal(t, uint64(1), faulted.kernel(0).TBsFinished)
		}
	}
}

// Fetch finds the ends of empty warps one by one, for longer than the first warp's fault takes.
// The driver hears of the last at the second edge behind it.
func TestThreadBlockIsBlockedWhenFetchFindsTheEndOfItsLastOtherWarp(t *testing.T) {
	for _, scheme := range preemptible {
		b := newBench(t, queuedSpec(scheme, 1), tells).migrates(5000)
		w := b.watch()
		warps := [][]workload.Inst{program(load(1, 0))}
		for range 30 {
			warps = append(warps, nil)
		}
		b.place(0, warps...)
		b.RunTo(1000)
		require.Len(t, w.ended, 30, scheme)
		require.Greater(t, w.ended[29], b.mmu.asked[0].cycle+2)
		require.Equal(t, []uint64{w.ended[29] + 2}, b.notices(true), scheme)
		b.Run()
		require.Equal(t, uint64(1), b.kernel(0).TBsFinished)
	}
}

func TestThreadBlockThatGoesOnCanBeBlockedAgain(t *testing.T) {
	for _, scheme := range preemptible {
		b := newBench(t, queuedSpec(scheme, 1), tells).migrates(1000)
		second := load(2, 0x10000)
		second.Src[0] = 1
		b.place(0, program(load(1, 0), second, use(2)))
		b.Run()
		require.Len(t, b.mmu.at, 2)
		require.Equal(t, []uint64{b.mmu.at[0] + 1, b.mmu.at[1] + 1}, b.notices(false), scheme)
		require.Len(t, b.notices(true), 2, scheme)
		require.Greater(t, b.notices(true)[1], b.mmu.at[0]+missToUse)
	}
}

// Three thread blocks leave while they are blocked: the first waits for two regions, the
// second for the first of them, and the third for another. Each can come back when the last
// of its own has been served.
func TestThreadBlockThatHasLeftIsToldOfWhenItsLastRegionIsServed(t *testing.T) {
	const one, two, three = 0x10000, 0x20000, 0x30000
	for _, order := range [][]uint64{{one, two, three}, {three, one, two}, {two, three, one}} {
		b := newBench(t, queuedSpec("replay-queue", 1), tells).migrates(100_000)
		b.driver.Width = 4
		b.mmu.latency = []uint64{50} // all loads have issued
		b.place(0, program(load(1, one), load(2, two)), program(load(1, one+0x80), load(2, two+0x80)))
		b.place(0, program(load(1, one+0x100)))
		b.place(0, program(load(1, three)))
		e := b.preEng(evict(1, 500), evict(2, 501), evict(3, 502))
		want := map[uint64]uint64{} // by serial
		for i, region := range order {
			at := uint64(1000 + 100*i)
			b.mmu.send(at, b.mmu.fill, &protocol.RegionServed{Region: region})
			b.mmu.WakeAt(at)
			if region == three {
				want[3] = at
			}
			if region == one {
				want[2] = at
			}
			if region != three {
				want[1] = at
			}
		}
		b.RunTo(2000)
		require.Len(t, e.evicted(), 3)
		require.Len(t, b.notices(true), 3)
		got := map[uint64]uint64{}
		for _, m := range b.driver.Got {
			if n, ok := m.Msg.(*protocol.TBBlocked); ok && !n.On {
				require.Zero(t, got[n.Serial], "told once")
				got[n.Serial] = m.Cycle - 2 // a link each to the SM and from it
			}
		}
		require.Equal(t, want, got)
		require.Zero(t, b.sm.Outstanding().Away)
	}
}

// A warp of the second thread block takes a slot of the first, after the first block's
// warp there has ended: the first block is blocked while that warp runs, and waits for
// no region of it.
func TestThreadBlockThatIsBlockedDoesNotMindWhoHasASlotNow(t *testing.T) {
	b := newBench(t, queuedSpec("replay-queue", 1), tells).migrates(100_000)
	b.place(0, program(alu(100), load(1, 0x10000)), nil)
	b.placeAt(50, 0, program(alu(200), load(1, 0x20000)))
	e := b.preEng(evict(1, 1500))
	b.RunTo(700)
	require.Equal(t, b.sm.residents.Warps[1].TB.Serial, uint64(2))
	require.Len(t, b.notices(true), 1, "the second has yet to fault")
	b.RunTo(1600)
	require.Len(t, b.notices(true), 2)
	require.Len(t, e.evicted(), 1)
	b.mmu.send(2000, b.mmu.fill, &protocol.RegionServed{Region: 0x10000})
	b.mmu.WakeAt(2000)
	b.RunTo(3000)
	require.Equal(t, []uint64{2002}, b.notices(false))
}
