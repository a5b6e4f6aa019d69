package ws

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
)

// waterfill divides an SM between kernels so that the one that has least of its best
// performance has as much as can be. curves has, by kernel and number of thread
// blocks from 0 up to those that fit alone, its performance, which never falls and is
// above 0 at the end; demands has what a thread block of each takes. Everybody gets
// one; then always the kernel that has least of its best, among equals the first,
// as many more as it takes to have any more. One for whom these do not fit, or who
// has its best, is out, and the others go on. So nobody has a thread block by which
// it gains nothing. The result is nil if one of each does not fit.
func waterfill(curves [][]float64, demands []occupancy.Demand, c *occupancy.Capacity) (tbs []int) {
	tbs = make([]int, len(curves))
	out := make([]bool, len(curves))
	var u occupancy.Usage
	for k := range tbs {
		if !deal.Room(c, &u, demands[k], 1) {
			return nil
		}
		tbs[k] = 1
	}
	for {
		k := lowest(curves, tbs, out)
		if k < 0 {
			return tbs
		}
		next := higher(curves[k], tbs[k])
		if next == tbs[k] || !deal.Room(c, &u, demands[k], next-tbs[k]) {
			out[k] = true
			continue
		}
		tbs[k] = next
	}
}

// lowest is the kernel that has least of its best, of those that are not out; -1 if
// all are.
func lowest(curves [][]float64, tbs []int, out []bool) int {
	best := -1
	for k := range curves {
		if !out[k] && (best < 0 || level(curves[k], tbs[k]) < level(curves[best], tbs[best])) {
			best = k
		}
	}
	return best
}

// level is the performance with n thread blocks, as a part of the best.
func level(curve []float64, n int) float64 { return curve[n] / curve[len(curve)-1] }

// higher is the smallest number of thread blocks with more performance than n of them
// have; n if there is none.
func higher(curve []float64, n int) int {
	for next := n + 1; next < len(curve); next++ {
		if curve[next] > curve[n] {
			return next
		}
	}
	return n
}
