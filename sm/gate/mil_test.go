package gate

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNextLimit(t *testing.T) {
	for _, c := range []struct {
		name              string
		limit, peak       int
		accesses, refused uint64
		want              int
	}{
		{"hardly refused: one more", 7, 7, 1024, 1023, 8},
		{"not refused, though it has not come to its limit", 7, 2, 1024, 0, 8},
		{"refused as often as accessed: one below the peak", 20, 12, 1024, 1024, 11},
		{"a part of a refusal does not count", 20, 12, 1024, 2*1024 - 1, 11},
		{"refused five times each", 20, 12, 1024, 5 * 1024, 7},
		{"never below one", 20, 12, 1024, 12 * 1024, 1},
		{"however often", 20, 12, 1024, 1 << 60, 1},
		{"no limit at first", milNone, 30, 1024, 3 * 1024, 27},
		{"no limit stays none", milNone, 30, 1024, 0, milNone},
		{"by the accesses that there were", 20, 12, 1026, 1025, 21},
	} {
		require.Equal(t, c.want, nextLimit(c.limit, c.peak, c.accesses, c.refused), c.name)
	}
}

// milOf is a gate of two schedulers with a warp of tenants 0 and 1 in slots 0 and
// 1 of each.
func milOf() *MIL {
	m := NewMIL(2)
	for i := range 2 {
		m.Placed(i, 0, 0, 0)
		m.Placed(i, 1, 1, 1)
	}
	m.Edge()
	return m
}

// memory are the slots that a gate keeps from memory on each scheduler.
func memory(g Gate) (list []warps.Mask) {
	for i := range 2 {
		all, memory := g.Masks(i)
		if all != 0 {
			panic("only memory instructions are limited")
		}
		list = append(list, memory)
	}
	return list
}

// train has a tenant have a limit.
func train(m Memory, t tenant.ID, limit int) {
	for range limit + 1 {
		m.Sent(t, 1)
	}
	m.Accessed(t, 1023, 1023)
	m.Accessed(t, 1, 1)
	for range limit + 1 {
		m.Done(t)
	}
	m.Edge()
	m.Closed()
}

func TestTenantAtItsLimitSendsNoMore(t *testing.T) {
	for limit := 1; limit < 5; limit++ {
		m := milOf()
		train(m, 0, limit)
		for n := range limit {
			require.Equal(t, []warps.Mask{0, 0}, memory(m), "%d of %d in flight", n, limit)
			m.Sent(0, 9)
			m.Sent(1, 9)
			require.Equal(t, n == limit-1, m.Closed())
			require.False(t, m.Closed(), "asked again")
		}
		require.Equal(t, []warps.Mask{1, 1}, memory(m), "before the edge ends")
		m.Edge()
		require.Equal(t, []warps.Mask{1, 1}, memory(m))
		m.Done(1)
		m.Edge()
		require.Equal(t, []warps.Mask{1, 1}, memory(m), "another's instruction makes no room")
		m.Done(0)
		require.Equal(t, []warps.Mask{1, 1}, memory(m), "room comes with the edge")
		require.True(t, m.Edge())
		require.Equal(t, []warps.Mask{0, 0}, memory(m))
		require.False(t, m.Edge(), "nothing has happened since")
	}
}

func TestLimitIsSetAfterAPeriodOfTheTenantsAccesses(t *testing.T) {
	m := milOf()
	for range 10 {
		m.Sent(0, 1)
	}
	m.Accessed(1, 1024, 0)
	m.Accessed(0, 1023, 1024*3)
	m.Edge()
	require.Equal(t, []warps.Mask{0, 0}, memory(m), "not after 1,023")
	m.Accessed(0, 1, 0)
	require.Equal(t, []warps.Mask{0, 0}, memory(m), "and not before the edge")
	require.True(t, m.Edge())
	require.Equal(t, []warps.Mask{1, 1}, memory(m))
	require.Equal(t, []int{7, milNone}, m.limits[:2])
	for range 3 {
		m.Done(0)
		m.Edge()
		require.Equal(t, []warps.Mask{1, 1}, memory(m))
	}
	m.Done(0)
	m.Edge()
	require.Equal(t, []warps.Mask{0, 0}, memory(m), "six in flight")
	m.Accessed(0, 1024, 0)
	require.Equal(t, 8, m.limits[0], "the period before does not count")
	m.Accessed(0, 1024, 1024)
	require.Equal(t, 5, m.limits[0], "the peak is that of the period")
}

func TestPeakIsNotAboveTheLimit(t *testing.T) {
	m := milOf()
	for range 10 {
		m.Sent(0, 1)
	}
	m.Accessed(0, 1024, 8*1024)
	require.Equal(t, 2, m.limits[0])
	m.Accessed(0, 1024, 1024)
	require.Equal(t, 1, m.limits[0], "ten that are in flight yet are not what the limit lets")
}

func TestWarpThatComesToATenantAtItsLimitIsHeldBack(t *testing.T) {
	m := milOf()
	train(m, 0, 1)
	m.Sent(0, 1)
	m.Edge()
	m.Placed(1, 7, 0, 5)
	m.Ended(1, 0)
	require.True(t, m.Edge())
	require.Equal(t, []warps.Mask{1, 1 << 7}, memory(m))
}

func TestNobodySteersMIL(t *testing.T) {
	m := milOf()
	require.True(t, m.Active())
	require.Empty(t, m.Takes())
	require.False(t, m.Control(&protocol.Quotas{}))
	require.True(t, m.Active())
}

func TestMILAgreesWithAWrittenRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := milOf()
		type state struct{ limit, flying, peak, accesses, refused int }
		rule := [2]state{{limit: 1024}, {limit: 1024}}
		for range rapid.IntRange(1, 60).Draw(t, "edges") {
			for id := range rule {
				r := &rule[id]
				for range rapid.IntRange(0, 3).Draw(t, "done") {
					if r.flying > 0 {
						r.flying--
						m.Done(tenant.ID(id))
					}
				}
				n, refused := rapid.SampledFrom([]int{0, 300, 1024}).Draw(t, "accesses"), rapid.SampledFrom([]int{0, 0, 300, 1024, 2048}).Draw(t, "refused")
				m.Accessed(tenant.ID(id), n, uint64(refused))
				r.accesses += n
				r.refused += refused
				if r.accesses >= 1024 {
					if fails := r.refused / r.accesses; fails > 0 {
						r.limit = max(1, r.peak-fails)
					} else {
						r.limit = min(1024, r.limit+1)
					}
					r.accesses, r.refused, r.peak = 0, 0, min(r.limit, r.flying)
				}
			}
			m.Edge()
			for range 6 {
				want := warps.Mask(0)
				for id := range rule {
					if rule[id].flying >= rule[id].limit {
						want |= 1 << id
					}
				}
				require.Equal(t, []warps.Mask{want, want}, memory(m))
				id := rapid.IntRange(0, 1).Draw(t, "sends")
				if want>>id&1 == 0 {
					r := &rule[id]
					r.flying++
					r.peak = max(r.peak, r.flying)
					m.Sent(tenant.ID(id), 1)
					require.Equal(t, r.flying == r.limit, m.Closed())
				}
			}
		}
	})
}
