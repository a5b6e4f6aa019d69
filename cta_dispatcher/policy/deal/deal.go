// Package deal hands out the room of an SM to thread blocks of several kernels: to each in
// turn, or to the kernel with the least measure. Kernels are indices of the given lists.
package deal

import (
	"cmp"

	"cotenant/components/occupancy"
)

// InTurn gives kernels one thread block each in turn, beginning with the first, until all have
// their most or nothing more fits. tbs holds the kernels' thread blocks, u the SM's usage;
// both grow. It reports whether any kernel got one.
func InTurn(c *occupancy.Capacity, u *occupancy.Usage, demands []occupancy.Demand, most []int, first int, tbs []int) (given bool) {
	for more := true; more; {
		more = false
		for i := range tbs {
			if k := (first + i) % len(tbs); tbs[k] < most[k] && Room(c, u, demands[k], 1) {
				tbs[k]++
				given, more = true, true
			}
		}
	}
	return given
}

// Measure ranks a kernel by its thread blocks: less goes first, by Has, and then by Next.
// Among equals the earlier in order goes first.
type Measure struct{ Has, Next float64 }

// Least divides an empty SM between the kernels of an order. The first thread block goes to
// the first kernel in order that fits. Each further one goes to the fitting kernel with the
// least measure. Least fills tbs; measure sees it grow. step, unless nil, receives each thread
// block's kernel and the usage of the SM.
func Least(c *occupancy.Capacity, demands []occupancy.Demand, order, tbs []int, measure func(k int) Measure, step func(k int, u *occupancy.Usage)) {
	clear(tbs)
	var u occupancy.Usage
	for first := true; ; first = false {
		next, least := -1, Measure{}
		for _, k := range order {
			if !c.Fits(&u, demands[k]) {
				continue
			}
			if m := measure(k); next < 0 || cmp.Or(cmp.Compare(m.Has, least.Has), cmp.Compare(m.Next, least.Next)) < 0 {
				next, least = k, m
			}
			if first {
				break
			}
		}
		if next < 0 {
			return
		}
		u.Take(demands[next])
		tbs[next]++
		if step != nil {
			step(next, &u)
		}
	}
}

// Room takes room for n thread blocks more of an SM, and reports whether there is any; if
// not, none is taken.
func Room(c *occupancy.Capacity, u *occupancy.Usage, d occupancy.Demand, n int) bool {
	grown := *u
	for range n {
		if !c.Fits(&grown, d) {
			return false
		}
		grown.Take(d)
	}
	*u = grown
	return true
}
