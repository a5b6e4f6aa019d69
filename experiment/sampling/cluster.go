package sampling

import (
	"cmp"
	"math"
	"slices"
)

// Launch holds the counts of one launch.
type Launch struct {
	// Kernel is the kernel's name, Shape its block, registers and shared memory. Launches
	// of two kernels or shapes are never in one cluster.
	Kernel, Shape      string
	TBs                int
	WarpInstructions   uint64
	ThreadInstructions uint64
	// FootprintBytes is the memory that the launch touches, FreshBytes the part that no
	// launch before it has touched.
	FootprintBytes, FreshBytes uint64
}

// counts are the numbers that must be alike within a cluster.
const (
	countTBs = iota
	countWarpInstructions
	countThreadInstructions
	countFootprint
	countFresh
	numCounts
)

// counts lists the launch's counts.
func (l *Launch) counts() [numCounts]float64 {
	return [numCounts]float64{float64(l.TBs), float64(l.WarpInstructions), float64(l.ThreadInstructions),
		float64(l.FootprintBytes), float64(l.FreshBytes)}
}

// Clusters parts launches, given in their order, into clusters of launches that are alike,
// in the order of the clusters' first launches. A cluster lists its launches by number. Each
// count of a cluster has a coefficient of variation of at most spread; fresh memory is
// compared with the mean footprint, because a small part of the footprint matters little.
func Clusters(launches []Launch, spread float64) (clusters [][]int) {
	type stratum struct{ kernel, shape string }
	strata, order := map[stratum][]int{}, []stratum{}
	for i := range launches {
		s := stratum{launches[i].Kernel, launches[i].Shape}
		if strata[s] == nil {
			order = append(order, s)
		}
		strata[s] = append(strata[s], i)
	}
	for _, s := range order {
		clusters = split(clusters, launches, strata[s], spread)
	}
	slices.SortFunc(clusters, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return clusters
}

// split appends a cluster, or its parts if it is spread too far.
func split(clusters [][]int, launches []Launch, members []int, spread float64) [][]int {
	worst, widest := widestCount(launches, members)
	if widest <= spread {
		return append(clusters, members)
	}
	sorted := slices.Clone(members)
	value := func(launch int) float64 { return launches[launch].counts()[worst] }
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	values := make([]float64, len(sorted))
	for i, m := range sorted {
		values[i] = value(m)
	}
	at := cut(values)
	low, high := sorted[:at], sorted[at:]
	slices.Sort(low)
	slices.Sort(high)
	return split(split(clusters, launches, low, spread), launches, high, spread)
}

// widestCount is the count with the largest coefficient of variation among launches, and
// that coefficient.
func widestCount(launches []Launch, members []int) (worst int, widest float64) {
	var sum, squares [numCounts]float64
	n := float64(len(members))
	for _, m := range members {
		for c, x := range launches[m].counts() {
			sum[c] += x / n
		}
	}
	for _, m := range members {
		for c, x := range launches[m].counts() {
			squares[c] += (x - sum[c]) * (x - sum[c]) / n
		}
	}
	for c := range sum {
		mean := sum[c]
		if c == countFresh {
			mean = sum[countFootprint]
		}
		if squares[c] == 0 {
			continue
		}
		if v := math.Sqrt(squares[c]) / mean; v > widest {
			worst, widest = c, v
		}
	}
	return worst, widest
}

// Spread is the largest coefficient of variation of a cluster's counts.
func Spread(launches []Launch, members []int) float64 {
	_, widest := widestCount(launches, members)
	return widest
}

// cut parts sorted values, not all equal, into two groups with the least sum of squared
// distances from the groups' means, and returns the start of the second. Equal values stay
// together.
func cut(values []float64) int {
	total, n := 0.0, float64(len(values))
	for _, x := range values {
		total += x
	}
	best, most, sum := 0, math.Inf(-1), 0.0
	for i := 1; i < len(values); i++ {
		sum += values[i-1]
		if values[i] == values[i-1] {
			continue
		}
		// The larger the squares of the means, the smaller the distances from them.
		left, right := float64(i), n-float64(i)
		if between := sum*sum/left + (total-sum)*(total-sum)/right; between > most {
			best, most = i, between
		}
	}
	return best
}
