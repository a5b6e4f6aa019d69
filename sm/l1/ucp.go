package l1

import (
	"slices"

	"cotenant/mem/cache"
	"cotenant/tenant"
)

// UCP is utility-based cache partitioning (Qureshi and Patt, MICRO 2006; CCBP 7.5 puts it
// on the L1). Every tenant has shadow tags as large as the cache. They count the loads that
// would hit if the tenant had the cache alone, by position of the least-recently-used
// order. At the end of every period lookAhead divides the ways of a set by these counts,
// and the counts are halved.
//
// A miss takes an empty way first. Otherwise a tenant with fewer lines in the set than
// ways displaces the least recently used line of the tenants that have more lines than
// ways. If all of these lines are pinned, and also when the tenant has its ways, it
// displaces its own least recently used line. A tenant without a line displaces the least
// recently used line of all.
//
// Tenants that have loaded in a period take part in the division at its end. Other tenants
// have no ways in the next period. With fewer than two tenants, or more tenants than ways,
// the rule is LRU.
type UCP struct {
	ways    int
	period  uint64
	next    uint64 // cycle at which the period ends
	divided bool
	given   [tenant.Max]uint16 // ways
	shadows [tenant.Max]*shadow
	sets    int
}

func init() { victims.Add("ucp", func(s *Spec) Victim { return newUCP(s) }) }

// newUCP makes the rule for a cache, which is not divided before the first period
// has ended.
func newUCP(spec *Spec) *UCP {
	return &UCP{ways: spec.Ways, sets: spec.Sets, period: uint64(spec.UCPPeriod), next: uint64(spec.UCPPeriod)}
}

// At divides the ways anew if a period has ended.
func (u *UCP) At(cycle uint64) {
	for cycle >= u.next {
		u.divide()
		u.next += u.period
	}
}

// Next is when the period ends.
func (u *UCP) Next() (cycle uint64) { return u.next }

// Hit, Filled and Evicted change nothing: the shadow tags follow loads alone.
func (u *UCP) Hit(cache.Set, int, *Use)    {}
func (u *UCP) Filled(cache.Set, int, *Use) {}
func (u *UCP) Evicted(cache.Set, int)      {}

// divide ends a period.
func (u *UCP) divide() {
	var hits [][]uint32
	var who []int
	for t, s := range u.shadows {
		if s != nil && s.loaded {
			hits, who = append(hits, s.hits), append(who, t)
		}
	}
	u.given = [tenant.Max]uint16{}
	if u.divided = len(who) > 1 && len(who) <= u.ways; u.divided {
		for i, n := range lookAhead(hits, u.ways) {
			u.given[who[i]] = uint16(n)
		}
	}
	for _, s := range u.shadows {
		if s != nil {
			s.halve()
		}
	}
}

// Loaded looks a line up in the tenant's shadow tags.
func (u *UCP) Loaded(set cache.Set, line uint64, t tenant.ID) {
	s := u.shadows[t]
	if s == nil {
		s = newShadow(u.sets, u.ways)
		u.shadows[t] = s
	}
	s.load(set.First(), line)
}

// Dropped takes a line out of the tenant's shadow tags.
func (u *UCP) Dropped(set cache.Set, line uint64, t tenant.ID) {
	if s := u.shadows[t]; s != nil {
		s.drop(set.First(), line)
	}
}

// Invalidated empties the tenant's shadow tags.
func (u *UCP) Invalidated(t tenant.ID) {
	if s := u.shadows[t]; s != nil {
		s.clear()
	}
}

// Pick chooses by the division.
func (u *UCP) Pick(set cache.Set, t tenant.ID) int {
	if !u.divided {
		return leastRecent(set)
	}
	if way := oldest(set, set.Empty); way != cache.None {
		return way
	}
	held := holders(set)
	if held[t] < u.given[t] {
		if way := oldest(set, func(way int) bool { return held[set.Owner(way)] > u.given[set.Owner(way)] }); way != cache.None {
			return way
		}
	}
	if held[t] == 0 {
		return leastRecent(set)
	}
	return oldest(set, func(way int) bool { return set.Owner(way) == t })
}

// shadow are a tenant's shadow tags.
type shadow struct {
	ways   int
	lines  []uint64 // of each set, the most recently used first
	hits   []uint32 // in each position of a set
	loaded bool     // in this period
}

// noLine is no line's address.
const noLine = ^uint64(0)

func newShadow(sets, ways int) *shadow {
	s := &shadow{ways: ways, lines: make([]uint64, sets*ways), hits: make([]uint32, ways)}
	s.clear()
	return s
}

// load counts a hit of a line in the set that begins at a position, and makes it the most
// recently used. Other lines move down as far as the first empty position.
func (s *shadow) load(first int, line uint64) {
	s.loaded = true
	set := s.lines[first : first+s.ways]
	last := len(set) - 1
	if hit := slices.Index(set, line); hit >= 0 {
		s.hits[hit]++
		set[hit] = noLine
	}
	if empty := slices.Index(set, noLine); empty >= 0 {
		last = empty
	}
	copy(set[1:last+1], set)
	set[0] = line
}

// drop makes a line's position empty.
func (s *shadow) drop(first int, line uint64) {
	if i := slices.Index(s.lines[first:first+s.ways], line); i >= 0 {
		s.lines[first+i] = noLine
	}
}

func (s *shadow) clear() {
	for i := range s.lines {
		s.lines[i] = noLine
	}
}

// halve begins another period.
func (s *shadow) halve() {
	s.loaded = false
	for i := range s.hits {
		s.hits[i] /= 2
	}
}
