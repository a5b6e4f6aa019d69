package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A tenant with requests that find no place does not hold up another tenant.
func TestTenantWithoutCreditLeavesOthersTheLoadStoreUnit(t *testing.T) {
	idle := uint64(0) // samples of the first tenant's warp, while the other is there
	run := func(skip bool) (b *bench, last uint64) {
		spec := rated()
		spec.IRC.Depth, spec.LSU.Skip = 8, skip
		b = newBench(t, spec)
		b.limits(0, 0)
		var list []workload.Inst
		for i := range 8 {
			list = append(list, scattered(uint8(i), uint64(i)*100))
		}
		b.placeAt(300, 0, list) // 256 requests for a queue of 32
		other := b.placeAt(310, 1, program(load(1, 1<<30), use(1), load(2, 1<<31), use(2), script.Op(workload.Int, 3)))
		b.driver.Send(400, &protocol.SampleIdle{Every: 10})
		b.limits(9000, -1)
		b.RunTo(500)
		var c protocol.SMCounters
		b.sm.idle.Report(&c)
		idle = c.Tenants[0].IdleWarps
		b.run()
		return b, other.issued[len(other.issued)-1]
	}
	b, last := run(true)
	require.Less(t, last, uint64(310+2*missToUse+50))
	stalls := b.kernel(0).Stalls[LSUFull]
	require.Greater(t, stalls, uint64(8000), "it waits for its own share")
	require.Zero(t, b.kernel(1).Stalls[LSUFull])
	require.GreaterOrEqual(t, idle, uint64(5), "the unit takes none of its warp's instructions")
	_, last = run(false)
	require.Greater(t, last, uint64(9000), "behind the other's")
}

// With one tenant no other instruction can be taken first, and the tenant's share is the
// queue.
func TestOneTenantDoesNotFeelThatTheUnitMaySkip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		for i := range blocks {
			blocks[i].tenant = 1
		}
		chained := rapid.Bool().Draw(t, "chained")
		spec.LSU.Skip = false
		want, wantWarps := runBlocks(t, spec, blocks, chained, 0)
		spec.LSU.Skip = true
		got, gotWarps := runBlocks(t, spec, blocks, chained, 0)
		for i := range wantWarps {
			require.Equal(t, wantWarps[i].issued, gotWarps[i].issued)
		}
		require.Equal(t, want.memory.at, got.memory.at)
		require.Equal(t, rig.Cycles(want.driver.Got), rig.Cycles(got.driver.Got))
		require.Equal(t, *want.sm.Stats(1 << 20), *got.sm.Stats(1 << 20))
	})
}

func TestSMDoesNotTickWhileTenantsWaitForTheirShares(t *testing.T) {
	count := func(latency uint64) int {
		spec := oneScheduler()
		spec.LSU.QueueDepth, spec.LSU.Skip, spec.L1.MSHRs = 2, true, 1
		b := newBench(t, spec)
		b.memory.latency = latency
		for id := range 2 {
			at := uint64(id) << 30
			b.placeAt(0, tenant.ID(id), program(load(1, at), load(2, at+1<<20), load(3, at+1<<21)))
		}
		return ticks(b)
	}
	require.Equal(t, count(2000), count(9000))
}

// The second instruction of a cycle needs a place in its tenant's share too.
func TestSecondInstructionOfACycleNeedsItsTenantsShare(t *testing.T) {
	for skip, want := range map[bool]uint64{false: 1, true: 32} {
		spec := wide()
		spec.IssueWidth, spec.FrontEnd.BufferDepth, spec.FrontEnd.FetchWidth = 2, 8, 8
		spec.LSU.QueueDepth, spec.LSU.Skip = 2, skip
		b := newBench(t, spec)
		b.placeAt(0, 1, program(load(1, 1<<30), use(1))) // it is there, and waits for memory
		r := b.placeAt(20, 0, program(scattered(1, 0), script.Op(workload.Int, 2), script.Op(workload.Int, 3), load(4, 1<<20)))
		b.run()
		require.Equal(t, []uint64{0, 0, 1, want}, relative(r.issued, r.issued[0]), "skip: %v", skip)
	}
}
