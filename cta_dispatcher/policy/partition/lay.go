package partition

import (
	"math/bits"
	"slices"

	"cotenant/components/occupancy"
)

// The addressed resources: a partition has a place in each.
const (
	registers = iota
	sharedBytes
	resources
)

// place is the beginning of a partition, or the demand of one TB, of each resource.
type place [resources]int

func addressed(d occupancy.Demand) place {
	return place{registers: d.Registers, sharedBytes: d.SharedBytes}
}

// surveyor gives the partitions of an SM their places.
type surveyor struct {
	strips  [resources]strip
	tenants []int // tenants with a partition, by arrival
	// movable are the tenants with TBs on the SM that would move if their partition did not
	// keep its place, by rising staying.
	movable []int
	staying []int  // by tenant
	owners  []int  // of a strip's plots
	at      []int  // the plots' places
	moves   []bool // by tenant: its TBs move
}

// tried bounds the search for the fewest TBs to move among n partitions: each set takes 2^n
// steps. It is the number of partitions, with the fewest TBs first, that are moved in all
// combinations; if moving all these is not enough, all partitions move. Up to eight partitions
// it is six, from fourteen on none.
func tried(n int) int { return max(0, min(6, 14-n)) }

// lay gives the partitions of next their places on an SM with these limits, divided as before.
// Partitions keep their places, and shrink and grow there. If the remaining room does not
// serve the other partitions in one piece, the partitions with the fewest staying TBs are laid
// anew; their tenants are in moves. TBs without registers or shared memory have no place
// there. Staying TBs have the demand of the previous partition.
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

// cost counts the TBs that move with the partitions of a set of movable.
func (l *surveyor) cost(set int) (tbs int) {
	for ; set != 0; set &= set - 1 {
		tbs += l.staying[l.movable[bits.TrailingZeros(uint(set))]]
	}
	return tbs
}

// try lays the partitions of next. Each of the set of movable may leave its place. It reports
// whether it could; it always can if all may.
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
