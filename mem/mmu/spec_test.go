package mmu_test

import (
	"testing"

	"cotenant/mem/mmu"

	"github.com/stretchr/testify/require"
)

func TestSpecNamesTheFieldThatIsOutOfRange(t *testing.T) {
	s := pagefault()
	require.NoError(t, s.Validate())
	require.True(t, s.On())
	for want, change := range map[string]func(*mmu.Spec){
		"l2_tlb.entries is -8, must be 1 to 1048576":                                        func(s *mmu.Spec) { s.L2TLB.Entries = -8 },
		"l2_tlb.entries is 1020, must be a multiple of ways, 8":                             func(s *mmu.Spec) { s.L2TLB.Entries = 1020 },
		"l2_tlb.ways is 0, must be 1 to 1024":                                               func(s *mmu.Spec) { s.L2TLB.Ways = 0 },
		"l2_tlb.mshrs is 4097, must be 1 to 4096":                                           func(s *mmu.Spec) { s.L2TLB.MSHRs = 4097 },
		"l2_tlb.latency is 1, must be 2 to 65536":                                           func(s *mmu.Spec) { s.L2TLB.Latency = 1 },
		"l2_tlb.lookups_per_cycle is -1, must be 0 to 1024":                                 func(s *mmu.Spec) { s.L2TLB.LookupsPerCycle = -1 },
		"l2_tlb.queue is 0, must be 1 to 65536":                                             func(s *mmu.Spec) { s.L2TLB.Queue = 0 },
		"fill.walkers is 0, must be 1 to 4096":                                              func(s *mmu.Spec) { s.Fill.Walkers = 0 },
		"fill.walk_latency is 2, must be 3 to 65536":                                        func(s *mmu.Spec) { s.Fill.WalkLatency = 2 },
		"fill.queue is 0, must be 1 to 65536":                                               func(s *mmu.Spec) { s.Fill.Queue = 0 },
		"fill.region_bytes is 65535, must be a power of two up to 1073741824":               func(s *mmu.Spec) { s.Fill.RegionBytes = 65535 },
		"fill.region_bytes is 2147483648, must be a power of two up to 1073741824":          func(s *mmu.Spec) { s.Fill.RegionBytes = 1 << 31 },
		"page_bytes is 64, must be a power of two from 128 to fill.region_bytes, 65536":     func(s *mmu.Spec) { s.PageBytes = 64 },
		"page_bytes is 131072, must be a power of two from 128 to fill.region_bytes, 65536": func(s *mmu.Spec) { s.PageBytes = 1 << 17 },
		"page_bytes is 4097, must be a power of two from 128 to fill.region_bytes, 65536":   func(s *mmu.Spec) { s.PageBytes = 4097 },
	} {
		s := pagefault()
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
	s = mmu.Spec{}
	require.NoError(t, s.Validate(), "there is none")
	require.False(t, s.On())
}

// The least valid latencies come out as they are set.
func TestLeastLatenciesAreKept(t *testing.T) {
	s := pagefault()
	s.L2TLB.Latency, s.Fill.WalkLatency = 2, 3
	link := nvlink
	link.MigrateNs, link.AllocateNs = 3, 3
	r := newRig(t, s, link, 1)
	r.table.SetOther(0, 1, 0)
	r.ask(10, 0, 0, false)
	r.ask(1000, 0, 0, false)
	r.ask(2000, 0, 0, true)
	r.Run()
	require.Equal(t, []answer{{15, 0, 1}, {1005, 0, 0}, {2002, 0, 0}}, r.answers(0))
	require.Equal(t, uint64(18), r.told(0)[0].cycle)
}
