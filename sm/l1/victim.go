package l1

import (
	"cotenant/components/parts"
	"cotenant/mem/cache"
	"cotenant/tenant"
)

// Victim is a replacement rule: it chooses which line of a set makes room for another.
//
// The contract: Pick returns a way of the set that is not pinned, or cache.None if the
// tenant must wait; it changes nothing. The other methods keep the rule's own state up to
// date. Hit follows a load that finds all of its sectors in a way. Filled follows a line
// that takes a way, and Evicted precedes it if the way held another line. A way can also
// become empty without Evicted, by a store, an atomic or a kernel's launch.
type Victim interface {
	Pick(set cache.Set, t tenant.ID) (way int)
	Hit(set cache.Set, way int, by *Use)
	Filled(set cache.Set, way int, by *Use)
	Evicted(set cache.Set, way int)
}

// Use is the load that hits a line, or brings the line in.
type Use struct {
	Line uint64 // address, tenant included
	// PC of the instruction: bytes from the kernel's first one. A prefetch has the PC of
	// the load that it follows.
	PC         uint32
	Tenant     tenant.ID
	Prefetched bool // the line comes because the prefetcher asked for it
}

// Watcher is a Victim that follows all lookups, whatever the cache holds.
//
// The contract: At says which cycle it is, before anything else of that cycle, and need
// not be called in each; from Next on, Pick may choose otherwise. Loaded follows a load
// that looks up a line of a set, once, however often the load was tried. Dropped follows a
// write beyond the cache, which empties the line, and Invalidated a tenant's launch, which
// empties all of the tenant's lines.
type Watcher interface {
	Victim
	At(cycle uint64)
	Next() (cycle uint64)
	Loaded(set cache.Set, line uint64, t tenant.ID)
	Dropped(set cache.Set, line uint64, t tenant.ID)
	Invalidated(t tenant.ID)
}

// victims holds the rules. The file of a rule adds it.
var victims parts.Set[*Spec, Victim]

func init() { victims.Add("lru", func(*Spec) Victim { return nil }) } // the tags have it

// Victims lists the rules by name.
func Victims() []string { return victims.Names() }

// NewVictim makes the rule of a Spec; nil for lru, which needs none.
func NewVictim(spec *Spec) (Victim, error) { return victims.New("victim", spec.Victim, spec) }

// leastRecent is the least recently used line of a set that is not pinned.
func leastRecent(set cache.Set) int {
	return oldest(set, func(int) bool { return true })
}

// holders counts the lines of a set by tenant.
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
