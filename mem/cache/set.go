package cache

import "cotenant/tenant"

// Set is one set of a Tags, for a cache that chooses itself which line makes room. Ways
// count from 0.
type Set struct {
	tags  *Tags
	first int
}

// Set is the set of a line address.
func (t *Tags) Set(addr uint64) Set { return Set{t, t.index.set(addr) * t.ways} }

// First is the position of the set's first line in the array.
func (s Set) First() int { return s.first }

// Ways is the number of lines that the set can hold.
func (s Set) Ways() int { return s.tags.usable }

// Empty reports whether a way holds no line.
func (s Set) Empty(way int) bool { return s.tags.used[s.first+way] == 0 }

// LastUse orders the lines by their last use: it grows with every one. It is 0
// for an empty way.
func (s Set) LastUse(way int) uint64 {
	return s.tags.used[s.first+way] &^ (pinnedBit | rankBits)
}

// Owner is the tenant of a way's line. The way must not be Empty.
func (s Set) Owner(way int) tenant.ID { return s.tags.lines[s.first+way].account.Tenant() }

// Pinned reports whether a way must not be displaced.
func (s Set) Pinned(way int) bool { return s.tags.Pinned(s.first + way) }

// Take is Reserve with the way chosen by the caller, which must not be pinned.
func (t *Tags) Take(s Set, way int, addr uint64, owner tenant.Account) (line int, victim Victim) {
	line = s.first + way
	return line, t.take(line, addr, owner)
}
