package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// ran runs one warp alone on one scheduler; it returns the bench and the cycles
// at which the instructions issue, relative to the first.
func ran(t *testing.T, spec Spec, list ...workload.Inst) (*bench, []uint64) {
	b := newBench(t, spec)
	r := b.place(0, list)[0]
	b.run()
	return b, relative(r.issued, r.issued[0])
}

// sector reads one sector of the line at addr.
func sector(dst uint8, addr uint64, sector int) workload.Inst {
	inst := script.Access(workload.Load, workload.Global, addr+uint64(sector)*32, 4, 4, dst)
	inst.Active = 0xff
	return inst
}

// sent lists the sector masks of the packets that the memory got.
func (b *bench) sent() (masks []uint8) {
	for _, p := range b.memory.seen {
		masks = append(masks, p.Sectors)
	}
	return masks
}

func TestMissThenHit(t *testing.T) {
	_, at := ran(t, oneScheduler(), load(1, 0), use(1), load(2, 64), use(2))
	require.Equal(t, []uint64{0, missToUse, missToUse + 1, missToUse + 1 + missToUse}, at) // another sector
	b, at := ran(t, oneScheduler(), load(1, 0), use(1), load(2, 0), use(2))
	require.Equal(t, []uint64{0, missToUse, missToUse + 1, missToUse + 1 + 30}, at)
	require.Equal(t, l1.TenantStats{Accesses: 2, Hits: 1, Misses: 1, Sectors: 2, FetchedSectors: 1}, b.kernel(0).L1)
	require.Equal(t, uint64(1), b.kernel(0).MemoryRequests)
}

func TestWaitForAHitIsNotLong(t *testing.T) {
	b, _ := ran(t, oneScheduler(), load(1, 0), use(1), load(2, 0), use(2))
	require.Equal(t, uint64(29), b.kernel(0).Stalls[RAWOther])
	require.Equal(t, uint64(missToUse-1), b.kernel(0).Stalls[RAWLong])
}

func TestMissToALineOnItsWayMerges(t *testing.T) {
	b, at := ran(t, oneScheduler(), load(1, 0), load(2, 0), use(1), use(2))
	require.Equal(t, []uint64{0, 1, missToUse, missToUse + 1}, at)
	require.Equal(t, []uint8{1}, b.sent())
	require.Equal(t, l1.TenantStats{Accesses: 2, Misses: 2, Merges: 1, Sectors: 2, FetchedSectors: 1}, b.kernel(0).L1)
}

func TestMissesOfTwoWarpsMerge(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, program(load(1, 0), use(1)), program(load(1, 0), use(1)))
	b.run()
	require.Len(t, b.memory.seen, 1)
	require.Equal(t, r[0].issued, r[1].issued)
}

func TestSectoredMissFetchesWhatIsLacking(t *testing.T) {
	b, _ := ran(t, oneScheduler(), sector(1, 0, 0), sector(2, 0, 2), script.Access(workload.Load, workload.Global, 0, 4, 4, 3), use(3))
	require.Equal(t, []uint8{0b0001, 0b0100, 0b1010}, b.sent())
	require.Equal(t, l1.TenantStats{Accesses: 3, Misses: 3, Merges: 2, Sectors: 6, FetchedSectors: 4}, b.kernel(0).L1)
	b, _ = ran(t, oneScheduler(), sector(1, 0, 0), use(1), script.Access(workload.Load, workload.Global, 0, 4, 4, 3))
	require.Equal(t, []uint8{0b0001, 0b1110}, b.sent())
}

func TestUnsectoredMissFetchesTheLine(t *testing.T) {
	spec := oneScheduler()
	spec.L1.Sectored = false
	b, at := ran(t, spec, sector(1, 0, 0), use(1), sector(2, 0, 3), use(2))
	require.Equal(t, []uint8{protocol.AllSectors}, b.sent())
	require.Equal(t, uint64(30), at[3]-at[2])
}

// Two loads of different lines, the second held up until the reply to the
// first frees what it needs: from there it takes a miss's time but for the
// cycle to the unit.
func requireOneAfterTheOther(t *testing.T, spec Spec) {
	t.Helper()
	b, at := ran(t, spec, load(1, 0), load(2, 1<<20), use(1), use(2))
	require.Equal(t, []uint64{0, 1, missToUse, 2*missToUse - 1}, at)
	require.Equal(t, l1.TenantStats{Accesses: 2, Misses: 2, ReservationFailures: 1, Sectors: 2, FetchedSectors: 2}, b.kernel(0).L1)
}

func TestSecondMissWaitsForTheOnlyMSHR(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MSHRs = 1
	requireOneAfterTheOther(t, spec)
}

func TestSecondMissWaitsForTheOnlyLine(t *testing.T) {
	spec := oneScheduler()
	spec.L1.Sets, spec.L1.Ways = 1, 1
	requireOneAfterTheOther(t, spec)
}

func TestAllocationOnFillNeedsNoLine(t *testing.T) {
	spec := oneScheduler()
	spec.L1.Sets, spec.L1.Ways, spec.L1.AllocateOnFill = 1, 1, true
	b, at := ran(t, spec, load(1, 0), load(2, 1<<20), use(1), use(2), load(3, 1<<20), use(3), load(4, 0), use(4))
	require.Equal(t, []uint64{0, 1, missToUse, missToUse + 1}, at[:4])
	// The later fill has taken the line.
	require.Equal(t, uint64(30), at[5]-at[4])
	require.Equal(t, uint64(missToUse), at[7]-at[6])
	require.Zero(t, b.kernel(0).L1.ReservationFailures)
}

func TestAccessBeyondTheMergeLimitWaitsAndHits(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MSHRMerge = 1
	b, at := ran(t, spec, load(1, 0), load(2, 0), use(1), use(2))
	require.Equal(t, []uint64{0, 1, missToUse, missToUse + 30 - 1}, at)
	require.Equal(t, l1.TenantStats{Accesses: 2, Hits: 1, Misses: 1, ReservationFailures: 1, Sectors: 2, FetchedSectors: 1}, b.kernel(0).L1)
}

func TestFullMissQueueHoldsMissesBack(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MissQueue = 1
	b, _ := ran(t, spec, load(1, 0), load(2, 1<<20), load(3, 1<<21))
	require.Equal(t, []uint64{0, 10, 20}, relative(b.memory.at, b.memory.at[0]))
	require.Equal(t, uint64(2), b.kernel(0).L1.ReservationFailures)
	b, _ = ran(t, spec, scattered(1, 0))
	require.Equal(t, uint64(31), b.kernel(0).L1.ReservationFailures)
}

func TestMergedMissNeedsNoPlaceInTheMissQueue(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MissQueue = 1
	b, at := ran(t, spec, load(1, 0), load(2, 0), use(2))
	require.Equal(t, []uint64{0, 1, missToUse}, at)
	require.Zero(t, b.kernel(0).L1.ReservationFailures)
}

func TestFullStoreBufferHoldsStoresBackNotLoads(t *testing.T) {
	spec := oneScheduler()
	spec.L1.StoreBuffer = 1
	b, _ := ran(t, spec, store(0), store(128), store(256))
	require.Equal(t, []uint64{0, 10, 20}, relative(b.memory.at, b.memory.at[0]))
	b, _ = ran(t, spec, store(0), load(1, 128))
	require.Equal(t, []uint64{0, 1}, relative(b.memory.at, b.memory.at[0]))
}

func TestNothingIsLostWhileTheMemoryTakesNoPackets(t *testing.T) {
	spec := oneScheduler()
	spec.L1.MissQueue, spec.L1.MSHRs, spec.L1.StoreBuffer, spec.LSU.QueueDepth, spec.L1.ReplyQueue = 2, 2, 1, 1, 1
	b := newBench(t, spec)
	b.memory.Deaf = rig.Before(5000)
	r := b.place(0, program(scattered(1, 0), store(1<<20), scattered(2, 1000), use(1), use(2)))[0]
	b.run()
	require.Len(t, b.memory.seen, 65)
	require.Greater(t, r.issued[3], uint64(5000))
}

func TestOnePacketACycleLeavesTheSM(t *testing.T) {
	b := newBench(t, wide())
	b.place(0, program(scattered(1, 0)), program(scattered(1, 1000)))
	b.run()
	require.Equal(t, multiples(1, 64), relative(b.memory.at, b.memory.at[0]))
}

func TestHitKeepsALineFromBeingReplaced(t *testing.T) {
	spec := oneScheduler()
	spec.L1.Sets, spec.L1.Ways = 1, 2
	b, _ := ran(t, spec, load(1, 0), use(1), load(1, 128), use(1), load(1, 0), use(1), load(1, 256), use(1), load(1, 0))
	require.Equal(t, l1.TenantStats{Accesses: 5, Hits: 2, Misses: 3, Sectors: 5, FetchedSectors: 3}, b.kernel(0).L1)
}

func TestMessagesGoBackToTheirPools(t *testing.T) {
	b, _ := ran(t, oneScheduler(), load(1, 0x1000), store(0x2000))
	require.Equal(t, uint64(0x2000), b.packets.Get().Addr)
	require.Equal(t, uint64(0x1000), b.packets.Get().Addr)
	require.Equal(t, 1, b.sm.pools.placements.Get().Demand.TBs)
}
