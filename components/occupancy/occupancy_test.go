package occupancy

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modest demands little of everything.
var modest = Demand{TBs: 1, Threads: 32, Warps: 1, Registers: 32, SharedBytes: 16}

func TestOccupancyNamesTheLimitingResource(t *testing.T) {
	for _, c := range []struct {
		change   func(d *Demand)
		tbs      int
		limiting string
	}{
		{func(*Demand) {}, 32, "thread block slots"},
		{func(d *Demand) { d.Threads = 100 }, 20, "threads"},
		{func(d *Demand) { d.Warps = 4 }, 16, "warp slots"},
		{func(d *Demand) { d.Registers = 65536 / 3 }, 3, "registers"},
		{func(d *Demand) { d.SharedBytes = 48 << 10 }, 2, "shared memory"},
		{func(d *Demand) { d.SharedBytes = 96<<10 + 1 }, 0, "shared memory"},
		{func(d *Demand) { d.Threads = 2049 }, 0, "threads"},
	} {
		d := modest
		c.change(&d)
		tbs, limiting := gtx980.Occupancy(d)
		require.Equal(t, c.tbs, tbs, "%+v", d)
		require.Equal(t, c.limiting, limiting, "%+v", d)
	}
}

func TestPartFilledWarpTakesAWarpSlot(t *testing.T) {
	// 33 threads are two warps: 32 TBs by warps where 62 would fit by threads.
	c := Capacity{TBs: 100, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{0}}
	tbs, limiting := c.Occupancy(Demand{TBs: 1, Threads: 33, Warps: 2})
	require.Equal(t, 32, tbs)
	require.Equal(t, "warp slots", limiting)
}

func TestSharedMemoryIsSetToTheSmallestSizeThatLaunches(t *testing.T) {
	for _, c := range []struct{ bytes, tbs int }{
		{1 << 10, 16}, // 16 KB: TB slots limit
		{2 << 10, 8},  // 16 KB
		{16 << 10, 1}, // 16 KB just launches it
		{16<<10 + 1, 1},
		{11 << 10, 1},
		{20 << 10, 1},
		{32<<10 + 1, 1},
		{48 << 10, 1},
		{48<<10 + 1, 0},
	} {
		require.Equal(t, c.tbs, fill(&k20c, Demand{TBs: 1, SharedBytes: c.bytes}), "%d bytes", c.bytes)
	}
}

func TestLargerThreadBlockMakesRoomForSmallerOnes(t *testing.T) {
	small, large := Demand{TBs: 1, SharedBytes: 8 << 10}, Demand{TBs: 1, SharedBytes: 24 << 10}
	var u Usage
	u.Take(small)
	u.Take(small)
	require.False(t, k20c.Fits(&u, small), "16 KB are full")
	require.False(t, k20c.Fits(&u, large), "16 KB and 24 KB exceed the 32 KB that launch the larger")
	u.Release(small)
	require.True(t, k20c.Fits(&u, large))
	u.Take(large)
	require.False(t, k20c.Fits(&u, small), "32 KB are full")
	// The setting stays until the SM is empty.
	u.Release(large)
	u.Take(small)
	u.Take(small)
	require.True(t, k20c.Fits(&u, small), "8 KB of 32 KB are left")
	for range 3 {
		u.Release(small)
	}
	require.Equal(t, Usage{}, u)
	require.Equal(t, 2, fill(&k20c, small))
}

func TestCheckNamesTheResourceThatIsExceeded(t *testing.T) {
	for _, c := range []struct {
		change func(d *Demand)
		want   string
	}{
		{func(d *Demand) { d.Threads = 2049 }, "a thread block takes 2049 threads, an SM has 2048"},
		{func(d *Demand) { d.Registers = 65537 }, "a thread block takes 65537 registers, an SM has 65536"},
		{func(d *Demand) { d.SharedBytes = 49153 }, "a thread block takes 49153 bytes of shared memory, an SM has 49152"},
		{func(d *Demand) { d.Warps = 65 }, "a thread block takes 65 warp slots, an SM has 64"},
	} {
		d := modest
		c.change(&d)
		require.EqualError(t, k20c.Check(d), c.want)
	}
	largest := Demand{TBs: 1, Threads: 2048, Warps: 64, Registers: 65536, SharedBytes: 48 << 10}
	require.NoError(t, k20c.Check(largest))
	require.Equal(t, 1, fill(&k20c, largest))
}

// The three views of the account agree, and none of the resources is exceeded.
func TestFitsOccupancyAndCheckAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		threads := number("threads", 2100)
		d := Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32, Registers: number("registers", 70000), SharedBytes: number("shared", 50000)}
		tbs, _ := k20c.Occupancy(d)
		require.Equal(t, tbs, fill(&k20c, d))
		require.Equal(t, tbs > 0, k20c.Check(d) == nil)
	})
}

func TestUsageNeverExceedsTheCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u Usage
		var resident []Demand
		for range 60 {
			threads := rapid.IntRange(1, 1024).Draw(t, "threads")
			d := Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32, Registers: rapid.IntRange(0, 30000).Draw(t, "registers"),
				SharedBytes: rapid.IntRange(0, 48<<10).Draw(t, "shared")}
			if k20c.Fits(&u, d) {
				u.Take(d)
				resident = append(resident, d)
			} else if len(resident) > 0 {
				i := rapid.IntRange(0, len(resident)-1).Draw(t, "leaves")
				u.Release(resident[i])
				resident = append(resident[:i], resident[i+1:]...)
			}
			var sum Demand
			for _, d := range resident {
				sum = sum.Add(d)
			}
			require.Equal(t, sum, u.Demand)
			require.True(t, sum.TBs <= 16 && sum.Threads <= 2048 && sum.Warps <= 64 && sum.Registers <= 65536 && sum.SharedBytes <= 48<<10)
		}
	})
}

func TestDemandsAddUp(t *testing.T) {
	twice := modest.Add(modest)
	require.Equal(t, Demand{2, 64, 2, 64, 32}, twice)
	require.Equal(t, modest, twice.Sub(modest))
	require.Equal(t, modest.Times(3), twice.Add(modest))
	require.Zero(t, modest.Times(0))
}
