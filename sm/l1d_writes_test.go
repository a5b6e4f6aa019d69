package sm

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

func TestStoreDoesNotAllocate(t *testing.T) {
	b, at := ran(t, oneScheduler(), store(0), script.Op(workload.Fence, workload.NoReg), load(1, 0), use(1))
	require.Equal(t, uint64(missToUse), at[3]-at[2])
	require.Equal(t, l1.TenantStats{Accesses: 1, Misses: 1, Sectors: 1, FetchedSectors: 1, Writes: 1}, b.kernel(0).L1)
}

func TestStoreLeavesALineThatIsThere(t *testing.T) {
	b, at := ran(t, oneScheduler(), load(1, 0), use(1), store(0), load(2, 0), use(2))
	require.Equal(t, uint64(30), at[4]-at[3])
	require.Len(t, b.memory.seen, 2)
}

func TestStoreDoesNotHoldTheWarp(t *testing.T) {
	_, at := ran(t, oneScheduler(), store(0), script.Op(workload.Int, 1), script.Op(workload.Int, 2))
	require.Equal(t, []uint64{0, 1, 2}, at)
}

func TestStoreCarriesTheBytesOfItsSectors(t *testing.T) {
	one := script.Access(workload.Store, workload.Global, 40, 4, 4, workload.NoReg)
	one.Active = 1
	b, _ := ran(t, oneScheduler(), one)
	p := b.memory.seen[0]
	require.Equal(t, protocol.Write, p.Kind)
	require.Equal(t, uint8(0b0010), p.Sectors)
	require.Zero(t, p.FullSectors)
	require.Equal(t, uint8(32), p.WrittenBytes)
}

func TestScatteredStoreIsAPacketForEachLine(t *testing.T) {
	b, _ := ran(t, wide(), script.Access(workload.Store, workload.Global, 0, 128, 4, workload.NoReg))
	require.Len(t, b.memory.seen, 32)
	require.Equal(t, uint64(32), b.kernel(0).L1.Writes)
	require.Equal(t, uint64(32), b.kernel(0).MemoryRequests)
}

func TestBypassingLoadsNeitherLookUpNorMergeNorAllocate(t *testing.T) {
	bypass := load(1, 0)
	bypass.Flags |= workload.BypassL1
	other := bypass
	other.Dst[0] = 2
	b, at := ran(t, oneScheduler(), bypass, other, use(1), use(2), load(3, 0), use(3))
	require.Equal(t, []uint64{0, 1, missToUse, missToUse + 1}, at[:4])
	require.Equal(t, uint64(missToUse), at[5]-at[4])
	require.Equal(t, l1.TenantStats{Accesses: 1, Misses: 1, Sectors: 1, FetchedSectors: 1, Bypasses: 2}, b.kernel(0).L1)
	require.Len(t, b.memory.seen, 3)
}

func TestBypassingLoadsWaitForTheMissQueue(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MissQueue = 1
	bypass := load(1, 0)
	bypass.Flags |= workload.BypassL1
	other := bypass
	other.Dst[0] = 2
	b, _ := ran(t, spec, bypass, other)
	require.Equal(t, []uint64{0, 10}, relative(b.memory.at, b.memory.at[0]))
}

func TestBypassingScatteredLoadEndsWithItsLastReply(t *testing.T) {
	bypass := scattered(1, 0)
	bypass.Flags |= workload.BypassL1
	b, at := ran(t, wide(), bypass, use(1))
	require.Equal(t, []uint64{0, missToUse + 31}, at)
	require.Len(t, b.memory.seen, 32)
}

func atomic(class workload.Class, dst uint8, stride int32) workload.Inst {
	return script.Access(class, workload.Global, 0, stride, 4, dst)
}

func TestAtomicWaitsForTheL2(t *testing.T) {
	b, at := ran(t, oneScheduler(), atomic(workload.Atomic, 1, 0), use(1))
	require.Equal(t, []uint64{0, missToUse}, at)
	require.Equal(t, l1.TenantStats{Atomics: 1}, b.kernel(0).L1)
	require.Equal(t, uint64(missToUse-1), b.kernel(0).Stalls[RAWLong])
}

func TestAtomicPacketCountsItsLanes(t *testing.T) {
	b, _ := ran(t, oneScheduler(), atomic(workload.Atomic, 1, 0))
	require.Equal(t, uint8(32), b.memory.seen[0].Lanes)
	require.Equal(t, uint8(1), b.memory.seen[0].Sectors)
	b, _ = ran(t, oneScheduler(), atomic(workload.Atomic, 1, 16))
	require.Len(t, b.memory.seen, 4)
	for _, p := range b.memory.seen {
		require.Equal(t, protocol.Atomic, p.Kind)
		require.Equal(t, uint8(8), p.Lanes)
	}
}

func TestReductionHoldsNoRegister(t *testing.T) {
	b, at := ran(t, oneScheduler(), atomic(workload.Reduction, workload.NoReg, 0), script.Op(workload.Int, 1), use(1))
	require.Equal(t, []uint64{0, 1, 5}, at)
	require.Zero(t, b.kernel(0).Stalls[RAWLong])
	require.Equal(t, protocol.Atomic, b.memory.seen[0].Kind)
}

func TestAtomicDropsTheLine(t *testing.T) {
	for _, class := range []workload.Class{workload.Atomic, workload.Reduction} {
		b, at := ran(t, oneScheduler(), load(1, 0), use(1), atomic(class, 2, 0), load(3, 0), use(3))
		require.Equal(t, uint64(missToUse), at[4]-at[3], "%v", class)
		require.Equal(t, uint64(2), b.kernel(0).L1.Misses, "%v", class)
	}
}

func TestAtomicLeavesALineOnItsWay(t *testing.T) {
	b, at := ran(t, oneScheduler(), load(1, 0), atomic(workload.Reduction, workload.NoReg, 0), use(1), load(2, 0), use(2))
	require.Equal(t, uint64(missToUse), at[2])
	require.Equal(t, uint64(30), at[4]-at[3])
	require.Len(t, b.memory.seen, 2)
}

func TestAtomicToSharedMemoryStaysOnTheSM(t *testing.T) {
	b, at := ran(t, oneScheduler(), script.Access(workload.Atomic, workload.Shared, 0, 4, 4, 1), use(1))
	require.Equal(t, []uint64{0, 24}, at)
	require.Empty(t, b.memory.seen)
}
