package validation

import (
	"math"
	"slices"
)

// Kind of a figure says how near it is to be to a published one.
type Kind uint8

// The kinds of figures.
const (
	Latency   Kind = iota // within 5 %
	Bandwidth             // within 10 %
)

// Bound is the largest difference that needs no reason, as a fraction.
func (k Kind) Bound() float64 {
	if k == Latency {
		return 0.05
	}
	return 0.10
}

// Figure is what a microkernel shows.
type Figure struct {
	Name string // by which published figures refer to it
	Unit string
	Kind Kind
}

// Microkernel is a small program that shows one latency or bandwidth, or a few
// that belong together.
type Microkernel struct {
	// About says what is measured, by which program.
	About   string
	Figures []Figure
	// measure gives the figures in their order.
	measure func(b *bench) ([]float64, error)
}

// All lists the microkernels in the order of the reports.
func All() []*Microkernel {
	return slices.Concat(arithmetic(), sharedMemory(), caches(), streams(), crossbar(), atomics(), launches())
}

// single is a microkernel of one figure.
func single(f Figure, about string, measure func(b *bench) (float64, error)) *Microkernel {
	return &Microkernel{About: about, Figures: []Figure{f}, measure: func(b *bench) ([]float64, error) {
		x, err := measure(b)
		return []float64{x}, err
	}}
}

// rounded is a measurement to four digits, as it is reported.
func rounded(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-3)
	if unit < 1 {
		return math.Round(x*math.Round(1/unit)) / math.Round(1/unit)
	}
	return math.Round(x/unit) * unit
}
