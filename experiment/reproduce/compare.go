package reproduce

import (
	"math"
	"slices"
)

// change compares two ways: by their means, or mix by mix, where rows show the mean.
type change struct {
	unit  string
	means func(ours, base float64) float64
	mixes func(m *metric, ours, base float64) float64
	shown func(float64) float64 // of the mean of mixes; nil: the mean
}

// changes are how an entry of rows may compare ways.
var changes = map[string]change{
	// How much higher the mean is, in percent.
	"": {unit: "%", means: higher},
	// The mean as a part of the other's.
	"part": {unit: "%", means: func(ours, base float64) float64 { return 100 * ours / base }},
	// How much lower the mean is.
	"loss": {unit: "%", means: func(ours, base float64) float64 { return 0 - higher(ours, base) }},
	// The mean of how much better each mix is: above 0 is better.
	"mixes": {unit: "%", mixes: gainOf},
	// The mean of how many times as good each mix is, and that in percent above 1.
	"ratios": {mixes: betterOver},
	"gain":   {unit: "%", mixes: betterOver, shown: above1},
	// The part of the mixes that are better by more than 5 %.
	"improved": {unit: "%", mixes: func(_ *metric, ours, base float64) float64 {
		if math.IsNaN(ours) || math.IsNaN(base) {
			return math.NaN()
		}
		return 100 * yes(ours < 0.95*base)
	}},
}

// higher is how much higher a number is than another, in percent, NaN where that is not
// defined.
func higher(ours, base float64) float64 {
	x := 100 * (ours/base - 1)
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// above1 is by how many percent a ratio is above 1.
func above1(x float64) float64 { return 100 * (x - 1) }

func gainOf(m *metric, ours, base float64) float64 {
	if m.lower {
		return -higher(ours, base)
	}
	return higher(ours, base)
}

func betterOver(m *metric, ours, base float64) float64 {
	switch {
	case m.mean == known && !(ours > 0 && base > 0):
		return math.NaN()
	case m.lower:
		return base / ours
	}
	return ours / base
}

// yes is 1 for what is so, 0 for what is not.
func yes(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

// extremes are of the numbers of mixes; NaN of none, and if one is not defined.
var extremes = map[string]func(list []float64) float64{"highest": ofAny(slices.Max[[]float64]), "largest": ofAny(slices.Max[[]float64]),
	"lowest": ofAny(slices.Min[[]float64]), "smallest": ofAny(slices.Min[[]float64])}

func ofAny(extreme func([]float64) float64) func([]float64) float64 {
	return func(list []float64) float64 {
		if len(list) == 0 {
			return math.NaN()
		}
		return extreme(list)
	}
}

func sumOf(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// geometricMean is NaN if the list is empty or holds NaN.
func geometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
