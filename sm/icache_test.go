package sm

import (
	"testing"

	"cotenant/sm/frontend"
	"cotenant/sm/icache"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// withICache has lines of two instructions of 16 bytes, which come after 50
// cycles, and a fetch of one cycle.
func withICache() Spec {
	spec := frontEnd(2, 2, 1)
	spec.FrontEnd.Refill = frontend.RefillEmpty
	spec.FrontEnd.ICache = icache.Spec{Sets: 4, Ways: 1, LineBytes: 32, MSHRs: 2, MissLatency: 50}
	return spec
}

// code gives instructions their places, one after the other.
func code(list []workload.Inst) []workload.Inst {
	for i := range list {
		list[i].PC = uint32(i) * 16
	}
	return list
}

func TestFirstFetchOfEachLineMisses(t *testing.T) {
	spec := withICache()
	b := newBench(t, spec)
	r := b.place(0, code(independent(6)))[0]
	b.run()
	// Fetched from 2 on; of each pair the second issues as the next one misses.
	require.Equal(t, []uint64{2 + 51, 54, 54 + 51, 106, 106 + 51, 158}, r.issued)
	require.Equal(t, icache.TenantStats{Accesses: 6, Misses: 3}, b.kernel(0).Icache)
	require.Equal(t, uint64(51+50+50), b.kernel(0).Stalls[Control], "and the cycle of placement")
}

func TestCodeThatIsThereCostsNothing(t *testing.T) {
	spec := withICache()
	alone := newBench(t, spec)
	r := alone.place(0, code(independent(4)), code(independent(4)))
	alone.run()
	require.Equal(t, []uint64{53, 54, 105, 106}, r[0].issued)
	require.Equal(t, uint64(4), alone.kernel(0).Icache.Misses, "one of each line, and those that join")
	warm := newBench(t, spec)
	warm.place(0, code(independent(4)))
	second := warm.place(0, code(independent(4)))[0]
	warm.chain()
	warm.run()
	require.Equal(t, []uint64{0, 1, 2, 3}, relative(second.issued, second.issued[0]))
	require.Equal(t, uint64(2), warm.kernel(0).Icache.Misses)
}

func TestKernelsDoNotShareCode(t *testing.T) {
	for _, c := range []struct{ code, misses uint32 }{{0, 2}, {1, 4}} {
		b := newBench(t, withICache())
		b.place(0, code(independent(4)))
		b.place(0, code(independent(4)))
		b.placed[1].Code = c.code
		b.chain()
		b.run()
		require.Equal(t, uint64(c.misses), b.kernel(0).Icache.Misses)
	}
}

func TestBranchTargetIsLookedUp(t *testing.T) {
	spec := withICache()
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	list := program(branch, script.Op(workload.Int, 1), script.Op(workload.Int, 2))
	list[1].PC, list[2].PC = 16, 1024 // the first is in the branch's own line
	require.Equal(t, []uint64{0, 6 + 1, 6 + 1 + 1}, issues(t, spec, list...))
	list[1].PC = 512
	require.Equal(t, []uint64{0, 6 + 51, 6 + 51 + 1}, issues(t, spec, list...), "what is fetched with it comes from anywhere")
}

func TestSMDoesNotTickWhileItWaitsForALine(t *testing.T) {
	count := func(latency int) int {
		spec := withICache()
		spec.FrontEnd.ICache.MissLatency = latency
		b := newBench(t, spec)
		b.place(0, code(independent(4)))
		return ticks(b)
	}
	require.Equal(t, count(100), count(1000))
}

func TestPerfectCacheIsNotCounted(t *testing.T) {
	spec := withICache()
	spec.FrontEnd.ICache.Sets = 0
	b := newBench(t, spec)
	r := b.place(0, code(independent(4)))[0]
	b.run()
	require.Equal(t, []uint64{0, 1, 2, 3}, relative(r.issued, r.issued[0]))
	require.Zero(t, b.kernel(0).Icache)
}

// Each of these warps executes a line of its own, and the one line of the cache
// is another's by the time that it is a warp's turn.
func TestWarpsOfMoreLinesThanTheCacheHasGoOn(t *testing.T) {
	spec := withICache()
	spec.FrontEnd.ICache = icache.Spec{Sets: 1, Ways: 1, LineBytes: 32, MSHRs: 1, MissLatency: 3}
	b := newBench(t, spec)
	for i := range uint32(12) {
		list := independent(1)
		list[0].PC = i * 32
		b.place(0, list)
	}
	b.run()
	require.Equal(t, icache.TenantStats{Accesses: 2 * 12, Misses: 12}, b.kernel(0).Icache)
}
