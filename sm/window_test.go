package sm

import (
	"strings"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// twoLanes is a load by two lanes, of a word each, apart bytes from each other.
func twoLanes(dst uint8, addr uint64, apart int32) workload.Inst {
	inst := script.Access(workload.Load, workload.Global, addr, apart, 4, dst)
	inst.Active = 3
	return inst
}

// A load is looked up in the cycle after its issue. There it can join a miss with data
// in the next cycle. Its check counts two cycles after that lookup, and its result no
// sooner.
func TestLoadThatJoinsAMissAboutToArriveCommitsWithItsCheck(t *testing.T) {
	for _, scheme := range preemptible {
		soonest := uint64(1000)
		for shift := uint64(90); shift < 130; shift++ {
			b := newBench(t, queuedSpec(scheme, 1))
			b.place(0, program(load(9, 0x200))) // the page is there
			b.run()
			at := b.Cycle() + 10
			b.placeAt(at, 0, program(load(1, 0), use(1)))
			b.placeAt(at+shift, 0, program(load(2, 0), use(2)))
			w := b.watch()
			b.run()
			soonest = min(soonest, w.at(202)[0]-w.at(2)[0])
		}
		want := uint64(3)
		if strings.HasPrefix(scheme, "wd-") { // nothing behind it has been fetched
			want++
		}
		require.Equal(t, want, soonest, scheme)
	}
}

// The accesses of one load end in the cycle in which it is told that the last of them
// has been translated, one as a line comes that another load has asked for, one as a hit:
// whenever that line comes, the result comes within a cycle of it, or of the hit.
func TestLoadPerformedInTheCycleOfItsCheckIsNotForgotten(t *testing.T) {
	const hit, missed = 0x1000, 0x2000 // pages that a TLB of one entry does not hold together
	both := twoLanes(4, hit, missed-hit)
	both.Src[0] = 3 // it issues when the TLB has the first again
	again := load(3, hit+128)
	again.Src[0] = 1 // and the other before
	for _, scheme := range schemes {
		for translation := uint64(22); translation < 29; translation++ {
			var last uint64
			for memory := uint64(255); memory < 275; memory++ {
				spec := queuedSpec(scheme, 1)
				spec.TLB.Entries, spec.TLB.Ways = 1, 1
				b := newBench(t, spec)
				b.mmu.latency = []uint64{0, 0, 0, translation}
				b.memory.Answer = func(cycle uint64, p *protocol.Packet) {
					b.memory.latency = memoryLatency
					if p.Addr == missed {
						b.memory.latency = memory
					}
					b.memory.answer(cycle, p)
				}
				w := b.watch()
				b.place(0, program(load(1, hit), load(2, missed), script.Op(workload.SFU, 1, 1), again, both, use(4)))
				b.run()
				at := w.at(204)[0]
				require.True(t, last == 0 || at <= last+1, "%s, translation in %d, data in %d", scheme, translation, memory)
				last = at
			}
		}
	}
}

// The L1 takes a store in the cycle after its issue. What waits for its commit alone is
// fetched three cycles after that, and issues in the next.
func TestStoreCommitsThreeCyclesAfterTheL1HasTakenIt(t *testing.T) {
	for scheme, want := range map[string]uint64{"wd-commit": 1 + 3 + 1, "wd-lastcheck": 1 + 2 + 1, "stall": 1, "replay-queue": 1, operandLog: 1} {
		b := newBench(t, queuedSpec(scheme, 1))
		s := store(0x100)
		s.Src[0] = 9
		w := b.watch()
		b.place(0, program(load(9, 0x200), s, script.Op(workload.Int, 3))) // the page is there
		b.run()
		require.Equal(t, want, w.at(3)[0]-w.at(workload.NoReg)[0], scheme)
	}
}

// A warp that has ended but for a store leaves with its thread block when that faults,
// and not when the fault has been served.
func TestWarpThatHasEndedLeavesWhenItsLastInstructionFaults(t *testing.T) {
	for _, scheme := range preemptible {
		b := newBench(t, queuedSpec(scheme, 2)).migrates(5000)
		b.mmu.latency = []uint64{100}
		b.place(0, program(store(0)))
		e := b.preEng(evict(1, 50))
		b.RunTo(400)
		require.Len(t, e.evicted(), 1, scheme)
		require.NotNil(t, e.evicted()[0].Msg.Context, scheme)
		require.Empty(t, b.memory.seen)
		requireQueueAtRest(t, b.sm)
		e.back(b, 6000)
		b.Run()
		require.Len(t, b.memory.seen, 1)
		require.Equal(t, uint64(1), b.kernel(0).TBsFinished)
		requireQueueAtRest(t, b.sm)
	}
}

// A barrier opens in the cycle in which the last warp that it waits for is found to have
// ended, also while no warp may issue.
func TestBarrierOpensWhenFetchFindsTheEndOfAWarp(t *testing.T) {
	for at := uint64(1); at < 30; at++ {
		b := newBench(t, queuedSpec("stall", 1))
		b.place(0, alu(20), alu(20), alu(20))
		b.place(0, program(store(0)), program(meetAll, step))
		b.preEng(rig.At[sim.Msg](at, &protocol.Halt{On: true}), rig.At[sim.Msg](at+100, &protocol.Halt{}))
		b.RunTo(at + 50)
		for slot := range b.sm.residents.Warps {
			w := &b.sm.residents.Warps[slot]
			if w.InUse && !w.Ended {
				stands := b.sm.barriers.Warp(slot)
				require.Equal(t, stands.Waits && stands.Turn == w.TB.Barriers.State[stands.At].Turn, b.sm.signals[0].Waits>>slot&1 != 0, "halted at %d", at)
			}
		}
		b.run()
	}
}
