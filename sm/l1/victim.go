package l1

import (
	"fmt"
	"strings"

	"cotenant/mem/cache"
	"cotenant/tenant"
)

// Victim chooses which line of a set a miss displaces.
//
// The contract: Pick returns a way of the set that is not pinned, or cache.None if
// the tenant is to wait; it changes nothing of the set.
type Victim interface {
	Pick(set cache.Set, t tenant.ID) (way int)
}

// Watcher is a Victim that follows what tenants' loads look up.
//
// The contract: At says which cycle it is, before anything else of that cycle, and
// need not be called in each; from Next on, Pick may choose otherwise. Loaded follows
// a load that looks up a line of a set, once, however often it had to be tried; Dropped
// a line that is written beyond the cache, so that it does not stay; Invalidated that
// none of a tenant's does.
type Watcher interface {
	Victim
	At(cycle uint64)
	Next() (cycle uint64)
	Loaded(set cache.Set, line uint64, t tenant.ID)
	Dropped(set cache.Set, line uint64, t tenant.ID)
	Invalidated(t tenant.ID)
}

// victims are the rules by name. The plain one is nil: the tags have it.
var victims = []struct {
	name string
	make func(*Spec) Victim
}{
	{"lru", func(*Spec) Victim { return nil }},
	{"ucp", func(s *Spec) Victim { return newUCP(s) }},
}

// NewVictim makes the rule of a Spec; nil for lru, which needs none. The error
// lists those that there are.
func NewVictim(spec *Spec) (Victim, error) {
	var names []string
	for _, v := range victims {
		if v.name == spec.Victim {
			return v.make(spec), nil
		}
		names = append(names, v.name)
	}
	return nil, fmt.Errorf("victim is %q, must be one of %s", spec.Victim, strings.Join(names, ", "))
}

// leastRecent is the least recently used line of a set that is not pinned.
func leastRecent(set cache.Set) int {
	return oldest(set, func(int) bool { return true })
}

// holders are the lines of a set by tenant.
func holders(set cache.Set) (held [tenant.Max]uint16) {
	for way := range set.Ways() {
		if !set.Empty(way) {
			held[set.Owner(way)]++
		}
	}
	return held
}

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
