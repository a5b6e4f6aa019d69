package sm

import (
	"testing"

	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// unified is an SM with 16 KB for its L1, of one set, and shared memory.
func unified() Spec {
	spec := testSpec()
	spec.L1.Sets, spec.L1.Ways, spec.L1.AllocateOnFill, spec.L1.SetIndex = 1, 128, true, "linear"
	spec.UnifiedBytes, spec.Carveouts, spec.SharedBytes = 128*protocol.LineBytes, []int{0, 1024, 4096, 8192}, []int{8192}
	return spec
}

// placeSharing places a thread block of one warp with some shared memory.
func placeSharing(b *bench, shared int, list []workload.Inst) {
	b.placeStreams(0, &recorder{list: list, sm: b.sm}).Demand.SharedBytes = shared
}

// twice reads some lines and then reads them again, each load waiting for the one before.
func twice(lines int) (list []workload.Inst) {
	for i := range 2 * lines {
		load := script.Access(workload.Load, workload.Global, uint64(i%lines)*protocol.LineBytes, 0, 4, 1, 1)
		load.Active = 1
		list = append(list, load)
	}
	return list
}

// unifiedHits is the loads that hit of a thread block that reads lines twice, with some shared
// memory.
func unifiedHits(t *testing.T, shared, lines int) int {
	spec := unified()
	require.NoError(t, spec.Validate())
	b := newBench(t, spec)
	b.Limit = 10_000_000
	placeSharing(b, shared, twice(lines))
	b.run()
	return int(b.kernel(0).L1.Hits)
}

// Of 128 ways a carve-out of 1 KB leaves 120, of 4 KB 96, of 8 KB 64. Lines that do not fit
// are all displaced before their turn comes again.
func TestTheL1HasWhatTheCarveOutLeaves(t *testing.T) {
	for _, c := range []struct{ shared, ways int }{{0, 128}, {1, 120}, {1024, 120}, {1025, 96}, {4096, 96}, {5000, 64}, {8192, 64}} {
		require.Equal(t, c.ways, unifiedHits(t, c.shared, c.ways), "%d bytes", c.shared)
		require.Zero(t, unifiedHits(t, c.shared, c.ways+1), "%d bytes", c.shared)
	}
}

func TestTheCarveOutGrowsWithEachThreadBlockAndShrinksOnAnEmptySM(t *testing.T) {
	b := newBench(t, unified())
	short, long := twice(1), append(twice(1), alu(3000)...)
	placeSharing(b, 1024, long)
	b.RunTo(100)
	require.Equal(t, 1024, b.sm.carved)
	placeSharing(b, 1024, short)
	b.RunTo(200)
	require.Equal(t, 4096, b.sm.carved)
	b.RunTo(2000)
	placeSharing(b, 0, short)
	b.RunTo(2100)
	require.Equal(t, 4096, b.sm.carved, "the first thread block is there")
	b.run()
	placeSharing(b, 0, short)
	b.run()
	require.Equal(t, 0, b.sm.carved)
}

func TestCarveOutsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"carveouts go with unified_bytes above 0":                                                             func(s *Spec) { s.UnifiedBytes = 0 },
		"carveouts must list at least one size in bytes, ascending, none below 0":                             func(s *Spec) { s.Carveouts = []int{8192, 0} },
		"carveouts end with 4096, must reach the 8192 of shared_bytes":                                        func(s *Spec) { s.Carveouts = []int{0, 4096} },
		"carveouts end with 16384, which leaves the L1 less than a way of its 1 sets in unified_bytes, 16384": func(s *Spec) { s.Carveouts = []int{0, 16384} },
		"l1.ways is 64, must be the 128 that the least carve-out leaves of unified_bytes":                     func(s *Spec) { s.L1.Ways = 64 },
		"unified_bytes goes with l1.allocate_on_fill: true and l1.victim: lru":                                func(s *Spec) { s.L1.AllocateOnFill = false },
	} {
		spec := unified()
		change(&spec)
		require.EqualError(t, spec.Validate(), want)
	}
}
