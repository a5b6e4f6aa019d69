package l1

import (
	"reflect"

	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Ways divides every set between tenants: a tenant that has as many lines of a
// set as it may displaces one of its own, any other one of a tenant that has more
// than it may, or the least recently used. Until a protocol.Ways comes it is LRU.
type Ways struct {
	on    bool
	quota [tenant.Max]uint8
}

// Control sets how many lines of a set each tenant may have.
func (w *Ways) Control(c protocol.Control) bool {
	m, ok := c.(*protocol.Ways)
	if ok {
		w.on, w.quota = m.On, m.Ways
	}
	return ok
}

// Takes lists protocol.Ways.
func (w *Ways) Takes() []reflect.Type { return []reflect.Type{reflect.TypeFor[*protocol.Ways]()} }

// Pick chooses by the quotas.
func (w *Ways) Pick(set cache.Set, t tenant.ID) int {
	if !w.on {
		return LRU{}.Pick(set, t)
	}
	held := holders(set)
	if held[t] >= uint16(w.quota[t]) && held[t] > 0 {
		return oldest(set, func(way int) bool { return !set.Empty(way) && set.Owner(way) == t })
	}
	over := oldest(set, func(way int) bool {
		return set.Empty(way) || held[set.Owner(way)] > uint16(w.quota[set.Owner(way)])
	})
	if over != cache.None {
		return over
	}
	return LRU{}.Pick(set, t)
}
