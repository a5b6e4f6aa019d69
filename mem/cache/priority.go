package cache

import (
	"cotenant/tenant"
	"cotenant/workload"
)

// The ranks of lines are the bits of Tags.used below pinnedBit, so that a line of a lower
// rank makes room before all lines of a higher one.
const (
	first    = uint64(0)
	normal   = uint64(1) << 61
	last     = uint64(2) << 61
	rankBits = uint64(3) << 61
)

// SetAside sets aside a number of ways of each set, below all of them, for lines that an access
// with workload.EvictLast has used: as many of a set stay while other lines can make room. Ways that such
// lines do not fill serve all lines. Without ways, EvictLast is as Unchanged. When ways are
// taken away, all lines are as with EvictNormal.
func (t *Tags) SetAside(ways int) {
	if ways < t.aside {
		t.Release()
	}
	t.aside = ways
}

// Release has all lines with workload.EvictLast be as with EvictNormal.
func (t *Tags) Release() {
	for i, used := range t.used {
		if used&rankBits == last {
			t.rank(i, normal)
		}
	}
}

func (t *Tags) rank(line int, rank uint64) { t.used[line] = t.used[line]&^rankBits | rank }

// Prefer gives a line the priority of an access that uses it. If the ways that are set aside are
// taken, EvictLast has the least recently used of their lines be as with EvictNormal.
func (t *Tags) Prefer(line int, p workload.Priority) {
	switch {
	case p == workload.EvictFirst:
		t.rank(line, first)
	case p == workload.EvictNormal:
		t.rank(line, normal)
	case p == workload.EvictLast && t.aside > 0 && t.used[line]&rankBits != last:
		if n, oldest := t.kept(line-line%t.ways, 0); n >= t.aside {
			t.rank(oldest, normal)
		}
		t.rank(line, last)
	}
}

// ReserveFor is Reserve for an access with a priority. While the ways that are set aside are
// taken, a line with EvictLast takes the place of the least recently used of their lines.
func (t *Tags) ReserveFor(addr uint64, owner tenant.Account, p workload.Priority) (line int, victim Victim, ok bool) {
	if p == workload.EvictLast && t.aside > 0 {
		if n, oldest := t.kept(t.index.set(addr)*t.ways, pinnedBit); n >= t.aside && oldest != None {
			line, victim, ok = oldest, t.take(oldest, addr, owner), true
			t.rank(line, last)
			return line, victim, ok
		}
	}
	if line, victim, ok = t.Reserve(addr, owner); ok {
		t.Prefer(line, p)
	}
	return line, victim, ok
}

// kept counts the lines of a set that EvictLast keeps, and finds the least recently used of
// them that has none of some bits of used; None if there is none.
func (t *Tags) kept(set int, without uint64) (n, oldest int) {
	oldest = None
	least := ^uint64(0)
	for i := set; i < set+t.usable; i++ {
		used := t.used[i]
		if used&rankBits != last {
			continue
		}
		n++
		if used&without == 0 && used&^pinnedBit < least {
			oldest, least = i, used&^pinnedBit
		}
	}
	return n, oldest
}

// Kept is the number of lines that EvictLast keeps.
func (t *Tags) Kept() (n int) {
	for _, used := range t.used {
		if used&rankBits == last {
			n++
		}
	}
	return n
}
