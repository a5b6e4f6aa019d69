package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// copyFrom copies 16 bytes of each lane from an address on: four lines.
func copyFrom(base uint64) workload.Inst {
	return script.Access(workload.Copy, workload.Global, base, 16, 16, workload.NoReg)
}

// past makes a copy that no L1 serves (cp.async.cg).
func past(inst workload.Inst) workload.Inst {
	inst.Flags |= workload.BypassL1
	return inst
}

func commits() workload.Inst { return script.Op(workload.Commit, workload.NoReg) }

// awaits waits until as many groups as may are under way.
func awaits(may uint8) workload.Inst {
	inst := script.Op(workload.Await, workload.NoReg)
	inst.Barrier = may
	return inst
}

var line = script.Access(workload.Copy, workload.Global, 0, 4, 4, workload.NoReg)

// A copy of a line takes as long as a load of it, and a pass of the banks: an Await issues one
// cycle later than the user of the load.
func TestACopyTakesAsLongAsALoadAndAPass(t *testing.T) {
	load := script.Access(workload.Load, workload.Global, 0, 4, 4, 1)
	require.Equal(t, []uint64{0, missToUse}, issues(t, testSpec(), load, script.Op(workload.Int, 2, 1)))
	require.Equal(t, []uint64{0, 1, missToUse + 1}, issues(t, testSpec(), line, commits(), awaits(0)))
	hit := issues(t, testSpec(), load, script.Op(workload.Int, 2, 1), line, commits(), awaits(0))
	require.Equal(t, uint64(30+1), hit[4]-hit[2], "the L1's latency of a hit, and a pass")
}

// The warp goes on behind a copy and its commit, and waits for old groups alone.
func TestAWaitLeavesTheLastGroupsUnderWay(t *testing.T) {
	spec := testSpec()
	b := newBench(t, spec)
	b.memory.latency = 500
	other := script.Access(workload.Copy, workload.Global, 1<<16, 4, 4, workload.NoReg)
	list := []workload.Inst{line, commits(), other, commits(), script.Op(workload.Int, 3), awaits(2), awaits(1), awaits(0)}
	r := b.place(0, list)[0]
	b.run()
	at := relative(r.issued, r.issued[0])
	const use = missToUse - memoryLatency + 500
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, use + 1, use + 3}, at, "the second copy is two cycles behind")
	k := b.kernel(0)
	require.Equal(t, uint64(use-5+1), k.Stalls[AsyncWait], "all but the cycles in which one issues")
	require.Zero(t, k.Stalls[RAWLong])
}

// cp.async.ca leaves its lines in the L1, cp.async.cg does not look there.
func TestCopiesPassTheL1OrAllocateInIt(t *testing.T) {
	for _, c := range []struct {
		copy               workload.Inst
		hits, bypasses, in uint64
	}{{line, 4, 0, 4}, {past(line), 0, 8, 0}} {
		b := newBench(t, testSpec())
		var list []workload.Inst
		for range 2 {
			for i := range uint64(4) {
				list = append(list, c.copy)
				list[len(list)-1].Base = 128 * i
			}
			list = append(list, commits(), awaits(0))
		}
		b.place(0, list)
		b.run()
		require.Equal(t, []uint64{c.hits, c.bypasses, c.in}, []uint64{b.kernel(0).L1.Hits, b.kernel(0).L1.Bypasses, b.kernel(0).L1.Misses})
	}
}

// The banks write 128 bytes a pass: four lines that have come in one cycle take four passes,
// and loads of shared memory as many cycles longer.
func TestArrivingDataTakePassesOfTheBanks(t *testing.T) {
	spec := testSpec()
	warm := []workload.Inst{copyFrom(0), commits(), awaits(0)}
	all := issues(t, spec, append(warm, copyFrom(0), commits(), awaits(0))...)
	// The L1 looks up a line in each of four cycles, so the last one's data come three cycles
	// after the first one's, each with a pass of its own.
	require.Equal(t, uint64(30+3+1), all[5]-all[3])
	spec.L1.Banks, spec.L1.BankBytes = 4, 128 // four lines a cycle
	all = issues(t, spec, append(warm, copyFrom(0), commits(), awaits(0))...)
	require.Equal(t, uint64(30+4), all[5]-all[3])

	// The data of a copy that hits come amid loads of shared memory, one a cycle.
	passes := func(c workload.Inst) uint64 {
		list := append(warm[:3:3], c, commits())
		for range 60 {
			list = append(list, script.Access(workload.Load, workload.Shared, 0, 4, 4, workload.NoReg))
		}
		at := issues(t, spec, append(list, script.Op(workload.Fence, workload.NoReg))...)
		return at[len(at)-1] - at[3]
	}
	idle := copyFrom(0)
	idle.Active = 0
	require.Equal(t, uint64(4), passes(copyFrom(0))-passes(idle), "four passes of data")
	one := copyFrom(0)
	one.Active = 3
	require.Equal(t, uint64(1), passes(one)-passes(idle), "a sector takes a pass")
}

// A fence waits for accesses, not for copies, and a warp with copies under way keeps its slot.
func TestCopiesAreNoFencesBusinessButTheWarps(t *testing.T) {
	at := issues(t, testSpec(), line, script.Op(workload.Fence, workload.NoReg), script.Op(workload.Int, 1))
	require.Equal(t, []uint64{0, 1, 2}, at)
	b := newBench(t, testSpec())
	r := b.place(0, []workload.Inst{line})[0]
	ended := b.run()
	require.Equal(t, uint64(missToUse+1), ended[0]-1-r.issued[0])
}

// A copy without lanes is none.
func TestACopyWithoutLanesJoinsNoGroup(t *testing.T) {
	none := line
	none.Active = 0
	require.Equal(t, []uint64{0, 1, 2}, issues(t, testSpec(), none, commits(), awaits(0)))
}

// A thread block that leaves waits for its copies, on SMs that issue in order and from a queue,
// and finds its groups ended where it goes on.
func TestCopiesDrainBeforeAThreadBlockLeaves(t *testing.T) {
	queue := testSpec()
	queue.Schedulers = 1
	queue.Queue.Entries, queue.Queue.Width, queue.Queue.FetchWidth, queue.Queue.Order = 16, 1, 2, "out-of-order"
	for name, spec := range map[string]Spec{"in order": testSpec(), "queue": queue} {
		b := newBench(t, spec)
		b.memory.latency = 500
		r := b.place(0, []workload.Inst{line, commits(), copyFrom(1 << 16), commits(), awaits(1), awaits(0), script.Op(workload.Int, 1)})[0]
		e := b.preEng(evict(1, 60))
		b.RunTo(900)
		require.Len(t, e.evicted(), 1, name)
		require.Greater(t, e.evicted()[0].Cycle, uint64(500), name)
		require.Len(t, r.issued, 4, name)
		require.Zero(t, b.sm.Outstanding(), name)
		e.back(b, 900)
		b.Run()
		require.Len(t, r.issued, 7, name)
		require.Less(t, r.issued[6], uint64(950), "%s: it waits for nothing any more", name)
		require.Equal(t, uint64(5), b.kernel(0).MemoryRequests, "%s: no copy is made again", name)
	}
}
