package sm

import (
	"testing"

	"cotenant/sm/l1"
	"cotenant/sm/rocache"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// readOnlySpec has a constant cache of one line in front of a second level, and a
// texture cache.
func readOnlySpec() Spec {
	spec := oneScheduler()
	spec.LSU.ConstantCache = rocache.Spec{Sets: 1, Ways: 1, HitLatency: 25, SecondSets: 4, SecondWays: 4, SecondLatency: 81,
		MissLatency: 10, MSHRs: 4, MSHRMerge: 4}
	spec.LSU.TextureCache = rocache.Spec{Sets: 4, Ways: 4, Sectored: true, HitLatency: 40, MissLatency: 10, MSHRs: 4, MSHRMerge: 4}
	return spec
}

// constantAt reads one word of a line by every lane.
func constantAt(dst uint8, line uint64) workload.Inst {
	return script.Access(workload.Constant, workload.Constants, line*128, 0, 4, dst)
}

func TestConstantsMissAndHitTheirCache(t *testing.T) {
	b, at := ran(t, readOnlySpec(), constantAt(1, 0), use(1), constantAt(1, 0), use(1), constantAt(1, 1), use(1), constantAt(1, 0), use(1))
	require.Equal(t, uint64(missToUse), at[1]-at[0])
	require.Equal(t, uint64(25), at[3]-at[2])
	require.Equal(t, uint64(missToUse), at[5]-at[4])
	require.Equal(t, uint64(81), at[7]-at[6], "of the second level")
	require.Equal(t, rocache.TenantStats{Accesses: 4, Hits: 1, SecondHits: 1, Misses: 2}, b.kernel(0).ConstantCache)
	require.Zero(t, b.kernel(0).TextureCache)
	require.Zero(t, b.kernel(0).L1)
	require.Equal(t, uint64(2), b.kernel(0).MemoryRequests)
	require.Equal(t, uint64(2*(missToUse-1)), b.kernel(0).Stalls[RAWLong], "hits of the second level are not long")
}

func TestFurtherWordsOfAConstantLoadTakeACycleEach(t *testing.T) {
	eight := constantAt(2, 0)
	eight.Stride = 1
	_, at := ran(t, readOnlySpec(), constantAt(1, 0), use(1), eight, use(2))
	require.Equal(t, uint64(25+7), at[3]-at[2])
}

func TestConstantsWithoutAddressesHit(t *testing.T) {
	b, at := ran(t, readOnlySpec(), script.Op(workload.Constant, 1), use(1))
	require.Equal(t, []uint64{0, 8}, at)
	require.Zero(t, b.kernel(0).ConstantCache)
}

func TestTexturesTakeTheirCacheIfThereIsOne(t *testing.T) {
	texel := script.Access(workload.Load, workload.Texture, 0, 0, 4, 1)
	texel.Active = 1
	b, at := ran(t, readOnlySpec(), texel, use(1), texel, use(1))
	require.Equal(t, []uint64{0, missToUse, missToUse + 1, missToUse + 1 + 40}, at)
	require.Equal(t, rocache.TenantStats{Accesses: 2, Hits: 1, Misses: 1}, b.kernel(0).TextureCache)
	require.Zero(t, b.kernel(0).ConstantCache)
	require.Zero(t, b.kernel(0).L1)
	require.Equal(t, []uint8{1}, b.sent())
	// The units deliver eight texels a cycle; the last have the cache's latency.
	whole := script.Access(workload.Load, workload.Texture, 0, 0, 4, 1)
	_, at = ran(t, readOnlySpec(), whole, use(1), whole, use(1))
	require.Equal(t, uint64(40+3), at[3]-at[2])
}

func TestReadOnlyLoadsTakeTheTextureCacheIfToldSo(t *testing.T) {
	plain, readOnly := load(1, 0), load(1, 0)
	readOnly.Flags = workload.ReadOnly
	fresh := readOnly
	fresh.Flags |= workload.BypassL1
	list := program(plain, use(1), readOnly, use(1), fresh, use(1))
	b, at := ran(t, readOnlySpec(), list...)
	require.Equal(t, uint64(30), at[3]-at[2], "it hits the L1")
	require.Zero(t, b.kernel(0).TextureCache)
	spec := readOnlySpec()
	spec.LSU.ReadOnlyLoads, spec.L1.Globals = true, "bypass"
	b, at = ran(t, spec, append(list, readOnly, use(1))...)
	require.Equal(t, uint64(40), at[7]-at[6])
	require.Equal(t, rocache.TenantStats{Accesses: 2, Hits: 1, Misses: 1}, b.kernel(0).TextureCache)
	require.Equal(t, l1.TenantStats{Bypasses: 2}, b.kernel(0).L1)
	spec.LSU.TextureCache.Sets = 0
	b, _ = ran(t, spec, list...)
	require.Equal(t, l1.TenantStats{Bypasses: 3}, b.kernel(0).L1)
}

func TestConstantsWaitForRoomInTheirOwnCache(t *testing.T) {
	spec := readOnlySpec()
	spec.LSU.ConstantCache.MSHRs = 1
	b, _ := ran(t, spec, constantAt(1, 0), constantAt(2, 1), use(1), use(2))
	require.Equal(t, rocache.TenantStats{Accesses: 2, Misses: 2, ReservationFailures: 1}, b.kernel(0).ConstantCache)
	require.Zero(t, b.kernel(0).L1)
}

func TestALaunchEmptiesTheReadOnlyCaches(t *testing.T) {
	for again, want := range map[uint64]uint64{0: 1, 1: 2} {
		spec := readOnlySpec()
		b := newBench(t, spec)
		b.chain()
		texel := script.Access(workload.Load, workload.Texture, 1<<20, 0, 4, 2)
		for _, launch := range []uint64{0, again} {
			b.placeLaunch(0, launch, program(constantAt(1, 0), texel))
		}
		b.run()
		require.Equal(t, want, b.kernel(0).ConstantCache.Misses)
		require.Equal(t, want, b.kernel(0).TextureCache.Misses)
	}
}

func TestValidateNamesTheReadOnlyCache(t *testing.T) {
	spec := readOnlySpec()
	spec.LSU.ConstantCache.Ways = 0
	require.EqualError(t, spec.Validate(), "lsu.constant_cache.ways is 0, must be 1 to 256")
	spec = readOnlySpec()
	spec.LSU.TextureCache.HitLatency = 1024
	require.EqualError(t, spec.Validate(), "lsu.texture_cache.hit_latency is 1024, must be 2 to 1023")
}
