package ws

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/deal"
)

// waterfill divides an SM between kernels so that the kernel with the smallest part of its
// best performance has as much as possible. curves has each kernel's performance by its number
// of thread blocks, from 0 to the most that fit alone; it never falls and ends above 0.
// demands has the demand of a thread block. Every kernel gets one thread block. Then the
// kernel with the smallest part of its best, the first among equals, gets as many more as
// raise its performance. A kernel without room for these, or at its best, is out, and the rest
// go on. So each further thread block gains performance. The result is nil if a thread block
// of each does not fit.
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

// lowest is the kernel with the smallest part of its best that is not out; -1 if all are.
func lowest(curves [][]float64, tbs []int, out []bool) int {
	return policy.Least(len(curves), func(k int) (float64, bool) { return level(curves[k], tbs[k]), !out[k] })
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
