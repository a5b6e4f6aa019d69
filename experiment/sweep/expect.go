package sweep

import (
	"context"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// typicalRate is the simulated core cycles per second of a run before a store has shown
// another rate: 190 runs of up to two applications for 2,000,000 cycles on smk16 took 21 s
// in the mean (smk-fig10, two shared cores).
const typicalRate = 95_000

// Expectation is what a plan still takes.
type Expectation struct {
	Total, Stored int
	// Left is about the time for the missing runs. It leaves out Unknown of them, which run to
	// their applications' end and of which the store has no like.
	Left    time.Duration
	Unknown int
	// Rate is the core cycles per second that Left assumes of runs that are like none in the
	// store; Measured says that it is of the store's runs.
	Rate     float64
	Measured bool
}

// rate takes over the core cycles per second of runs. It needs some.
func (x *Expectation) rate(known []*Known) {
	cycles, wall := 0.0, 0.0
	for _, k := range known {
		cycles, wall = cycles+float64(k.Took), wall+k.WallSeconds
	}
	if wall > 0 {
		x.Rate, x.Measured = cycles/wall, true
	}
}

// Outline predicts the time of runs, n at a time, by the rate of known runs alone. It opens
// nothing, and counts runs to the end as Unknown.
func Outline(runs []experiment.Spec, known []*Known, n int) Expectation {
	x, seen, cycles := Expectation{Rate: typicalRate}, map[string]bool{}, 0.0
	x.rate(known)
	add := func(s experiment.Spec) {
		if key := s.String() + " " + s.IsolatedGPU; !seen[key] {
			seen[key] = true
			x.Total++
			if cycles += float64(s.Cycles + s.Warmup); s.Cycles == 0 {
				x.Unknown++
			}
		}
	}
	for _, s := range runs {
		add(s)
		for i := range s.Apps {
			if len(s.Apps) > 1 || s.IsolatedGPU != "" {
				add(s.ByItself(i))
			}
		}
	}
	x.Left = time.Duration(cycles / x.Rate / float64(experiment.AtATime(n)) * float64(time.Second))
	return x
}

// Expect predicts the time that a plan's missing runs take, n at a time, by the wall times
// of the runs that a store has. The store may be nil.
func Expect(ctx context.Context, s *store.Store, plan *Plan, n int) (Expectation, error) {
	x := Expectation{Total: plan.Len(), Rate: typicalRate}
	e := newEstimate(plan, experiment.AtATime(n))
	if s != nil {
		known, _, err := Read(ctx, s, func(string) bool { return false })
		if err != nil {
			return x, err
		}
		x.rate(known)
		walls := map[string]float64{}
		for _, k := range known {
			walls[k.Key] = k.WallSeconds
		}
		for _, j := range plan.All() {
			if seconds, stored := walls[j.Key]; stored {
				x.Stored++
				e.took[j], e.done[j] = time.Duration(seconds*float64(time.Second)), true
			}
		}
	}
	speeds, longest := e.speeds(), time.Duration(0)
	for _, j := range plan.All() {
		if e.done[j] {
			continue
		}
		took := speeds.predicted(j)
		switch {
		case took == 0 && j.Cycles > 0:
			took = time.Duration(float64(j.Cycles+j.Warmup) / x.Rate * float64(time.Second))
		case took == 0:
			x.Unknown++
		}
		x.Left += took
		longest = max(longest, took)
	}
	x.Left = max(longest, x.Left/time.Duration(e.parallel))
	return x, nil
}
