package l1

import (
	"strings"
	"testing"

	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// set makes a set of cache lines: each is 'e' if it is empty, or its tenant's
// digit, behind which '!' says that it is pinned. The least recently used comes
// first.
func set(ways string) cache.Set {
	tags := cache.NewTags(1, len(strings.ReplaceAll(ways, "!", "")), cache.Index{})
	s := tags.Set(0)
	way := -1
	for i, c := range ways {
		switch c {
		case '!':
			tags.Pin(way)
		default:
			if way++; c != 'e' {
				tags.Take(s, way, uint64(i)*protocol.LineBytes, tenant.Account(c-'0'))
			}
		}
	}
	return s
}

func TestLRUPicksTheLeastRecentlyUsedThatIsNotPinned(t *testing.T) {
	for ways, want := range map[string]int{"0121": 0, "0!121": 1, "01e1": 2, "0!1!2!1!": cache.None, "0!1!e!2": 3} {
		require.Equal(t, want, LRU{}.Pick(set(ways), 0), ways)
	}
	require.False(t, LRU{}.Control(&protocol.Ways{}))
}

func TestWaysIsLRUUntilItIsTold(t *testing.T) {
	w := &Ways{}
	require.Equal(t, 0, w.Pick(set("1000"), 0))
	require.True(t, w.Control(&protocol.Ways{On: true, Ways: [tenant.Max]uint8{3, 1}}))
	require.Equal(t, 1, w.Pick(set("1000"), 0))
	require.False(t, w.Control(&protocol.Quotas{}))
	require.Equal(t, 1, w.Pick(set("1000"), 0), "others' messages change nothing")
	require.True(t, w.Control(&protocol.Ways{}))
	require.Equal(t, 0, w.Pick(set("1000"), 0))
}

func TestWaysDividesSets(t *testing.T) {
	for _, c := range []struct {
		name, ways string
		tenant     tenant.ID
		want       int
	}{
		{"at its quota: the oldest of its own", "1001", 0, 1},
		{"at its quota: not an empty way", "e001", 0, 1},
		{"at its quota, its oldest pinned", "10!01", 0, 2},
		{"at its quota, all its own pinned: it waits", "10!0!1", 0, cache.None},
		{"below its quota: an empty way", "11e0", 0, 2},
		{"below its quota: the oldest of one that is over", "3111", 0, 1},
		{"below its quota: one without a quota is over", "1213", 0, 1},
		{"below its quota: of one that is over, not pinned", "31!11", 0, 2},
		{"below its quota, nobody over that can go: the oldest", "1!133", 0, 1},
		{"without a quota and without lines: one that is over", "0111", 4, 1},
		{"without a quota: nobody is over", "0011", 4, 0},
		{"without a quota, with a line: its own", "0014", 4, 3},
		{"all pinned: it waits", "1!1!1!1!", 0, cache.None},
	} {
		w := &Ways{}
		w.Control(&protocol.Ways{On: true, Ways: [tenant.Max]uint8{2, 2, 0, 2}})
		require.Equal(t, c.want, w.Pick(set(c.ways), c.tenant), c.name)
	}
}

func TestPickReturnsAWayThatIsNotPinned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &Ways{on: rapid.Bool().Draw(t, "on")}
		for id := range 4 {
			w.quota[id] = uint8(rapid.IntRange(0, 4).Draw(t, "quota"))
		}
		ways := rapid.StringMatching(`([0-3e]!?){1,8}`).Draw(t, "ways")
		s := set(ways)
		for _, v := range []Victim{LRU{}, w} {
			way := v.Pick(s, tenant.ID(rapid.IntRange(0, 3).Draw(t, "tenant")))
			if way != cache.None {
				require.Less(t, way, s.Ways())
				require.False(t, s.Pinned(way))
			}
		}
	})
}
