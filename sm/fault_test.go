package sm

import (
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// migrates lets every page be missing until its region has been served, service cycles
// after the first fault.
func (b *bench) migrates(service uint64) *bench {
	b.mmu.missing, b.mmu.service = func(uint64) protocol.Fault { return protocol.Migrate }, service
	return b
}

func TestWarpWhoseLastInstructionFaultsEndsWithItsReplay(t *testing.T) {
	for _, scheme := range preemptible {
		b := newBench(t, queuedSpec(scheme, 2)).migrates(5000)
		b.place(0, program(store(0)), program(meetAll, step))
		end := b.run()[0]
		require.Greater(t, end, b.mmu.at[0], scheme)
		require.Len(t, b.memory.seen, 1, scheme)
		require.Equal(t, []uint64{1, 1}, []uint64{b.kernel(0).Faults, b.kernel(0).Replays}, scheme)
		requireQueueAtRest(t, b.sm)
	}
}

func TestWarpWaitsForAllRegionsThatItHasFaultedOn(t *testing.T) {
	for _, scheme := range []string{"replay-queue", operandLog} {
		b := newBench(t, queuedSpec(scheme, 1))
		b.migrates(5000).mmu.latency = []uint64{10, 300} // the second faults while the first is served
		w := b.watch()
		b.place(0, program(load(1, 0), load(2, 0x10000), script.Op(workload.Int, 3, 1), script.Op(workload.Int, 4)))
		b.run()
		require.Len(t, b.mmu.at, 2)
		require.Equal(t, []uint64{2, 2}, []uint64{b.kernel(0).Faults, b.kernel(0).Replays})
		require.Greater(t, b.mmu.at[1], b.mmu.at[0]+250)
		require.Greater(t, w.at(3)[0], b.mmu.at[1], scheme)
		require.Less(t, w.at(4)[0], b.mmu.at[0], "it was not held up")
	}
}

func TestReplayThatFaultsAgainIsReplayedAgain(t *testing.T) {
	for _, scheme := range preemptible {
		b := newBench(t, queuedSpec(scheme, 1)).migrates(500)
		b.place(0, program(script.Access(workload.Atomic, workload.Global, 0, 0x8000, 4, 1), use(1))) // 16 regions
		b.run()
		k := b.kernel(0)
		require.GreaterOrEqual(t, k.Faults, uint64(16), scheme)
		require.Greater(t, k.Replays, uint64(2), "what is behind the first fault is looked up later")
		require.Equal(t, uint64(32), k.L1.Atomics, "none twice")
		require.Equal(t, uint64(2), k.WarpInstructions)
	}
}

func TestEvictionWaitsForTheFaultUnderStallAlone(t *testing.T) {
	for _, scheme := range schemes {
		b := newBench(t, queuedSpec(scheme, 2)).migrates(5000)
		b.place(0, program(load(1, 0), use(1), alu(20)))
		e := b.preEng(evict(1, 300))
		b.RunTo(4000)
		if scheme == "stall" {
			require.Empty(t, e.evicted())
			b.RunTo(9000)
			require.GreaterOrEqual(t, e.evicted()[0].Cycle, b.mmu.at[0]+missToUse)
			require.Zero(t, e.evicted()[0].Msg.Context.Extra)
			continue
		}
		require.Equal(t, uint64(302), e.evicted()[0].Cycle, "sent at 300, seen at 301 by the quiet warp's SM: %s", scheme)
		requireQueueAtRest(t, b.sm)
	}
}

// A load faults ahead of a chain that it has passed. Where the fault disables the warp, the
// chain issues all the same, also of a thread block that is to leave, which it does behind it.
func TestChainAheadOfAFaultIssuesForAThreadBlockThatLeaves(t *testing.T) {
	chain := repeat(5, script.Op(workload.SFU, 1, 1)) // of 20 cycles each
	for _, scheme := range []string{"wd-commit", "wd-lastcheck"} {
		for at := uint64(1); at < 120; at++ {
			b := newBench(t, queuedSpec(scheme, 1)).migrates(50_000)
			r := b.place(0, program(chain, load(2, 0), use(2)))[0]
			e := b.preEng(evict(1, at))
			b.RunTo(1000)
			require.Len(t, e.evicted(), 1, "%s, at %d", scheme, at)
			if b.kernel(0).Faults > 0 {
				require.Len(t, r.issued, 6, "%s, at %d", scheme, at)
			}
			requireQueueAtRest(t, b.sm)
		}
	}
}

func TestContextCarriesWhatTheSchemeKeeps(t *testing.T) {
	// The load and the store fault; three that depend on the load wait.
	list := program(load(1, 0), script.Access(workload.Store, workload.Global, 0x20000, 4, 4, workload.NoReg), use(1), use(1), use(1))
	for scheme, want := range map[string]int{"wd-commit": 0, "wd-lastcheck": 0, "replay-queue": 5 * 16, operandLog: 5*16 + 3*256} {
		b := newBench(t, queuedSpec(scheme, 2)).migrates(5000)
		b.place(0, list)
		e := b.preEng(evict(1, 300))
		b.RunTo(1000)
		c := e.evicted()[0].Msg.Context
		require.Equal(t, want, c.Extra, scheme)
		// It goes on elsewhere, where the pages are missing as well.
		other := newBench(t, queuedSpec(scheme, 2)).migrates(400)
		r := b.placed[0].TB.Warps[0].(*recorder)
		r.sm = other.sm
		other.driver.Send(0, &protocol.PlaceTB{TB: b.placed[0].TB, Serial: 1, Context: c, Demand: b.placed[0].Demand})
		other.Run()
		require.Len(t, other.driver.Got, 1, scheme)
		require.Len(t, r.issued, len(list), scheme)
		require.Len(t, other.memory.seen, 2)
		k, was := other.kernel(0), b.kernel(0)
		require.Equal(t, uint64(len(list)), k.WarpInstructions+was.WarpInstructions)
		requireQueueAtRest(t, other.sm)
		require.LessOrEqual(t, c.Extra, b.sm.spec.ExtraBytes())
	}
}

func TestCyclesInWhichAllWaitForFaultsAreChargedToThem(t *testing.T) {
	for _, scheme := range schemes {
		faulted := func(service uint64) uint64 {
			b := newBench(t, queuedSpec(scheme, 2)).migrates(service)
			b.place(0, program(load(1, 0), use(1)), program(load(1, 0x40), use(1)))
			b.run()
			return b.kernel(0).Stalls[Faulted]
		}
		n := faulted(12_000)
		require.InDelta(t, 12_000, float64(n), 20, scheme)
		require.Equal(t, n+8000, faulted(20_000), scheme)
	}
}

// A warp waits for faults in the TLB until the last of its accesses does not.
func TestWarpWaitsUntilNoAccessOfItIsHeld(t *testing.T) {
	b := newBench(t, queuedSpec("stall", 1)).migrates(5000)
	b.mmu.latency = []uint64{0, 2000, 0} // the second region is missed and served so much later
	b.place(0, program(load(1, 0), load(2, 0x10000), use(2)))
	b.run()
	require.Len(t, b.mmu.at, 2)
	require.InDelta(t, 7000, float64(b.kernel(0).Stalls[Faulted]), 20)
}

// Replays go to the load-store unit one in a cycle, as other memory instructions do, whatever
// the width of the issue.
func TestOneReplayIssuesInACycle(t *testing.T) {
	for _, scheme := range []string{"replay-queue", operandLog} {
		b := newBench(t, queuedSpec(scheme, 4)).migrates(1000)
		b.mmu.latency = []uint64{20} // all have issued before the first faults
		b.place(0, program(load(1, 0), load(2, 0x80), load(3, 0x100), load(4, 0x180), use(4)))
		var replays []uint64
		for cycle := uint64(1); b.kernel(0).Replays < 4; cycle++ {
			require.Less(t, cycle, uint64(5000))
			before := b.kernel(0).Replays
			b.RunTo(cycle)
			for range b.kernel(0).Replays - before {
				replays = append(replays, cycle)
			}
		}
		require.Equal(t, []uint64{0, 1, 2, 3}, relative(replays, replays[0]), scheme)
		b.run()
	}
}

func TestSMThatWaitsForFaultsSleeps(t *testing.T) {
	for _, scheme := range schemes {
		count := func(service uint64) int {
			b := newBench(t, queuedSpec(scheme, 2)).migrates(service)
			b.place(0, program(load(1, 0), use(1)), program(store(0x40), meetAll), program(meetAll, step))
			return ticks(b)
		}
		n := count(12_000)
		require.Equal(t, n, count(90_000), scheme)
		require.Less(t, n, 100, scheme)
	}
}

func TestFenceWaitsForAcknowledgementsAsleep(t *testing.T) {
	count := func(latency uint64) (int, uint64) {
		b := newBench(t, queuedSpec("stall", 2))
		b.memory.latency = latency
		r := b.place(0, program(store(0), script.Op(workload.Fence, workload.NoReg), step))[0]
		n := ticks(b)
		require.GreaterOrEqual(t, r.issued[1], b.memory.at[0]+latency)
		return n, b.kernel(0).Stalls[RAWLong]
	}
	n, stalls := count(1000)
	m, more := count(9000)
	require.Equal(t, n, m)
	require.Equal(t, uint64(8000), more-stalls)
}

func TestAccessThatCannotBeServedEndsTheRun(t *testing.T) {
	inOrder := queuedSpec("stall", 1)
	inOrder.Queue.Entries = 0
	specs := map[string]Spec{"in order": inOrder}
	for _, scheme := range schemes {
		specs[scheme] = queuedSpec(scheme, 1)
	}
	for name, spec := range specs {
		for _, fault := range []protocol.Fault{protocol.Invalid, protocol.ReadOnly} {
			b := newBench(t, spec)
			b.mmu.missing = func(uint64) protocol.Fault { return fault }
			inst := load(1, 0x12380)
			inst.PC = 0x48
			b.place(3, program(step), program(step, inst, use(1)))
			b.placed[0].TB.ID = 17
			b.Engine.RunUntil(b.Clock.At(2000))
			require.EqualError(t, b.Engine.Err(), fault.String()+": line 0x12380, by thread block 17, warp 1, PC 0x48", name)
			var f *PageFault
			require.ErrorAs(t, b.Engine.Err(), &f)
			require.Equal(t, tenant.ID(3), f.Account.Tenant())
		}
	}
}

func TestInOrderSMHoldsFaultsInItsTLB(t *testing.T) {
	spec := queuedSpec("stall", 1)
	spec.Queue.Entries = 0
	b := newBench(t, spec).migrates(5000)
	r := b.place(0, program(load(1, 0), use(1), store(0x100)))[0]
	b.run()
	require.Greater(t, r.issued[1], b.mmu.at[0])
	require.Greater(t, b.kernel(0).Stalls[RAWLong], uint64(5000))
	require.Zero(t, b.kernel(0).Faults)
	requireAtRest(t, b.sm)
}

// A load that joins a miss can have its data before the cycle in which its check
// counts.
func TestLoadThatJoinsAMissCommitsBehindItsCheck(t *testing.T) {
	for _, scheme := range preemptible {
		for shift := uint64(90); shift < 130; shift++ {
			b := newBench(t, queuedSpec(scheme, 1))
			b.place(0, program(load(9, 0x200))) // the page is there
			b.run()
			at := b.Cycle() + 10
			b.placeAt(at, 0, program(load(1, 0), use(1)))
			b.placeAt(at+shift, 0, program(load(1, 0), use(1), store(0x100), store(0x180), use(1)))
			b.run()
			requireQueueAtRest(t, b.sm)
		}
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) { requireNoAllocations(t, scheme) })
	}
}

func requireNoAllocations(t *testing.T, scheme string) {
	branch := script.Op(workload.Branch, workload.NoReg)
	list := program(load(1, 0), use(1), scattered(2, 0), script.Access(workload.Load, workload.Local, 0, 4, 16, 3),
		script.Access(workload.Atomic, workload.Shared, 0, 12, 8, 5), script.Op(workload.SFU, 6, 5), independent(8), meetAll, branch)
	spec := queuedSpec(scheme, 2)
	spec.L1.Sets, spec.L1.MSHRs = 64, 64 // all loads hit after the first time
	b := newBench(t, spec)
	b.placeStreams(0, &loop{list: list}, &loop{list: list}, &loop{list: list})
	cycle := uint64(100_000)
	b.RunTo(cycle)
	issued := b.sm.Issued()
	require.Zero(t, testing.AllocsPerRun(5, func() {
		cycle += 2000
		b.RunTo(cycle)
	}), scheme)
	require.Greater(t, b.sm.Issued(), issued+1000)
}

// Whatever a warp is about when its thread block is taken off, it goes on behind.
func TestThreadBlockCanLeaveAtAnyCycle(t *testing.T) {
	for _, scheme := range schemes {
		for at := uint64(1); at < 40; at++ {
			b := newBench(t, queuedSpec(scheme, 2)).migrates(200)
			b.mmu.latency = []uint64{9}
			b.place(0, program(meetAll, step), program(step), program(store(0)), program(load(1, 0x10000), use(1), meetAll))
			e := b.preEng(evict(1, at))
			b.RunTo(1000)
			if c := e.evicted()[0].Msg.Context; c != nil {
				e.back(b, 1000)
			}
			b.Run()
			require.Equal(t, uint64(1), b.kernel(0).TBsFinished, "%s, at %d", scheme, at)
			require.Equal(t, uint64(7), b.kernel(0).WarpInstructions)
			requireQueueAtRest(t, b.sm)
		}
	}
}

// Eight texture fetches fault together. Their replays take the texture units 32 cycles each at
// one texel a cycle and 16 at two: the last has its texels 8 x 16 cycles earlier.
func TestReplayedTextureFetchesTakeTheTextureUnitsAgain(t *testing.T) {
	for _, scheme := range preemptible {
		end := func(texels int) uint64 {
			spec := queuedSpec(scheme, 8)
			spec.LSU.TexelsPerCycle = texels
			b := newBench(t, spec).migrates(5000)
			b.memory.latency = 20
			var warps [][]workload.Inst
			for i := range uint64(8) {
				warps = append(warps, program(script.Access(workload.Load, workload.Texture, i*128, 4, 4, 1), use(1)))
			}
			b.place(0, warps...)
			last := slices.Max(b.run())
			require.Equal(t, uint64(8), b.kernel(0).Replays, scheme)
			require.Greater(t, last, b.mmu.at[0]+uint64(8*32/texels), scheme)
			return last
		}
		require.Equal(t, uint64(8*16), end(1)-end(2), scheme)
	}
}
