package oracle

import (
	"fmt"
	"slices"
)

// Ascend looks for the numbers of thread blocks with the highest value, from 1 to the most
// of each kernel; value runs them. It is for kernels on SMs of their own, which meet in
// memory alone (CCBP's spatial oracle), so that it can look for one number after the
// other. It begins with the most of all and tries all numbers of one kernel after the
// other until none is better. Then it tries all neighbours, with one thread block more or
// less of any kernels, and goes on from a better neighbour. It tries nothing twice, and
// keeps the first of equals. An error of value ends it.
func Ascend(most []int, value func(tbs []int) (float64, error)) (best []int, highest float64, err error) {
	known := map[string]float64{}
	try := func(tbs []int) (better bool) {
		name := fmt.Sprint(tbs)
		v, tried := known[name]
		if !tried && err == nil {
			tbs = slices.Clone(tbs)
			v, err = value(tbs)
			known[name] = v
		}
		if better = err == nil && (best == nil || v > highest); better {
			best, highest = slices.Clone(tbs), v
		}
		return better
	}
	for climbing := try(most); climbing && err == nil; {
		climbing = false
		for k := range most {
			tbs := slices.Clone(best)
			for tbs[k] = 1; tbs[k] <= most[k]; tbs[k]++ {
				climbing = try(tbs) || climbing
			}
		}
		if climbing {
			continue
		}
		for _, tbs := range neighbours(best, most) {
			climbing = try(tbs) || climbing
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return best, highest, nil
}

// neighbours lists the numbers, from 1 to the most, that differ by one at most in each kernel.
func neighbours(tbs, most []int) (list [][]int) {
	list = [][]int{nil}
	for k, n := range tbs {
		var longer [][]int
		for _, first := range list {
			for next := max(1, n-1); next <= min(most[k], n+1); next++ {
				longer = append(longer, append(slices.Clone(first), next))
			}
		}
		list = longer
	}
	return list
}
