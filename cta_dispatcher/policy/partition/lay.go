package partition

import (
	"math/bits"
	"slices"

	"cotenant/components/occupancy"
)

// The resources of which a partition has a place: those that are addressed.
const (
	registers = iota
	sharedBytes
	resources
)

// place is where a partition begins, or what one TB takes of each resource.
type place [resources]int

func addressed(d occupancy.Demand) place {
	return place{registers: d.Registers, sharedBytes: d.SharedBytes}
}

// surveyor gives the partitions of an SM their places.
type surveyor struct {
	strips  [resources]strip
	tenants []int // that have a partition, by arrival
	// movable are the tenants whose TBs stay on the SM and would have to move if
	// their partition did not keep its place; those with fewest TBs first, which
	// staying counts.
	movable []int
	staying []int  // by tenant
	owners  []int  // of a strip's plots
	at      []int  // the places of those
	moves   []bool // by tenant: its TBs move
}

// tried bounds the work of finding the fewest TBs to move among so many
// partitions, of which each set takes 2^n steps: that many of those that could
// stay, the ones with fewest TBs, are moved in all combinations; if moving all of
// these is not enough, all others move too. Of up to eight partitions it is six,
// of fourteen and more none.
func tried(n int) int { return max(0, min(6, 14-n)) }

// lay gives the partitions of next their places on an SM that has so much of
// each resource and is divided as before. Partitions keep their places, and
// shrink and grow where they are. Only where the room that they leave does not
// serve the others in one piece are some laid anew, those of which fewest TBs
// stay; their tenants are in moves. TBs that take no registers or no shared
// memory have no place there. The TBs that stay are those for which the partition
// before was made.
func (l *surveyor) lay(limit occupancy.Demand, before, next *division, order []int, staying func(tenant int) int) {
	l.list(next, order, staying)
	for r, has := range addressed(limit) {
		l.strips[r].limit = has
	}
	best := 1<<len(l.movable) - 1
	fewest := l.cost(best)
	for set := range 1 << min(len(l.movable), tried(len(l.tenants))) {
		if cost := l.cost(set); cost < fewest && l.try(before, next, set) {
			best, fewest = set, cost
		}
	}
	l.try(before, next, best)
	for i, tenant := range l.movable {
		l.moves[tenant] = best>>i&1 != 0
	}
}

// list fills tenants, staying and movable.
func (l *surveyor) list(next *division, order []int, staying func(tenant int) int) {
	l.tenants, l.movable = l.tenants[:0], l.movable[:0]
	l.moves = append(l.moves[:0], make([]bool, len(next.tbs))...)
	l.staying = append(l.staying[:0], make([]int, len(next.tbs))...)
	for _, tenant := range order {
		if next.tbs[tenant] == 0 {
			continue
		}
		l.tenants = append(l.tenants, tenant)
		n := min(staying(tenant), next.tbs[tenant])
		l.staying[tenant] = n
		if n > 0 {
			l.movable = append(l.movable, tenant)
		}
	}
	slices.SortStableFunc(l.movable, func(a, b int) int { return l.staying[a] - l.staying[b] })
}

// cost is how many TBs move if the partitions of a set of movable do.
func (l *surveyor) cost(set int) (tbs int) {
	for ; set != 0; set &= set - 1 {
		tbs += l.staying[l.movable[bits.TrailingZeros(uint(set))]]
	}
	return tbs
}

// try lays the partitions of next, of which those of a set of movable need not
// keep their places. It reports whether it could, which it always can if none
// need.
func (l *surveyor) try(before, next *division, set int) bool {
	for r := range l.strips {
		s := &l.strips[r]
		s.plots, l.owners = s.plots[:0], l.owners[:0]
		for _, tenant := range l.tenants {
			p := plot{unit: addressed(next.demand[tenant])[r], tbs: next.tbs[tenant],
				base: before.base[tenant][r], held: before.tbs[tenant]}
			i := slices.Index(l.movable, tenant)
			p.stays = i >= 0 && set>>i&1 == 0
			if next.base[tenant][r] = 0; p.unit > 0 {
				s.plots, l.owners = append(s.plots, p), append(l.owners, tenant)
			}
		}
		l.at = append(l.at[:0], make([]int, len(s.plots))...)
		if !s.lay(l.at) {
			return false
		}
		for i, tenant := range l.owners {
			next.base[tenant][r] = l.at[i]
		}
	}
	return true
}
