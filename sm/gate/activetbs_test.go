package gate

import (
	"maps"
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// limits is the control message with limits for tenants 0, 1, ...
func limits(most ...uint8) *protocol.ActiveTBs {
	m := &protocol.ActiveTBs{On: true}
	copy(m.Most[:], most)
	return m
}

// throttled are the slots that the gate holds back on each scheduler at the next
// edge.
func throttled(a *ActiveTBs) (list []warps.Mask) {
	a.Edge()
	for i := range a.schedulers {
		all, memory := a.Masks(i)
		if memory != 0 {
			panic("active thread blocks are not for memory instructions alone")
		}
		list = append(list, all)
	}
	return list
}

// gone has the warps of one slot of some schedulers end and leave.
func (a *ActiveTBs) gone(slot int, schedulers ...int) {
	for _, i := range schedulers {
		a.Ended(i, slot)
		a.Freed(i, slot)
	}
}

// three places three thread blocks of tenant 0, each with two warps in the same slot of
// two schedulers, and a thread block of tenant 1 in between.
func three() *ActiveTBs {
	a := NewActiveTBs(2)
	for i, t := range []tenant.ID{0, 1, 0, 0} {
		a.Placed(0, i, t, uint64(i+7))
		a.Placed(1, i, t, uint64(i+7))
	}
	return a
}

func TestLastPlacedThreadBlocksAreThrottled(t *testing.T) {
	for most, want := range []warps.Mask{0, 0b1100, 0b1000, 0, 0} {
		a := three()
		require.False(t, a.Active())
		require.True(t, a.Control(limits(uint8(most))))
		require.True(t, a.Active())
		require.Equal(t, []warps.Mask{want, want}, throttled(a), "at most %d", most)
	}
}

func TestLimitsAreEachTenantsOwn(t *testing.T) {
	a := three()
	a.Placed(0, 9, 1, 20)
	a.Control(limits(0, 1))
	require.Equal(t, []warps.Mask{1 << 9, 0}, throttled(a))
}

func TestOldestThrottledGoesOnWhenTheLastWarpOfAnActiveOneLeaves(t *testing.T) {
	a := three()
	a.Control(limits(1))
	a.Ended(0, 0)
	a.Ended(1, 0)
	require.Equal(t, []warps.Mask{0b1100, 0b1100}, throttled(a), "stores are on their way")
	a.Freed(0, 0)
	require.Equal(t, []warps.Mask{0b1100, 0b1100}, throttled(a), "the other scheduler's warp is there")
	a.Freed(1, 0)
	require.Equal(t, []warps.Mask{0b1000, 0b1000}, throttled(a))
	a.Placed(0, 0, 0, 11)
	require.Equal(t, []warps.Mask{0b1001, 0b1000}, throttled(a), "the one in its slot is the last placed")
}

func TestThrottledThreadBlockThatLeavesWakesNobody(t *testing.T) {
	a := three()
	a.Control(limits(1))
	a.gone(2, 0, 1)
	require.Equal(t, []warps.Mask{0b1000, 0b1000}, throttled(a))
}

func TestLimitsAreReplacedAndEnded(t *testing.T) {
	a := three()
	a.Control(limits(1))
	a.Control(limits(2))
	require.Equal(t, []warps.Mask{0b1000, 0b1000}, throttled(a))
	require.False(t, a.Control(&protocol.Quotas{}))
	require.True(t, a.Control(&protocol.ActiveTBs{Most: limits(1).Most}))
	require.False(t, a.Active())
	a.gone(0, 0, 1)
	a.Control(limits(2))
	require.Equal(t, []warps.Mask{0, 0}, throttled(a), "what came and went meanwhile counts")
}

func TestActiveTBsEdgeChangesWithWarpsOnly(t *testing.T) {
	a := three()
	a.Control(limits(1))
	a.Issued(0, 0, nil)
	require.False(t, a.Edge())
	a.Ended(0, 0)
	require.False(t, a.Edge())
	a.Freed(0, 0)
	require.True(t, a.Edge())
	require.False(t, a.Edge())
}

func TestActiveTBsAgreesWithAWrittenRule(t *testing.T) {
	type warp struct {
		t  tenant.ID
		tb uint64
	}
	rapid.Check(t, func(t *rapid.T) {
		schedulers := rapid.IntRange(1, 3).Draw(t, "schedulers")
		a, there, next, most := NewActiveTBs(schedulers), map[place]warp{}, uint64(0), [tenant.Max]uint8{}
		on := false
		for range rapid.IntRange(1, 40).Draw(t, "edges") {
			if rapid.IntRange(0, 3).Draw(t, "place") > 0 {
				next++
				id := tenant.ID(rapid.IntRange(0, 2).Draw(t, "tenant"))
				for range rapid.IntRange(1, 3).Draw(t, "warps") {
					p := place{rapid.IntRange(0, schedulers-1).Draw(t, "scheduler"), rapid.IntRange(0, 9).Draw(t, "slot")}
					if _, taken := there[p]; !taken {
						there[p] = warp{id, next}
						a.Placed(p.scheduler, p.slot, id, next)
					}
				}
			}
			for p := range maps.Clone(there) {
				if (p.slot+int(next))%4 == 0 {
					delete(there, p)
					a.gone(p.slot, p.scheduler)
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "control") == 0 {
				on = rapid.IntRange(0, 3).Draw(t, "on") > 0
				for i := range 3 {
					most[i] = uint8(rapid.IntRange(0, 3).Draw(t, "most"))
				}
				a.Control(&protocol.ActiveTBs{On: on, Most: most})
			}
			if !on {
				continue
			}
			blocks := map[tenant.ID][]uint64{} // in order of placement
			for _, w := range there {
				if !slices.Contains(blocks[w.t], w.tb) {
					blocks[w.t] = append(blocks[w.t], w.tb)
				}
			}
			want := make([]warps.Mask, schedulers)
			for p, w := range there {
				slices.Sort(blocks[w.t])
				if n := int(most[w.t]); n > 0 && slices.Index(blocks[w.t], w.tb) >= n {
					want[p.scheduler] |= 1 << p.slot
				}
			}
			require.Equal(t, want, throttled(a))
		}
	})
}
