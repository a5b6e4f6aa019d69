package l1

import (
	"fmt"
	"reflect"
	"strings"

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
	// Takes lists the types of control message that the rule takes.
	Takes() []reflect.Type
}

// victims are the rules by name. The plain one is nil: the tags have it.
var victims = []struct {
	name string
	make func() Victim
}{
	{"lru", func() Victim { return nil }},
	{"ways", func() Victim { return &Ways{} }},
}

// NewVictim makes a rule by its name; nil for lru, which needs none. The error
// lists those that there are.
func NewVictim(name string) (Victim, error) {
	var names []string
	for _, v := range victims {
		if v.name == name {
			return v.make(), nil
		}
		names = append(names, v.name)
	}
	return nil, fmt.Errorf("victim is %q, must be one of %s", name, strings.Join(names, ", "))
}

// LRU displaces the least recently used line, whosever it is.
type LRU struct{}

// Pick is the least recently used line that is not pinned.
func (LRU) Pick(set cache.Set, _ tenant.ID) int {
	return oldest(set, func(int) bool { return true })
}

// Control takes nothing.
func (LRU) Control(protocol.Control) bool { return false }

// Takes lists nothing.
func (LRU) Takes() []reflect.Type { return nil }

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
