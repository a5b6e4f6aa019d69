package metrics

import "math"

// Case is one tenant with a goal in one co-run: its IPC and its promised IPC, both in thread
// instructions per core cycle. It is defined if the IPC is not negative and the goal above 0,
// both finite.
type Case struct{ IPC, Goal float64 }

// Reached says whether the promise was kept: IPC at or above the goal, exactly and
// without tolerance. A case that is not defined did not reach its goal.
func (c Case) Reached() bool { return c.defined() && c.IPC >= c.Goal }

// OverGoal is the case's IPC over its goal: 1 is exactly the promise.
func (c Case) OverGoal() float64 { return quotient(c.IPC, c.Goal) }

func (c Case) defined() bool { return !math.IsNaN(c.OverGoal()) }

// Tightest stands for a co-run with several goals: the case with the smallest IPC over its
// goal, so that it is reached if and only if all are. An undefined case goes before all
// defined ones. Without cases the result is undefined.
func Tightest(cases ...Case) Case {
	var tightest Case
	for i, c := range cases {
		if !c.defined() {
			return Case{IPC: math.NaN(), Goal: c.Goal}
		}
		if i == 0 || c.OverGoal() < tightest.OverGoal() {
			tightest = c
		}
	}
	return tightest
}

// QoSReach is the part of the cases that reached their goals, from 0 to 1 (QoS 4.1). A co-run
// with several goals is one case (Tightest). It is undefined without cases, or with an
// undefined case.
func QoSReach(cases []Case) float64 {
	reached := make([]float64, len(cases))
	for i, c := range cases {
		switch {
		case !c.defined():
			return math.NaN()
		case c.Reached():
			reached[i] = 1
		}
	}
	return mean(reached)
}

// MeanReached is the mean of a figure over the cases that reached their goals under each of
// the given schemes: with one scheme the average of QoS Figure 8, with two the average over
// the cases that both reached. The figure and each scheme have one entry a case, in the same
// order. It is undefined if no case remains, if any case is undefined, or if the figure of a
// remaining case is. Without a scheme it is the mean over all cases.
func MeanReached(figure []float64, schemes ...[]Case) float64 {
	var kept []float64
	for i, value := range figure {
		reached := true
		for _, cases := range schemes {
			if !cases[i].defined() {
				return math.NaN()
			}
			reached = reached && cases[i].Reached()
		}
		if reached {
			kept = append(kept, value)
		}
	}
	return mean(kept)
}

// ShortfallBins is the number of bins of Shortfalls.
const ShortfallBins = 5

// Shortfalls counts the cases that missed their goals by the size of the miss, 1 - IPC / goal:
// up to 5 %, 10 %, 15 % and 20 %, and more (QoS Figure 5; its text does not give the bins). A
// miss of exactly 5 % is in the first bin. Reached and undefined cases are in none.
func Shortfalls(cases []Case) (bins [ShortfallBins]int) {
	for _, c := range cases {
		if !c.defined() || c.Reached() {
			continue
		}
		bin := 0
		// Without a division, so that 95 of 100 is a miss of 5 % and not of a little more.
		for bin < ShortfallBins-1 && 20*(c.Goal-c.IPC) > c.Goal*float64(bin+1) {
			bin++
		}
		bins[bin]++
	}
	return bins
}

// mean is the arithmetic mean, NaN of nothing or if a value is not defined.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return quotient(sum, float64(len(values)))
}
