package l2

import (
	"cotenant/mem/cache"
	"cotenant/protocol"
)

// room takes a line for a request, or for a copy of the home's data, in place of another one. It
// fails, changing nothing, if nothing may go.
//
// Up to HomeWays of a set, lines with their home here displace copies, and no copy displaces them.
// Beyond that, as without HomeWays, the least recently used line goes.
func (s *Slice) room(p *protocol.Packet, copied bool) (line int, victim cache.Victim, ok bool) {
	if s.Copies == nil || s.spec.HomeWays == 0 {
		return s.tags.Reserve(p.Addr, p.Account)
	}
	set := s.tags.Set(p.Addr)
	way := s.Copies.displaceable(set, copied)
	if way == cache.None {
		return cache.None, cache.Victim{}, false
	}
	line, victim = s.tags.Take(set, way, p.Addr, p.Account)
	s.Copies.copied[line] = copied
	return line, victim, true
}

// displaceable is the way that makes room for a copy or for a home line, or None.
func (c *Copies) displaceable(set cache.Set, forCopy bool) int {
	homes, oldest, oldestCopy := 0, cache.None, cache.None
	for way := range set.Ways() {
		if set.Empty(way) {
			return way
		}
		copied := c.copied[set.First()+way]
		if !copied {
			homes++
		}
		if set.Pinned(way) {
			continue
		}
		if oldest == cache.None || set.LastUse(way) < set.LastUse(oldest) {
			oldest = way
		}
		if copied && (oldestCopy == cache.None || set.LastUse(way) < set.LastUse(oldestCopy)) {
			oldestCopy = way
		}
	}
	kept := c.slice.spec.HomeWays
	if forCopy && homes <= kept || homes < kept && oldestCopy != cache.None {
		return oldestCopy
	}
	return oldest
}
