package icache

import (
	"slices"
	"testing"

	"cotenant/components/limits"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// small has two sets of two lines of 32 bytes.
var small = Spec{Sets: 2, Ways: 2, LineBytes: 32, MSHRs: 2, MissLatency: 10}

// look is Lookup's result alone.
func look(c *Cache, cycle, addr uint64) Result {
	r, _ := c.Lookup(cycle, addr, 0)
	return r
}

// fill brings lines in, one after the other, and returns the cycle.
func fill(t *testing.T, c *Cache, cycle uint64, addrs ...uint64) uint64 {
	for _, addr := range addrs {
		require.Equal(t, Miss, look(c, cycle, addr))
		cycle += uint64(c.spec.MissLatency)
		_, ok := c.Arrive(cycle)
		require.True(t, ok)
	}
	return cycle
}

func TestLineIsThereAfterTheMissLatencyNotACycleBefore(t *testing.T) {
	c := New(small, nil)
	_, ok := c.Next()
	require.False(t, ok)
	r, mshr := c.Lookup(5, 100, 0)
	require.Equal(t, Miss, r)
	next, ok := c.Next()
	require.True(t, ok)
	require.Equal(t, uint64(15), next)
	_, ok = c.Arrive(14)
	require.False(t, ok)
	require.Equal(t, Miss, look(c, 14, 100))
	got, ok := c.Arrive(15)
	require.True(t, ok)
	require.Equal(t, mshr, got)
	require.Equal(t, Hit, look(c, 15, 100))
	_, ok = c.Arrive(100)
	require.False(t, ok)
	_, ok = c.Next()
	require.False(t, ok)
}

func TestAddressesOfOneLineHitTogether(t *testing.T) {
	c := New(small, nil)
	cycle := fill(t, c, 0, 96)
	for _, addr := range []uint64{96, 100, 127} {
		require.Equal(t, Hit, look(c, cycle, addr))
	}
	require.Equal(t, Miss, look(c, cycle, 95))
	require.Equal(t, Miss, look(c, cycle, 128))
}

func TestLineOnItsWayIsWaitedForWithOneMSHR(t *testing.T) {
	c := New(small, nil)
	_, first := c.Lookup(0, 0, 0)
	r, again := c.Lookup(3, 4, 1)
	require.Equal(t, Miss, r)
	require.Equal(t, first, again)
	r, other := c.Lookup(4, 32, 0)
	require.Equal(t, Miss, r)
	require.NotEqual(t, first, other)
	require.Equal(t, Full, look(c, 5, 64), "both are taken")
	got, ok := c.Arrive(10)
	require.True(t, ok)
	require.Equal(t, first, got)
	require.Equal(t, Miss, look(c, 10, 64))
	next, _ := c.Next()
	require.Equal(t, uint64(14), next, "the second is the next to come")
	require.Equal(t, TenantStats{Accesses: 3, Misses: 3}, *c.Stats(0), "a lookup that finds no MSHR is made again")
	require.Equal(t, TenantStats{Accesses: 1, Misses: 1}, *c.Stats(1))
}

func TestLeastRecentlyUsedLineMakesRoom(t *testing.T) {
	c := New(small, nil) // lines 0, 64, 128, 192 share a set
	cycle := fill(t, c, 0, 0, 32, 64)
	require.Equal(t, Hit, look(c, cycle, 0))
	cycle = fill(t, c, cycle, 128)
	require.Equal(t, Hit, look(c, cycle, 0))
	require.Equal(t, Hit, look(c, cycle, 32), "another set")
	require.Equal(t, Hit, look(c, cycle, 128))
	require.Equal(t, Miss, look(c, cycle, 64))
}

func TestRangesNameTheField(t *testing.T) {
	for _, c := range []struct {
		change func(*Spec)
		err    string
	}{
		{func(s *Spec) { s.Sets = -1 }, "sets is -1, must be 0 to 4096"},
		{func(s *Spec) { s.Sets = 4097 }, "sets is 4097, must be 0 to 4096"},
		{func(s *Spec) { s.Ways = 0 }, "ways is 0, must be 1 to 256"},
		{func(s *Spec) { s.LineBytes = 48 }, "line_bytes is 48, must be a power of two from 16 to 1024"},
		{func(s *Spec) { s.LineBytes = 8 }, "line_bytes is 8, must be a power of two from 16 to 1024"},
		{func(s *Spec) { s.LineBytes = 2048 }, "line_bytes is 2048, must be a power of two from 16 to 1024"},
		{func(s *Spec) { s.MSHRs = 257 }, "mshrs is 257, must be 1 to 256"},
		{func(s *Spec) { s.MissLatency = 0 }, "miss_latency is 0, must be 1 to 1023"},
		{func(s *Spec) { s.MissLatency = 1024 }, "miss_latency is 1024, must be 1 to 1023"},
	} {
		spec := small
		c.change(&spec)
		require.EqualError(t, limits.Check(spec), c.err)
	}
	require.NoError(t, limits.Check(small))
	require.NoError(t, limits.Check(Spec{Ways: -1}), "without sets nothing else counts")
}

func TestCacheAgreesWithListsOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{Sets: rapid.IntRange(1, 3).Draw(t, "sets"), Ways: rapid.IntRange(1, 3).Draw(t, "ways"), LineBytes: 16,
			MSHRs: rapid.IntRange(1, 3).Draw(t, "mshrs"), MissLatency: rapid.IntRange(1, 9).Draw(t, "latency")}
		c := New(spec, nil)
		sets := make(map[uint64][]uint64) // the last used line last
		type coming struct{ line, at uint64 }
		var fetches []coming
		for cycle := range uint64(rapid.IntRange(1, 100).Draw(t, "cycles")) {
			for {
				_, ok := c.Arrive(cycle)
				require.Equal(t, len(fetches) > 0 && fetches[0].at <= cycle, ok)
				if !ok {
					break
				}
				set := (fetches[0].line + 1) % uint64(spec.Sets)
				sets[set] = append(sets[set], fetches[0].line)
				if len(sets[set]) > spec.Ways {
					sets[set] = sets[set][1:]
				}
				fetches = fetches[1:]
			}
			line := uint64(rapid.IntRange(0, 9).Draw(t, "line"))
			set := (line + 1) % uint64(spec.Sets)
			want := Miss
			switch i := slices.Index(sets[set], line); {
			case i >= 0:
				want = Hit
				sets[set] = append(slices.Delete(sets[set], i, i+1), line)
			case slices.ContainsFunc(fetches, func(f coming) bool { return f.line == line }):
			case len(fetches) == spec.MSHRs:
				want = Full
			default:
				fetches = append(fetches, coming{line, cycle + uint64(spec.MissLatency)})
			}
			got, _ := c.Lookup(cycle, line*16+cycle%16, tenant.Account(0))
			require.Equal(t, want, got)
		}
	})
}
