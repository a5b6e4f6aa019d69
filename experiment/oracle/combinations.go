// Package oracle says which combinations of thread blocks are to be run, under the
// policy fixed, to find the best: the CTA oracle and the spatial oracle of CCBP (4, 7).
package oracle

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/components/occupancy"
)

// Combinations lists the numbers of thread blocks of each kernel, one at least, that
// fit on an SM together, in ascending order of the first kernel's, then of the
// second's and so on.
func Combinations(c *occupancy.Capacity, demands []occupancy.Demand) (list [][]int) {
	if len(demands) > 0 {
		extend(c, demands, occupancy.Usage{}, nil, &list)
	}
	return list
}

// extend adds all combinations that begin with the numbers of the first kernels, which
// take u.
func extend(c *occupancy.Capacity, demands []occupancy.Demand, u occupancy.Usage, first []int, list *[][]int) {
	if len(first) == len(demands) {
		*list = append(*list, slices.Clone(first))
		return
	}
	d := demands[len(first)]
	for n := 1; c.Fits(&u, d); n++ {
		u.Take(d)
		extend(c, demands, u, append(slices.Clone(first), n), list)
	}
}

// Front lists those Combinations to which no thread block can be added: the ones to
// try, since a thread block more rarely does harm.
func Front(c *occupancy.Capacity, demands []occupancy.Demand) (list [][]int) {
	for _, tbs := range Combinations(c, demands) {
		var u occupancy.Usage
		for k, n := range tbs {
			for range n {
				u.Take(demands[k])
			}
		}
		if !slices.ContainsFunc(demands, func(d occupancy.Demand) bool { return c.Fits(&u, d) }) {
			list = append(list, tbs)
		}
	}
	return list
}

// Policy is the specification of the policy that runs numbers of thread blocks: each on its
// number of SMs, or, if sms is nil, all on all SMs.
func Policy(tbs, sms []int) string {
	spec := "fixed:tbs=" + join(tbs)
	if sms != nil {
		spec += ",sms=" + join(sms)
	}
	return spec
}

func join(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, "/")
}
