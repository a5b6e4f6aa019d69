package l1

// lookAhead divides the ways of a set between tenants by what each would hit with
// more of them: the look-ahead algorithm of utility-based cache partitioning
// (Qureshi and Patt, MICRO 2006). hits has, by tenant, the hits of each position of
// its least-recently-used order, the most recent first: those of the first n would
// hit if it had n ways. There are not more tenants than ways.
//
// Each has one way; then, until none is left, the tenant for whom so many more
// save most misses for each of these gets them. So one that saves nothing before it
// has several more gets these at once. Among equals it is the fewest of one
// tenant's, the tenant that has fewest ways, and the first.
func lookAhead(hits [][]uint32, ways int) (given []int) {
	given = make([]int, len(hits))
	for i := range given {
		given[i] = 1
	}
	for left := ways - len(hits); left > 0; {
		best, more, saved := -1, 1, uint64(0)
		for i, h := range hits {
			n, s := step(h[given[i]:], left)
			if best < 0 || s*uint64(more) > saved*uint64(n) || s*uint64(more) == saved*uint64(n) && given[i] < given[best] {
				best, more, saved = i, n, s
			}
		}
		given[best] += more
		left -= more
	}
	return given
}

// step is the number of further ways, of so many that are left, that save most hits
// each, and what they save.
func step(hits []uint32, left int) (more int, saved uint64) {
	sum := uint64(0)
	more = 1
	for i, h := range hits[:min(left, len(hits))] {
		if sum += uint64(h); sum*uint64(more) > saved*uint64(i+1) {
			more, saved = i+1, sum
		}
	}
	return more, saved
}
