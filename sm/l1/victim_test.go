package l1

import (
	"strings"
	"testing"

	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
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
		require.Equal(t, want, leastRecent(set(ways)), ways)
	}
}
