package frontend

import (
	"testing"

	"cotenant/sm/icache"
	"cotenant/sm/warps"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// places are the addresses of warps' next instructions, by slot. A warp's account
// is its slot.
type places []uint64

func (p places) Fetched(slot int) (uint64, tenant.Account) { return p[slot], tenant.Account(slot) }

// cached is a front end with a cache of 4 lines of 32 bytes, which come after 10
// cycles, and fetches of a cycle.
func cached(mshrs int, slots warps.Slots, perSM bool) (*bench, places) {
	at := make(places, slots.Count())
	b := newBench(Spec{BufferDepth: 2, FetchWidth: 2, FetchLatency: 1, Refill: RefillEmpty, PerSM: perSM,
		ICache: icache.Spec{Sets: 1, Ways: 4, LineBytes: 32, MSHRs: mshrs, MissLatency: 10}}, slots)
	b.program = at
	return b, at
}

func TestWarpWaitsForItsLineAndIsThenFetchedFor(t *testing.T) {
	for _, perSM := range []bool{false, true} {
		b, at := cached(2, one, perSM)
		b.Start(0)
		require.True(t, b.Fetch(0))
		require.False(t, b.Coming(), "nothing is on its way to the buffer")
		next, ok := b.Next()
		require.True(t, ok)
		require.Equal(t, uint64(10), next)
		for c := range uint64(9) {
			require.False(t, b.Arrive(c+1))
			require.False(t, b.Fetch(c+1))
		}
		require.True(t, b.Fetch(10))
		require.True(t, b.Arrive(11))
		require.Equal(t, 2, b.drain(0))
		at[0] = 16
		require.True(t, b.Fetch(11), "the line is there")
		require.True(t, b.Arrive(12))
		require.Equal(t, icache.TenantStats{Accesses: 3, Misses: 1}, b.ICache(0))
	}
}

func TestOtherWarpsAreFetchedForMeanwhile(t *testing.T) {
	b, at := cached(2, one, false)
	b.Start(0)
	b.steps(13)
	require.Equal(t, 2, b.drain(0))
	at[1] = 1000
	b.Start(1)
	b.cycle = 20
	b.step(nil) // it is the other's turn
	require.Equal(t, uint64(22), b.filled(t, 0), "it hits")
	require.True(t, b.empty(1))
	require.Equal(t, uint64(31), b.filled(t, 1), "from 20, when it missed")
}

func TestWarpsOfOneLineWaitTogether(t *testing.T) {
	b, at := cached(1, one, false)
	at[0], at[1] = 64, 80
	b.Start(0)
	b.Start(1)
	b.steps(10)
	require.Equal(t, uint64(11), b.filled(t, 0))
	require.True(t, b.empty(1))
	require.Equal(t, uint64(12), b.filled(t, 1))
	require.Equal(t, icache.TenantStats{Accesses: 2, Misses: 1}, b.ICache(1))
}

func TestWarpWithoutAnMSHRHasAnotherTurn(t *testing.T) {
	b, at := cached(1, one, false)
	at[1], at[2] = 1000, 32
	b.Start(0)
	b.Start(1)
	require.True(t, b.Fetch(0))
	for c := range uint64(9) {
		require.True(t, b.Fetch(c+1), "it tries every cycle")
	}
	require.Zero(t, b.ICache(1))
	b.cycle = 10
	require.Equal(t, uint64(11), b.filled(t, 0), "the other has had its turn")
	require.Equal(t, uint64(22), b.filled(t, 1), "it misses at 11")
}

func TestNextWarpOfASlotDoesNotWaitForTheOneBefore(t *testing.T) {
	b, at := cached(1, one, false)
	b.Start(0)
	b.steps(2)
	b.Stop(0)
	b.steps(20)
	require.True(t, b.signals[0].Empty == 0 && !b.Coming(), "a stopped warp is not fetched for when its line comes")
	b.Start(0)
	at[0] = 4
	require.Equal(t, uint64(23), b.filled(t, 0), "the line is there")
	require.Equal(t, 2, b.drain(0))
	b.Stop(0)
	at[0] = 1000
	b.Start(0)
	b.steps(2) // it misses at 23
	b.Stop(0)
	at[0] = 8
	b.Start(0)
	require.Equal(t, uint64(26), b.filled(t, 0), "and is followed by one that hits")
}

func TestAllFetchUnitsLookUpInACycle(t *testing.T) {
	b, at := cached(4, warps.Slots{Schedulers: 2, Each: 2}, false)
	at[2] = 1000
	b.Start(0)
	b.Start(2)
	b.steps(11)
	b.Arrive(11)
	require.Equal(t, []warps.Mask{0, 0}, []warps.Mask{b.signals[0].Empty, b.signals[1].Empty})
}

func TestCacheTakesARefillOfEmptyBuffers(t *testing.T) {
	spec := Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 1, BranchLatency: 1, Refill: RefillRoom,
		ICache: icache.Spec{Sets: 1, Ways: 1, LineBytes: 128, MSHRs: 1, MissLatency: 100}}
	require.EqualError(t, spec.Validate(), `refill is "room", must be empty with an instruction cache`)
	spec.Refill = RefillEmpty
	require.NoError(t, spec.Validate())
	spec.ICache.MissLatency = 1024
	require.EqualError(t, spec.Validate(), "icache.miss_latency is 1024, must be 1 to 1023")
}

func TestLineThatCameForAWarpIsNotTheNextOnes(t *testing.T) {
	b, at := cached(1, one, false)
	b.Start(0)
	b.Start(1)
	b.Start(2)
	at[1], at[2] = 1000, 3000
	b.steps(10)
	b.Fetch(10) // the line comes, and another warp has its turn
	b.Stop(0)
	at[0] = 2000
	b.Start(0)
	b.cycle = 11
	require.Greater(t, b.filled(t, 0), uint64(21))
}
