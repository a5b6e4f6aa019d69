package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/sm/tally"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// hits runs loads of one line, one thread block after another, each of the
// given tenant and launch, and returns the tenant's hits.
func hits(t *testing.T, of int, blocks ...[2]int) uint64 {
	b := newBench(t, oneScheduler())
	b.chain()
	for _, block := range blocks {
		b.placeLaunch(tenant.ID(block[0]), uint64(block[1]), program(load(1, 0)))
	}
	b.run()
	return b.kernel(of).L1.Hits
}

func TestThreadBlocksOfOneLaunchShareTheL1(t *testing.T) {
	require.Equal(t, uint64(2), hits(t, 0, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}))
}

func TestNextLaunchFindsTheL1Empty(t *testing.T) {
	require.Equal(t, uint64(0), hits(t, 0, [2]int{0, 0}, [2]int{0, 1}))
	require.Equal(t, uint64(1), hits(t, 0, [2]int{0, 0}, [2]int{0, 1}, [2]int{0, 1}))
}

func TestEarlierLaunchThatRunsOnLeavesTheL1AsItIs(t *testing.T) {
	// Launches 0 and 1 are active at once: each finds what the other has loaded.
	require.Equal(t, uint64(2), hits(t, 0, [2]int{0, 0}, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 1}))
}

func TestKernelsOfOneTenantAreCountedApartAndShareItsMemory(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.chain()
	second := tenant.ID(3).Account(2)
	b.place(3, program(load(1, 0), use(1)))
	b.placeStreams(3, &recorder{list: program(load(1, 0), use(1), store(0)), sm: b.sm}).Account = second
	b.run()
	require.Equal(t, uint64(2), b.kernel(3).WarpInstructions)
	require.Equal(t, uint64(3), b.kernel(int(second)).WarpInstructions)
	require.Equal(t, uint64(1), b.kernel(3).L1.Misses)
	require.Equal(t, uint64(1), b.kernel(int(second)).L1.Hits, "of one memory")
	require.Equal(t, []uint64{1, 1}, []uint64{b.kernel(3).MemoryRequests, b.kernel(int(second)).MemoryRequests})
	require.Equal(t, []uint64{3, uint64(second)}, []uint64{uint64(b.memory.seen[0].Account), uint64(b.memory.seen[1].Account)})
	both := b.sm.Stats(0).Tenant(3)
	require.Equal(t, uint64(5), both.WarpInstructions)
	sum := both.Stalls
	for cause, n := range b.sm.Stats(0).Accounts.Get(3).Stalls {
		require.Equal(t, n+b.kernel(int(second)).Stalls[cause], sum[cause], "%v", Cause(cause))
	}
}

func TestFirstLaunchOfATenantLeavesTheOthersLines(t *testing.T) {
	require.Equal(t, uint64(1), hits(t, 0, [2]int{0, 0}, [2]int{1, 0}, [2]int{0, 0}))
}

func TestLaunchOfATenantLeavesTheOthersLines(t *testing.T) {
	require.Equal(t, uint64(2), hits(t, 0, [2]int{0, 5}, [2]int{1, 0}, [2]int{0, 5}, [2]int{1, 1}, [2]int{0, 5}))
}

func TestEqualAddressesOfTwoTenantsAreTwoLines(t *testing.T) {
	require.Zero(t, hits(t, 1, [2]int{0, 0}, [2]int{1, 0}))
}

func TestPacketsNameTheirTenant(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, program(load(1, 0)))
	b.place(15, program(load(1, 0), store(128), atomic(workload.Reduction, workload.NoReg, 0)))
	b.run()
	require.Len(t, b.memory.seen, 4)
	for _, p := range b.memory.seen {
		require.Equal(t, uint64(p.Account), p.Addr>>tenant.AddressShift)
	}
	require.Equal(t, uint64(1), b.kernel(0).MemoryRequests)
	require.Equal(t, uint64(3), b.kernel(15).MemoryRequests)
}

func TestTwoThreadBlocksHaveLocalMemoriesOfTheirOwn(t *testing.T) {
	b := newBench(t, oneScheduler())
	local := script.Access(workload.Load, workload.Local, 0, 0, 4, 1)
	b.place(0, program(local), program(local))
	b.place(0, program(local))
	b.run()
	lines := map[uint64]bool{}
	for _, p := range b.memory.seen {
		lines[p.Addr] = true
	}
	require.Len(t, lines, 3)
}

func TestCyclesAreChargedToTheKernelNearestToIssuing(t *testing.T) {
	b := newBench(t, oneScheduler())
	long := b.place(0, program(load(1, 0), use(1)))[0]
	short := b.place(1, repeat(3, script.Op(workload.SFU, 1, 1)))[0]
	b.run()
	require.Equal(t, []uint64{3, 3 + missToUse}, long.issued)
	require.Equal(t, []uint64{4, 24, 44}, short.issued)
	var zero, one tally.CauseCounts
	zero[Issued], one[Issued] = 2, 3
	zero[Control] = 1 // cycle 2: placed, nothing fetched
	one[RAWOther] = 2 * 19
	zero[RAWLong] = missToUse - (44 - 3) - 1 // when the other has ended
	stats := b.sm.Stats(200)
	require.Equal(t, zero, stats.Accounts.Get(0).Stalls)
	require.Equal(t, one, stats.Accounts.Get(1).Stalls)
	require.Equal(t, uint64(200)-(2+1+3+2*19+zero[RAWLong]), stats.IdleCycles)
}

func TestCyclesOfEqualCauseAreChargedToTheOldestWarp(t *testing.T) {
	b := newBench(t, oneScheduler())
	older := b.place(1, program(load(1, 0), use(1)))[0]
	younger := b.place(0, program(load(1, 0), use(1)))[0]
	b.run()
	require.Equal(t, older.issued[1]+1, younger.issued[1])
	require.Zero(t, b.kernel(0).Stalls[RAWLong])
	require.Equal(t, uint64(missToUse-2), b.kernel(1).Stalls[RAWLong]) // but for the younger's load
}

func TestReportsWaitUntilTheDriverTakesThem(t *testing.T) {
	b := newBench(t, testSpec())
	b.driver.Deaf = rig.Before(500)
	for range 8 { // twice as many as the driver's port holds
		b.place(0, program(step))
	}
	require.Equal(t, uint64(500), b.run()[0])
}

func TestThreadCyclesCountResidentThreads(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, program(step), program(load(1, 0)))
	end := b.run()[0]
	// From the edge of placement, 1, to that of the reply, one before the report.
	require.Equal(t, 64*(end-1-1), b.kernel(0).ThreadCycles)
}

func TestStatsOfARunningSMAreUpToDate(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.memory.latency = 10_000
	b.place(0, program(load(1, 0), use(1)))
	b.RunTo(1000)
	stats := b.sm.Stats(1000)
	require.Equal(t, uint64(1000-4), stats.Accounts.Get(0).Stalls[RAWLong]) // 2 idle, 1 fetch, 1 issued
	require.Equal(t, uint64(32*999), stats.Accounts.Get(0).ThreadCycles)
	// Asking changes nothing.
	b.RunTo(50_000)
	total := b.sm.Stats(20_000).Total()
	require.Equal(t, uint64(10_000+missToUse-memoryLatency-1), total.Stalls[RAWLong])
	sum := uint64(0)
	for _, n := range total.Stalls {
		sum += n
	}
	require.Equal(t, uint64(20_000), sum)
}
