package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// load reads a word of the line at addr by every lane.
func load(dst uint8, addr uint64) workload.Inst {
	return script.Access(workload.Load, workload.Global, addr, 0, 4, dst)
}

// store writes the line at addr.
func store(addr uint64) workload.Inst {
	return script.Access(workload.Store, workload.Global, addr, 4, 4, workload.NoReg)
}

// scattered reads a line by each lane, from line number first on.
func scattered(dst uint8, first uint64) workload.Inst {
	return script.Access(workload.Load, workload.Global, first*128, 128, 4, dst)
}

func use(r uint8) workload.Inst { return script.Op(workload.Int, 200+r, r) }

// wide has room for every miss of a scattered load.
func wide() Spec {
	spec := oneScheduler()
	spec.L1.MSHRs, spec.L1.MissQueue, spec.L1.Sets = 128, 128, 64
	return spec
}

func TestUnitTakesOneLineACycle(t *testing.T) {
	b := newBench(t, wide())
	b.place(0, program(scattered(1, 0), load(2, 1<<20)))
	b.run()
	require.Equal(t, multiples(1, 33), relative(b.memory.at, b.memory.at[0]))
}

func TestFullQueueHoldsMemoryInstructionsBack(t *testing.T) {
	spec := wide()
	spec.LSU.QueueDepth = 1
	require.Equal(t, []uint64{0, 32, 33}, issues(t, spec, scattered(1, 0), scattered(2, 1000), script.Op(workload.Int, 3)))
	spec.LSU.QueueDepth = 2
	require.Equal(t, []uint64{0, 1, 32, 64}, issues(t, spec, scattered(1, 0), scattered(2, 100), scattered(3, 200), scattered(4, 300)))
}

func TestWaitForTheQueueIsChargedAsLSUFull(t *testing.T) {
	spec := wide()
	spec.LSU.QueueDepth = 1
	b := newBench(t, spec)
	b.place(0, program(scattered(1, 0), scattered(2, 1000)))
	b.run()
	require.Equal(t, uint64(31), b.kernel(0).Stalls[LSUFull])
}

func TestOtherWarpsIssueWhileTheQueueIsFull(t *testing.T) {
	spec := wide()
	spec.LSU.QueueDepth = 1
	b := newBench(t, spec)
	r := b.place(0, program(scattered(1, 0), scattered(2, 1000)), independent(20))
	b.run()
	require.Equal(t, uint64(32), r[0].issued[1]-r[0].issued[0])
	require.Equal(t, multiples(1, 20), relative(r[1].issued, r[0].issued[0]+1))
	require.Equal(t, uint64(31-20), b.kernel(0).Stalls[LSUFull])
}

func TestSharedAccessHoldsTheUnitForItsConflicts(t *testing.T) {
	spec := oneScheduler()
	spec.LSU.QueueDepth = 1
	conflict := script.Access(workload.Load, workload.Shared, 0, 32, 4, 1) // 8 words a bank
	b := newBench(t, spec)
	r := b.place(0, program(conflict, script.Access(workload.Load, workload.Shared, 0, 4, 4, 2), use(1), use(2)))[0]
	b.run()
	require.Equal(t, []uint64{0, 8, 24 + 7, 24 + 8}, relative(r.issued, r.issued[0]))
	require.Equal(t, uint64(2), b.kernel(0).LSU.SharedAccesses)
	require.Equal(t, uint64(7), b.kernel(0).LSU.SharedConflicts)
}

// uniform reads one word of constant memory by every lane, divergent eight.
var (
	uniform   = script.Access(workload.Constant, workload.Constants, 64, 0, 4, 1)
	divergent = script.Access(workload.Constant, workload.Constants, 64, 1, 4, 2)
)

func TestConstantLoadHoldsTheUnitForEachOfItsWords(t *testing.T) {
	spec := oneScheduler()
	spec.LSU.QueueDepth = 1
	require.Equal(t, []uint64{0, 1, 9, 10}, issues(t, spec, uniform, divergent, uniform, script.Op(workload.Int, 5)))
	// The same holds for any warp and any instruction behind it.
	b := newBench(t, testSpec())
	r := b.place(0, program(divergent), program(script.Op(workload.Int, 3), script.Access(workload.Load, workload.Shared, 0, 4, 4, 1), use(1)))
	b.run()
	require.Equal(t, r[0].issued[0]+8+24, r[1].issued[2])
}

func TestLastWordOfAConstantLoadTakesTheLatency(t *testing.T) {
	spec := oneScheduler()
	for _, latency := range []int{2, 8, maxLatency} {
		spec.LSU.ConstantLatency = latency
		require.NoError(t, spec.Validate())
		require.Equal(t, []uint64{0, uint64(latency)}, issues(t, spec, uniform, use(1)))
		require.Equal(t, []uint64{0, uint64(latency + 7)}, issues(t, spec, divergent, use(2)))
	}
}

func TestConstantLoadWithoutAddressesIsUniform(t *testing.T) {
	require.Equal(t, []uint64{0, 8}, issues(t, oneScheduler(), script.Op(workload.Constant, 1), use(1)))
}

func TestConstantLoadWithoutALaneDoesNotTakeTheUnit(t *testing.T) {
	none := divergent
	none.Active = 0
	spec := oneScheduler()
	spec.LSU.QueueDepth = 1
	require.Equal(t, []uint64{0, 1, 4}, issues(t, spec, none, uniform, use(2)))
}

func TestSharedAtomicsOfOneWordTakeTurns(t *testing.T) {
	for _, class := range []workload.Class{workload.Atomic, workload.Reduction} {
		spec := oneScheduler()
		spec.LSU.QueueDepth = 1
		crowd := script.Access(class, workload.Shared, 64, 1, 4, workload.NoReg) // words of 4 lanes
		next := script.Access(workload.Load, workload.Shared, 0, 4, 4, 2)
		b := newBench(t, spec)
		r := b.place(0, program(crowd, next, use(2)))[0]
		b.run()
		require.Equal(t, []uint64{0, 4, 4 + 24}, relative(r.issued, r.issued[0]), "%v", class)
		require.Equal(t, uint64(3), b.kernel(0).LSU.SharedConflicts)
		spec.LSU.SharedAtomicInterval = 5
		require.Equal(t, []uint64{0, 20, 20 + 24}, issues(t, spec, crowd, next, use(2)), "%v", class)
	}
	spec := oneScheduler()
	require.Equal(t, []uint64{0, 31 + 24}, issues(t, spec, script.Access(workload.Atomic, workload.Shared, 64, 0, 4, 1), use(1)))
	require.Equal(t, []uint64{0, 24}, issues(t, spec, script.Access(workload.Load, workload.Shared, 64, 0, 4, 1), use(1)))
}

// fetch reads a texel by each lane.
func fetch(dst uint8, addr uint64, stride int32) workload.Inst {
	return script.Access(workload.Load, workload.Texture, addr, stride, 4, dst)
}

func TestTextureFetchHoldsTheUnitForItsTexelsAndItsLines(t *testing.T) {
	for _, c := range []struct {
		texels, lines int // per cycle
		active        uint32
		stride        int32
		cycles        uint64
	}{
		{8, 8, ^uint32(0), 4, 4},
		{8, 8, ^uint32(0), 128, 4}, // a line each
		{8, 5, ^uint32(0), 128, 7},
		{8, 1, ^uint32(0), 128, 32},
		{8, 1, ^uint32(0), 8, 4}, // two lines
		{8, 8, 0x1ff, 4, 2},
		{8, 8, 0xff, 4, 1},
		{8, 8, 1, 4, 1},
		{16, 8, ^uint32(0), 4, 2},
		{16, 8, ^uint32(0), 128, 4},
		{32, 1, ^uint32(0), 4, 1},
		{1, 32, ^uint32(0), 8, 32},
	} {
		spec := wide()
		spec.LSU.QueueDepth, spec.LSU.TexelsPerCycle, spec.LSU.TextureLinesPerCycle = 1, c.texels, c.lines
		inst := fetch(1, 0, c.stride)
		inst.Active = c.active
		require.Equal(t, []uint64{0, c.cycles, c.cycles + 1}, issues(t, spec, inst, load(2, 1<<20), script.Op(workload.Int, 3)), "%+v", c)
	}
}

func TestTextureFetchThatHitsWaitsForItsLastTexels(t *testing.T) {
	// 30 of a hit: the texels of the fourth cycle are three cycles later.
	require.Equal(t, []uint64{0, missToUse, missToUse + 1, missToUse + 1 + 33},
		issues(t, wide(), fetch(1, 0, 4), use(1), fetch(2, 0, 4), use(2)))
	// Of as many lines as lanes, one a cycle, the last is later than the texels.
	spec := wide()
	spec.LSU.TextureLinesPerCycle = 1
	r := issues(t, spec, scattered(1, 0), use(1), fetch(2, 0, 128), use(2))
	require.Equal(t, uint64(30+31), r[3]-r[2])
}

func TestTextureFetchGoesOnWhereALineWasRefused(t *testing.T) {
	// Three entries for the eight lines of a cycle: the other five go one by one, as the
	// entries are free again.
	spec := wide()
	spec.L1.MSHRs = 3
	b := newBench(t, spec)
	inst := fetch(1, 0, 128)
	inst.Active = 0xff
	b.place(0, program(inst))
	b.run()
	require.Equal(t, []uint64{0, 128, 256}, []uint64{b.memory.seen[0].Addr, b.memory.seen[1].Addr, b.memory.seen[2].Addr})
	require.Len(t, b.memory.seen, 8)
	require.Equal(t, []uint64{0, 1, 2}, relative(b.memory.at[:3], b.memory.at[0]))
	require.Less(t, uint64(memoryLatency), b.memory.at[3]-b.memory.at[0])
}

func TestTextureFetchThatMissesLeavesAtOnce(t *testing.T) {
	require.Equal(t, []uint64{0, missToUse}, issues(t, wide(), fetch(1, 0, 4), use(1)))
}

func TestShortestSharedLatencyIsExact(t *testing.T) {
	spec := oneScheduler()
	spec.LSU.SharedLatency = 2
	require.NoError(t, spec.Validate())
	require.Equal(t, []uint64{0, 2}, issues(t, spec, script.Access(workload.Load, workload.Shared, 0, 4, 4, 1), use(1)))
}

func TestLongestLatenciesAreExact(t *testing.T) {
	spec := oneScheduler()
	spec.LSU.SharedLatency = maxLatency - workload.WarpSize
	spec.L1.HitLatency = maxLatency
	spec.L1.MissLatency = maxLatency
	spec.Pipes.SFU.Latency = maxLatency
	spec.Pipes.SFU.Interval = maxLatency
	require.NoError(t, spec.Validate())
	worst := script.Access(workload.Load, workload.Shared, 0, 128, 4, 1) // 32 words a bank
	require.Equal(t, []uint64{0, maxLatency - 1}, issues(t, spec, worst, use(1)))
	require.Equal(t, []uint64{0, maxLatency}, issues(t, spec, script.Op(workload.SFU, 1), use(1)))
	r := issues(t, spec, load(1, 0), use(1), load(2, 0), use(2))
	require.Equal(t, uint64(missToUse-10+maxLatency), r[1])
	require.Equal(t, uint64(maxLatency), r[3]-r[2])
}

func TestFenceWaitsForLoadsAlone(t *testing.T) {
	fence := script.Op(workload.Fence, workload.NoReg)
	require.Equal(t, []uint64{0, missToUse, missToUse + 1}, issues(t, testSpec(), load(1, 0), fence, script.Op(workload.Int, 2)))
	shared := script.Access(workload.Store, workload.Shared, 0, 4, 4, workload.NoReg)
	require.Equal(t, []uint64{0, 24}, issues(t, testSpec(), shared, fence))
	require.Equal(t, []uint64{0, 1}, issues(t, testSpec(), script.Op(workload.SFU, 1), fence))
}

func TestFenceDoesNotWaitForOtherWarps(t *testing.T) {
	b := newBench(t, oneScheduler())
	r := b.place(0, program(load(1, 0)), program(script.Op(workload.Fence, workload.NoReg)))
	b.run()
	require.Equal(t, r[0].issued[0]+1, r[1].issued[0])
}

func TestThreadBlockEndsWithItsLastReply(t *testing.T) {
	for _, last := range []workload.Inst{load(1, 0), store(0), script.Access(workload.Reduction, workload.Global, 0, 4, 4, workload.NoReg)} {
		b := newBench(t, oneScheduler())
		r := b.place(0, program(last))[0]
		end := b.run()[0]
		// The report leaves at the reply's edge and takes one cycle.
		require.Equal(t, r.issued[0]+missToUse+1, end, "%v", last.Class)
	}
}

func TestThreadBlockEndsWithItsLastResult(t *testing.T) {
	b := newBench(t, oneScheduler())
	r := b.place(0, program(script.Op(workload.SFU, 1)))[0]
	end := b.run()[0]
	require.Equal(t, r.issued[0]+20+1, end)
}

func TestReplyForALateWarpDoesNotTouchItsSuccessor(t *testing.T) {
	// One warp slot: the successor's own load of the same register must wait
	// its own full time.
	spec := oneScheduler()
	spec.Threads = 32
	b := newBench(t, spec)
	b.chain()
	b.place(0, program(load(1, 0), load(2, 128)))
	second := b.place(0, program(load(1, 256), use(1)))[0]
	b.run()
	require.Equal(t, []uint64{0, missToUse}, relative(second.issued, second.issued[0]))
}

func TestThreadBlockOfWarpsWithoutInstructionsEnds(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, nil, nil)
	b.place(0, program(step))
	b.run()
	require.Equal(t, uint64(2), b.kernel(0).TBsFinished)
}

func TestThreadBlockWithoutWarpsEnds(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0)
	b.run()
	require.Equal(t, uint64(1), b.kernel(0).TBsFinished)
}
