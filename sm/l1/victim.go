package l1

import (
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Victim chooses which line of a set a miss displaces.
//
// The contract: Pick returns a way of the set that is not pinned, or cache.None if
// the tenant is to wait; it changes nothing of the set. Control takes a control
// message and reports whether it is the rule's own.
type Victim interface {
	Pick(set cache.Set, t tenant.ID) (way int)
	Control(c protocol.Control) bool
}

// LRU displaces the least recently used line, whosever it is.
type LRU struct{}

// Pick is the least recently used line that is not pinned.
func (LRU) Pick(set cache.Set, _ tenant.ID) int {
	return oldest(set, func(int) bool { return true })
}

// Control takes nothing.
func (LRU) Control(protocol.Control) bool { return false }

// oldest is the least recently used way that is not pinned and that counts.
func oldest(set cache.Set, counts func(way int) bool) int {
	best, used := cache.None, ^uint64(0)
	for way := range set.Ways() {
		if at := set.LastUse(way); at < used && !set.Pinned(way) && counts(way) {
			best, used = way, at
		}
	}
	return best
}
