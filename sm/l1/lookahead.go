package l1

// lookAhead divides the ways of a set between tenants by what each would hit with more of
// them: the look-ahead algorithm of utility-based cache partitioning (Qureshi and Patt,
// MICRO 2006). hits counts, by tenant, the hits of each position of its
// least-recently-used order, the most recent first: with n ways the tenant hits the first
// n positions. There are not more tenants than ways.
//
// Each tenant has one way. Then, until none is left, the most useful step is taken: a
// tenant gets the number of further ways that saves most misses for each of them. So a
// tenant that saves nothing before it has several more gets several at once. Among equal
// steps the shortest goes first, then the tenant with fewest ways, then the first tenant.
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

// step is the number of further ways, up to left, that saves most hits for each, and the
// hits saved.
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
