package sampling

import "math"

// Measured holds what the simulation of a launch gave.
type Measured struct {
	// Cycles is the time from when its command was first in its queue to its end.
	Cycles           uint64
	WarpInstructions uint64
}

// Estimate holds the cycles of an application.
type Estimate struct {
	// Cycles is the sum over Launches, Bound the largest error of it that the simulated
	// launches speak for, about 95 % of the time.
	Cycles, Bound float64
	// Launches are the cycles of each launch, simulated or estimated.
	Launches []float64
	Clusters []ClusterEstimate
}

// ClusterEstimate holds the cycles of a cluster.
type ClusterEstimate struct {
	// CyclesPerInstruction is the representatives' cycles over their warp instructions.
	CyclesPerInstruction float64
	Cycles               float64
	// Sampling and State are the parts of the bound, in cycles.
	Sampling, State float64
}

// Estimate adds up the launches' cycles. measured holds the simulated launches by number.
func (p *Plan) Estimate(launches []Launch, measured []Measured) *Estimate {
	e := &Estimate{Launches: make([]float64, len(launches)), Clusters: make([]ClusterEstimate, len(p.Clusters))}
	for c := range p.Clusters {
		p.cluster(e, c, launches, measured)
	}
	p.state(e, measured)
	for i := range e.Clusters {
		c := &e.Clusters[i]
		e.Cycles += c.Cycles
		e.Bound += c.Sampling + c.State
	}
	return e
}

// cluster estimates the launches of a cluster and the error of that by sampling.
func (p *Plan) cluster(e *Estimate, number int, launches []Launch, measured []Measured) {
	c, rest, estimated := &e.Clusters[number], 0, 0.0
	var of []Measured
	for _, m := range p.Clusters[number] {
		if p.Roles[m] == Representative {
			of = append(of, measured[m])
		}
	}
	c.CyclesPerInstruction = ratio(of)
	for _, m := range p.Clusters[number] {
		e.Launches[m] = float64(measured[m].Cycles)
		if p.Roles[m] != Representative && m >= p.Exact {
			e.Launches[m] = c.CyclesPerInstruction * float64(launches[m].WarpInstructions)
			estimated += e.Launches[m]
			rest++
		}
		c.Cycles += e.Launches[m]
	}
	if rest > 0 {
		c.Sampling = estimated * SamplingError(of, rest)
	}
}

// ratio is cycles over warp instructions.
func ratio(of []Measured) float64 {
	cycles, instructions := uint64(0), uint64(0)
	for _, m := range of {
		cycles += m.Cycles
		instructions += m.WarpInstructions
	}
	return float64(cycles) / float64(max(1, instructions))
}

// student is the 97.5 % quantile of Student's t by the degrees of freedom.
var student = [mostRepresentatives]float64{1: 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262}

// SamplingError bounds, for 95 %, the relative error of the cycles of rest launches that are
// estimated from representatives, at least two. It leaves each representative out, predicts
// it from the remaining ones, and takes the differences for the variation between launches.
func SamplingError(representatives []Measured, rest int) float64 {
	n := len(representatives)
	left, squares := make([]Measured, 0, n), 0.0
	for i, m := range representatives {
		left = append(append(left[:0], representatives[:i]...), representatives[i+1:]...)
		d := ratio([]Measured{m})/ratio(left) - 1
		squares += d * d
	}
	// The distance from the mean of the remaining n-1 is n/(n-1) of the distance from the
	// mean of all.
	deviation := math.Sqrt(squares * float64(n-1) / float64(n*n))
	return student[n-1] * deviation * math.Sqrt(1/float64(n)+1/float64(rest))
}

// state sets the part of the bound for launches that began with other caches than in a full
// run.
func (p *Plan) state(e *Estimate, measured []Measured) {
	type sum struct {
		difference float64
		n          int
	}
	sums, all := make([]sum, len(p.Clusters)), sum{}
	for i, r := range p.Roles {
		if r != WarmUp || i < p.Exact || p.Roles[i+1] != Representative {
			continue
		}
		d := math.Abs(float64(measured[i].Cycles)/e.Launches[i] - 1)
		for _, s := range []*sum{&sums[p.Of[i]], &all} {
			s.difference += d
			s.n++
		}
	}
	for c := range e.Clusters {
		s := sums[c]
		if s.n == 0 {
			s = all
		}
		if s.n == 0 {
			continue
		}
		later := 0.0 // cycles of launches behind the exact ones
		for _, m := range p.Clusters[c] {
			if m >= p.Exact {
				later += e.Launches[m]
			}
		}
		e.Clusters[c].State = later * s.difference / float64(s.n)
	}
}
