package qos

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
)

// equalThreads divides an empty SM between kernels (QoS 3.6: "an equal number of threads").
// demands holds the demand of each kernel's TB; order lists the kernels that take part. The
// next TB always goes to the kernel with the fewest threads beside the threads that it has
// gained, or lost, in swaps; among equals to the earlier in order. A kernel without room for
// its next TB is out, and the rest go on. It fills tbs.
func equalThreads(c *occupancy.Capacity, demands []occupancy.Demand, order, gained []int, tbs []int) {
	deal.Least(c, demands, order, tbs, func(k int) deal.Measure {
		return deal.Measure{Has: float64(tbs[k]*demands[k].Threads - gained[k])}
	}, nil)
}

// everybody is equalThreads if each kernel that has lost nothing in swaps gets a thread block.
// Otherwise the order begins turn places later; its first kernel gets a thread block in any
// case.
func everybody(c *occupancy.Capacity, demands []occupancy.Demand, order, gained []int, tbs []int, turn int) {
	equalThreads(c, demands, order, gained, tbs)
	if slices.ContainsFunc(order, func(k int) bool { return tbs[k] == 0 && gained[k] >= 0 }) {
		first := turn % len(order)
		equalThreads(c, demands, slices.Concat(order[first:], order[:first]), make([]int, len(demands)), tbs)
	}
}

// homes divides the SMs of each kind evenly between the tenants of a list, in sequence, with
// one SM of the remainder for each of the first tenants (QoS 3.6; 16 SMs are 8 and 8 for two).
// Only tenants that an SM of the kind holds take part. The next kind's remainder goes to the
// tenants that come next. With more tenants than SMs, a tenant without an SM shares the SM
// with the fewest tenants, the first among equals. kinds lists the SMs' kinds; homes fills
// home, by tenant and SM.
func homes(kinds []int, tenants []int, holds func(tenant, sm int) bool, home [][]bool) {
	for i := range home {
		clear(home[i])
	}
	sharers := make([]int, len(kinds))
	first := 0
	for kind := range slices.Max(kinds) + 1 {
		var sms []int
		for i, k := range kinds {
			if k == kind {
				sms = append(sms, i)
			}
		}
		members := slices.DeleteFunc(slices.Clone(tenants), func(t int) bool { return len(sms) == 0 || !holds(t, sms[0]) })
		n := len(members)
		if n == 0 {
			continue
		}
		each, over := len(sms)/n, len(sms)%n
		first %= n
		next := 0
		for rank, t := range members {
			due := each
			if (rank-first+n)%n < over {
				due++
			}
			for _, i := range sms[next : next+due] {
				home[t][i] = true
				sharers[i]++
			}
			next += due
		}
		first += len(sms)
	}
	for _, t := range tenants {
		if slices.Contains(home[t], true) {
			continue
		}
		least := -1
		for i := range kinds {
			if holds(t, i) && (least < 0 || sharers[i] < sharers[least]) {
				least = i
			}
		}
		if least >= 0 {
			home[t][least] = true
			sharers[least]++
		}
	}
}
