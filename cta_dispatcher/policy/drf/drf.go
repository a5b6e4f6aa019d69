// Package drf implements dominant resource fairness as Simultaneous Multikernel uses it (SMK 5.2,
// 5.3.2). A kernel's dominant share is its largest share of any resource. An SM's thread
// blocks are divided so that these shares are as equal as possible.
package drf

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
)

// Limits returns an SM's amount of each resource.
func Limits(c *occupancy.Capacity) occupancy.Demand {
	d := occupancy.Demand{TBs: c.TBs, Threads: c.Threads, Warps: c.Warps, Registers: c.Registers}
	if n := len(c.SharedOptions); n > 0 {
		d.SharedBytes = c.SharedOptions[n-1]
	}
	return d
}

// Share is the dominant share, rK or rSM of the paper: the largest part taken of registers,
// threads, shared memory and TB slots. A limit of zero does not count. Equal shares compare as
// equal: a division is correctly rounded.
func Share(taken, limit occupancy.Demand) float64 {
	return max(part(taken.Registers, limit.Registers), part(taken.Threads, limit.Threads),
		part(taken.SharedBytes, limit.SharedBytes), part(taken.TBs, limit.TBs))
}

func part(taken, limit int) float64 {
	if limit == 0 {
		return 0
	}
	return float64(taken) / float64(limit)
}

// Partition divides an empty SM between kernels (SMK Figure 6). demands holds the demand of
// each kernel's TB; order lists the kernels that take part, and the first of them gets the
// first TB. The next TB always goes to the kernel with the lowest share, among equals to the
// kernel with the smaller TB share, then to the earlier in order. A kernel without room for
// its next TB is passed over. Partition fills tbs.
//
// step, unless nil, receives each TB's kernel and the usage of the SM.
func Partition(c *occupancy.Capacity, demands []occupancy.Demand, order []int, tbs []int, step func(kernel int, u *occupancy.Usage)) {
	limit := Limits(c)
	deal.Least(c, demands, order, tbs, func(k int) deal.Measure {
		return deal.Measure{Has: Share(demands[k].Times(tbs[k]), limit), Next: Share(demands[k], limit)}
	}, step)
}
