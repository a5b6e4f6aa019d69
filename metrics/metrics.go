// Package metrics holds the figures that judge sharing: pure functions of each tenant's
// performance in a co-run and alone, of its goal, and of a GPU's events, which take energy.
//
// The base is normalised IPC, a tenant's IPC in the co-run over its IPC alone on the same GPU.
// An undefined figure is NaN, and so is every figure of several tenants that depends on it: 0
// is a value of its own, and the best turnaround time. No function returns an infinity.
package metrics

import (
	"math"
	"slices"
)

// Normalized is a tenant's IPC in the co-run over its IPC alone: 1 when sharing
// costs it nothing, 0 when it made no progress. It is not defined for a tenant
// that makes none alone.
func Normalized(shared, alone float64) float64 {
	return quotient(shared, alone)
}

// NTT is a tenant's normalised turnaround time, T_shared / T_alone, which at
// equal work is the inverse of its normalised IPC: 2 means twice as long as
// alone (Eyerman and Eeckhout, "System-Level Performance Metrics for
// Multiprogram Workloads", IEEE Micro 28(3), 2008). It is not defined for a
// tenant without progress, which would take for ever.
func NTT(normalized float64) float64 {
	return quotient(1, normalized)
}

// STP is the system throughput: the sum of the normalised IPCs, how many GPUs'
// worth of work the shared one does (Eyerman and Eeckhout, 2008; SMK 6.1). The
// CCBP paper calls the same sum WSpeedup, weighted speedup. It is not defined
// without tenants.
func STP(normalized []float64) float64 {
	if len(normalized) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, n := range normalized {
		sum += n
	}
	return sum
}

// ANTT is the average normalised turnaround time: the arithmetic mean of the NTTs, the average
// cost of sharing to a tenant (Eyerman and Eeckhout, 2008; SMK 6.1). Like NTT it is undefined
// when a tenant made no progress, and without tenants.
func ANTT(normalized []float64) float64 {
	sum := 0.0
	for _, n := range normalized {
		sum += NTT(n)
	}
	return quotient(sum, float64(len(normalized)))
}

// Fairness is the smallest normalised IPC over the largest, between 0, a tenant
// made no progress, and 1, all lose the same share (SMK 6.1). It is not defined
// when no tenant made any, nor without tenants.
func Fairness(normalized []float64) float64 {
	if len(normalized) == 0 {
		return math.NaN()
	}
	return quotient(slices.Min(normalized), slices.Max(normalized))
}

// HSpeedup is the harmonic speedup, the number of tenants over the sum of
// IPC_alone / IPC_shared: the harmonic mean of the normalised IPCs, which weighs
// throughput and fairness at once (Luo, Gummaraju and Franklin, "Balancing
// throughput and fairness in SMT processors", ISPASS 2001; CCBP 3.3). It is 0
// when a tenant made no progress, which is its limit, and not defined without
// tenants.
func HSpeedup(normalized []float64) float64 {
	if slices.Contains(normalized, 0) && !math.IsNaN(STP(normalized)) {
		return 0
	}
	return quotient(1, ANTT(normalized))
}

// quotient is a/b, or NaN if a is below 0, b not above it, or the result not a
// finite number.
func quotient(a, b float64) float64 {
	if q := a / b; a >= 0 && b > 0 && !math.IsInf(q, 0) {
		return q
	}
	return math.NaN()
}
