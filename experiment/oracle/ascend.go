package oracle

import "slices"

// Ascend looks for the numbers of thread blocks with the highest value, from 1 to the most
// of each kernel; value runs them. It is for kernels on SMs of their own, which meet in
// memory alone (CCBP's spatial oracle), so that it can look for one number after the
// other. It begins with the most of all and tries all numbers of one kernel after the
// other until none is better. Then it tries all neighbours, with one thread block more or
// less of any kernels, and goes on from a better neighbour. It tries nothing twice, and
// keeps the first of equals. An error of value ends it.
func Ascend(most []int, value func(tbs []int) (float64, error)) (best []int, highest float64, err error) {
	a := ascent{most: most, value: value}
	best = slices.Clone(most)
	if highest, err = a.of(best); err != nil {
		return nil, 0, err
	}
	try := func(tbs []int) (better bool) {
		v, e := a.of(tbs)
		if e != nil {
			err = e
			return false
		}
		if better = v > highest; better {
			best, highest = slices.Clone(tbs), v
		}
		return better
	}
	for climbing := true; climbing && err == nil; {
		climbing = false
		for k := range most {
			tbs := slices.Clone(best)
			for tbs[k] = 1; tbs[k] <= most[k] && err == nil; tbs[k]++ {
				climbing = try(tbs) || climbing
			}
		}
		if climbing {
			continue
		}
		for _, tbs := range a.neighbours(best) {
			if err == nil {
				climbing = try(tbs) || climbing
			}
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return best, highest, nil
}

// ascent remembers what was tried.
type ascent struct {
	most  []int
	value func([]int) (float64, error)
	tried []trial
}

type trial struct {
	tbs   []int
	value float64
}

func (a *ascent) of(tbs []int) (float64, error) {
	for _, t := range a.tried {
		if slices.Equal(t.tbs, tbs) {
			return t.value, nil
		}
	}
	tbs = slices.Clone(tbs)
	v, err := a.value(tbs)
	a.tried = append(a.tried, trial{tbs, v})
	return v, err
}

// neighbours lists the numbers that differ by one at most in each kernel.
func (a *ascent) neighbours(tbs []int) (list [][]int) {
	list = [][]int{nil}
	for k, n := range tbs {
		var longer [][]int
		for _, first := range list {
			for next := max(1, n-1); next <= min(a.most[k], n+1); next++ {
				longer = append(longer, append(slices.Clone(first), next))
			}
		}
		list = longer
	}
	return list
}
