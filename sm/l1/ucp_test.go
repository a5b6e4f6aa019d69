package l1

import (
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// given is the rule with a division by tenant.
func given(ways ...uint16) *UCP {
	u := &UCP{divided: true}
	copy(u.given[:], ways)
	return u
}

func TestUCPDividesSets(t *testing.T) {
	for _, c := range []struct {
		name, ways string
		tenant     tenant.ID
		want       int
	}{
		{"below its ways: the oldest of one that has too many", "0111", 0, 1},
		{"below its ways: not the oldest of one that has not", "0131", 0, 2},
		{"below its ways: of one that has too many, not pinned", "01!11", 0, 2},
		{"at its ways: its own oldest", "1001", 0, 1},
		{"at its ways, though another has too many: its own oldest", "10011", 0, 1},
		{"at its ways: not pinned", "10!01", 0, 2},
		{"at its ways, all its own pinned: it waits", "10!0!1", 0, cache.None},
		{"above its ways: its own oldest", "1000", 0, 1},
		{"below its ways, all that are too many pinned: its own", "01!1!1!", 0, 0},
		{"below its ways, those and its own pinned: it waits", "0!1!1!1!", 0, cache.None},
		{"an empty way first, at its ways too", "100e", 0, 3},
		{"an empty way, though it is pinned, is none", "1e!00", 0, 2},
		{"without ways, without lines: the oldest of all", "1001", 4, 0},
		{"without ways, with lines: its own", "1041", 4, 2},
		{"below its ways, without lines, those that are too many pinned: the oldest", "1!1!1!2", 0, 3},
		{"all pinned: it waits", "1!1!1!1!", 0, cache.None},
	} {
		require.Equal(t, c.want, given(2, 2).Pick(set(c.ways), c.tenant), c.name)
	}
}

func TestUCPIsLRUUntilItHasDivided(t *testing.T) {
	require.Equal(t, 0, (&UCP{given: [tenant.Max]uint16{3, 1}}).Pick(set("1000"), 0))
	require.Equal(t, 1, given(3, 1).Pick(set("1000"), 0))
}

func TestUCPPicksAWayThatIsNotPinned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := given(uint16(rapid.IntRange(0, 4).Draw(t, "first")), uint16(rapid.IntRange(0, 4).Draw(t, "second")))
		u.divided = rapid.Bool().Draw(t, "divided")
		s := set(rapid.StringMatching(`([0-3e]!?){1,8}`).Draw(t, "ways"))
		if way := u.Pick(s, tenant.ID(rapid.IntRange(0, 3).Draw(t, "tenant"))); way != cache.None {
			require.Less(t, way, s.Ways())
			require.False(t, s.Pinned(way))
		}
	})
}

// TestShadowHitsAreThoseOfCachesOfEverySize: the hits of the first n positions are
// the hits of a cache of n ways that the tenant has alone.
func TestShadowHitsAreThoseOfCachesOfEverySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const sets, ways = 3, 5
		s := newShadow(sets, ways)
		alone := make([]*cache.Tags, ways)
		hits := make([]uint32, ways)
		for n := range alone {
			alone[n] = cache.NewTags(sets, n+1, cache.Index{})
		}
		for range rapid.IntRange(1, 80).Draw(t, "loads") {
			addr := uint64(rapid.IntRange(0, 20).Draw(t, "line")) * protocol.LineBytes
			first := alone[ways-1].Set(addr).First()
			drop := rapid.IntRange(0, 5).Draw(t, "drop") == 0
			if drop {
				s.drop(first, addr)
			} else {
				s.load(first, addr)
			}
			for n, tags := range alone {
				line, _ := tags.Probe(addr, 0)
				switch {
				case drop && line != cache.None:
					tags.Drop(line)
				case drop:
				case line != cache.None:
					hits[n]++
					tags.Touch(line)
				default:
					tags.Reserve(addr, 0)
				}
			}
			sum := uint32(0)
			for n, h := range s.hits {
				sum += h
				require.Equal(t, hits[n], sum, "%d ways", n+1)
			}
		}
	})
}

// ucp is a cache of one set of four ways with misses that are answered at once, and with
// a period of 1,000 cycles.
type ucp struct {
	*Cache
	t    *testing.T
	rule *UCP
	next uint64
}

func (u *ucp) AccessDone(uint32)           {}
func (u *ucp) AccessDoneAt(uint32, uint64) {}

func newUCPBench(t *testing.T, onFill bool) *ucp {
	spec := Spec{Sets: 1, Ways: 4, Victim: "ucp", UCPPeriod: 1000, AllocateOnFill: onFill, HitLatency: 30, MissLatency: 1, MSHRs: 4, MSHRMerge: 2,
		MissQueue: 8, StoreBuffer: 8, ReplyQueue: 4, Globals: "cached", WriteEvict: true}
	rule, err := NewVictim(&spec)
	require.NoError(t, err)
	u := &ucp{t: t, rule: rule.(*UCP)}
	u.Cache = New(spec, Parts{Slice: func(uint64) int { return 0 }, Packets: &components.Pool[protocol.Packet]{}, Waiter: u,
		Queue: egress.NewFIFO(8, 8), Victim: rule})
	return u
}

// load loads a line of a tenant and reports whether it hit.
func (u *ucp) load(cycle uint64, id tenant.ID, line int) bool {
	addr := tenant.Account(id).Base() | uint64(line)*protocol.LineBytes
	outcome := u.Access(&Request{Account: id.Account(0), Class: workload.Load}, &Access{Line: addr, Sectors: 1}, cycle)
	if outcome == Missed {
		p := u.queue.Front(cycle + 1)
		u.queue.Pop()
		p.Kind = protocol.ReadReply
		u.Reply(p, cycle)
	}
	require.NotEqual(u.t, Refused, outcome)
	return outcome == Hit
}

// stream loads lines of tenant 1 that it never loads again, and three of tenant 0
// again and again, and returns how many of tenant 0's hit.
func (u *ucp) stream(from uint64, rounds int) (hits int) {
	for i := range uint64(rounds) {
		for line := range 3 {
			if u.load(from+i, 0, line) {
				hits++
			}
			u.next++
			u.load(from+i, 1, int(u.next))
		}
	}
	return hits
}

func TestUCPGivesWaysToTheTenantThatUsesThem(t *testing.T) {
	for _, onFill := range []bool{false, true} {
		u := newUCPBench(t, onFill)
		require.Zero(t, u.stream(0, 100), "the stream displaces all")
		require.Equal(t, []uint32{0, 0, 297, 0}, u.rule.shadows[0].hits)
		require.Equal(t, []uint32{0, 0, 0, 0}, u.rule.shadows[1].hits)
		require.Zero(t, u.stream(999, 1), "the period has not ended at cycle 999")
		require.GreaterOrEqual(t, u.stream(1000, 100), 3*100-3, "it has at cycle 1000")
		require.Equal(t, []uint16{3, 1}, u.rule.given[:2])
		require.Equal(t, uint32((297+3)/2+300), u.rule.shadows[0].hits[2], "halved")
	}
}

func TestUCPEndsEveryPeriodOfAPause(t *testing.T) {
	u := newUCPBench(t, false)
	u.stream(0, 100)
	u.load(4999, 0, 0)
	require.Equal(t, uint64(5000), u.rule.next)
	require.False(t, u.rule.divided, "nobody has loaded in the last whole period")
	require.Equal(t, uint32(297/2/2/2/2+1), u.rule.shadows[0].hits[2])
}

func TestUCPDividesBetweenThoseThatLoadInAPeriod(t *testing.T) {
	u := newUCPBench(t, false)
	u.stream(0, 10)
	u.load(10, 2, 0)
	u.load(1000, 0, 0)
	require.Equal(t, []uint16{2, 1, 1}, u.rule.given[:3], "less than three save it nothing, but there are no more")
	u.load(1001, 1, 1000)
	u.load(2000, 0, 0)
	require.Equal(t, []uint16{3, 1, 0}, u.rule.given[:3])
	u.load(3000, 0, 0)
	require.False(t, u.rule.divided, "one alone has all")
}

func TestUCPDoesNotDivideBetweenMoreTenantsThanWays(t *testing.T) {
	for n := range tenant.ID(6) {
		u := newUCPBench(t, false)
		for id := range n {
			u.load(0, id, 0)
		}
		u.load(1000, 0, 0)
		require.Equal(t, n >= 2 && n <= 4, u.rule.divided, "%d tenants", n)
	}
}

func TestUCPCountsLoadsOnly(t *testing.T) {
	u := newUCPBench(t, false)
	write := func(class workload.Class) {
		base := tenant.Account(0).Base()
		u.Access(&Request{Class: class}, &Access{Line: base, Sectors: 1, Written: [2]uint64{1, 0}}, 0)
		u.queue.Pop()
	}
	write(workload.Store)
	require.Nil(t, u.rule.shadows[0])
	for _, class := range []workload.Class{workload.Store, workload.Reduction} {
		u.load(0, 0, 0)
		u.load(0, 0, 0)
		before := slices.Clone(u.rule.shadows[0].hits)
		write(class)
		require.Equal(t, before, u.rule.shadows[0].hits)
		u.load(0, 0, 0)
		require.Equal(t, before, u.rule.shadows[0].hits, "the line does not stay")
	}
}

func TestUCPForgetsLinesThatAreInvalidated(t *testing.T) {
	u := newUCPBench(t, false)
	u.load(0, 0, 0)
	u.Invalidate(1)
	u.Invalidate(0)
	u.load(0, 0, 0)
	require.Zero(t, u.rule.shadows[0].hits[0])
	u.load(0, 0, 0)
	require.Equal(t, uint32(1), u.rule.shadows[0].hits[0])
}

func TestUCPFollowsARefusedLoadOnce(t *testing.T) {
	u := newUCPBench(t, false)
	for line := range 4 {
		u.Access(&Request{Class: workload.Load}, &Access{Line: uint64(line) * protocol.LineBytes, Sectors: 1}, 0)
	}
	for cycle := range uint64(3) {
		require.Equal(t, Refused, u.Access(&Request{Class: workload.Load}, &Access{Line: 9 * protocol.LineBytes, Sectors: 1}, cycle))
	}
	require.NotContains(t, u.rule.shadows[0].lines, uint64(9*protocol.LineBytes))
	u.Access(&Request{Class: workload.Load}, &Access{Line: 3 * protocol.LineBytes, Sectors: 1}, 3)
	require.Equal(t, []uint32{1, 0, 0, 0}, u.rule.shadows[0].hits, "a load that joins a miss hits the shadow tags")
}
