package validation

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/workload"
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
	return slices.Concat(arithmetic(), sharedMemory(), caches(), []*Microkernel{chases()}, streams(), crossbar(), atomics(), launches())
}

// single is a microkernel of one figure.
func single(f Figure, about string, measure func(b *bench) (float64, error)) *Microkernel {
	return &Microkernel{About: about, Figures: []Figure{f}, measure: func(b *bench) ([]float64, error) {
		x, err := measure(b)
		return []float64{x}, err
	}}
}

// chain is a microkernel of one warp with n instructions: the core cycles of a further one.
func chain(name, about string, n int, step func(i int) workload.Inst) *Microkernel {
	return chains(name, about, []int{0}, n, func(_, i int) workload.Inst { return step(i) })
}

// chains are chains in one: for each of some values a figure, with the value for {} in name.
func chains(name, about string, values []int, n int, step func(value, i int) workload.Inst) *Microkernel {
	m := &Microkernel{About: about}
	for _, v := range values {
		m.Figures = append(m.Figures, Figure{strings.Replace(name, "{}", strconv.Itoa(v), 1), "cycles", Latency})
	}
	m.measure = func(b *bench) (list []float64, err error) {
		for _, v := range values {
			k := oneWarp(func(i int) workload.Inst { return step(v, i) })
			cycles, err := b.perStep(n, k, k(n)) // the L2 has what n of them read
			if err != nil {
				return nil, err
			}
			list = append(list, cycles)
		}
		return list, nil
	}
	return m
}

// blockRate is a microkernel of one thread block that is as large as an SM takes: what its
// warps do in a core cycle, if each of n instructions of a warp does an amount. Kernels in
// before run first, with the number of warps.
func blockRate(name, unit, about string, amount, n int, step func(warp, i int) workload.Inst, before ...func(b *bench, warps int) *workload.Kernel) *Microkernel {
	return single(Figure{name, unit, Bandwidth}, about, func(b *bench) (float64, error) {
		each := b.full()
		var first []*workload.Kernel
		for _, k := range before {
			first = append(first, k(b, each))
		}
		cycles, err := b.perStep(n, warps(1, each, step), first...)
		return float64(each*amount) / cycles, err
	})
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
