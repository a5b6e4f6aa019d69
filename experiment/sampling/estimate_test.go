package sampling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSamplingErrorLeavesEachRepresentativeOut(t *testing.T) {
	at := func(cycles ...uint64) (list []Measured) {
		for _, c := range cycles {
			list = append(list, Measured{Cycles: c, WarpInstructions: 1000})
		}
		return list
	}
	for _, c := range []struct {
		name            string
		representatives []Measured
		rest            int
		bound           float64
	}{
		{"equal representatives", at(100, 100, 100), 10, 0},
		// Left out, 90 differs from 110 by -2/11, and 110 from 90 by 2/9.
		{"two", at(90, 110), 1 << 40, 12.706 * math.Sqrt((4./121+4./81)/4) * math.Sqrt(1./2)},
		// Left out, 90 differs from 105 by -1/7, 100 from 100 by 0, 110 from 95 by 3/19.
		{"three", at(90, 100, 110), 1 << 40, 4.303 * math.Sqrt((1./49+9./361)*2/9) * math.Sqrt(1./3)},
		{"few launches to estimate vary themselves", at(90, 100, 110), 3, 4.303 * math.Sqrt((1./49+9./361)*2/9) * math.Sqrt(2./3)},
		{"as many cycles for each instruction", []Measured{{100, 1000}, {200, 2000}, {50, 500}}, 9, 0},
	} {
		require.InDelta(t, c.bound, SamplingError(c.representatives, c.rest), 1e-6, c.name)
	}
}

// Twelve launches, of which the last has twice the instructions but, with a spread of 1,
// shares the cluster.
func TestEstimateGivesLaunchesTheCyclesOfTheirInstructions(t *testing.T) {
	list := launches(instructions, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 2000)
	p, err := NewPlan(Spec{Spread: 1, Representatives: 2, WarmUps: 1, Most: 1}, list)
	require.NoError(t, err)
	require.Equal(t, "..wR....wR..", roles(p))
	measured := make([]Measured, len(list))
	measured[2], measured[3] = Measured{130, 1000}, Measured{100, 1000}
	measured[8], measured[9] = Measured{110, 1000}, Measured{100, 1000}
	e := p.Estimate(list, measured)
	require.Equal(t, []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 200}, e.Launches)
	require.InDelta(t, 1300, e.Cycles, 1e-9)
	require.InDelta(t, 0.1, e.Clusters[0].CyclesPerInstruction, 1e-12)
	require.Zero(t, e.Clusters[0].Sampling)
	// The launches before the representatives differ by 30 % and 10 %.
	require.InDelta(t, 0.2*1300, e.Clusters[0].State, 1e-9)
	require.InDelta(t, 0.2*1300, e.Bound, 1e-9)

	measured[9].Cycles = 110
	e = p.Estimate(list, measured)
	require.InDelta(t, 0.105, e.Clusters[0].CyclesPerInstruction, 1e-12)
	require.InDelta(t, 100+110+11*105, e.Cycles, 1e-9)
	require.InDelta(t, 11*105*SamplingError([]Measured{{100, 1000}, {110, 1000}}, 10), e.Clusters[0].Sampling, 1e-9)
}

func TestLaunchesBeforeTheFirstSkippedAreExact(t *testing.T) {
	list := launches(instructions, 5000, 1000, 9000, 1000, 1000, 1000, 1000, 1000, 1000)
	p, err := NewPlan(Spec{Spread: 0.1, Representatives: 2, WarmUps: 2, Most: 1}, list)
	require.NoError(t, err)
	require.Equal(t, "RwRR.wwR.", roles(p))
	measured := make([]Measured, len(list))
	for i := range list {
		measured[i] = Measured{list[i].WarpInstructions / 10, list[i].WarpInstructions}
	}
	measured[1].Cycles = 150 // with empty caches
	e := p.Estimate(list, measured)
	require.Equal(t, 150., e.Launches[1], "a warm-up that ran as in a full run")
	require.Zero(t, e.Clusters[p.Of[0]].State)
}

// A cluster without a launch right before a representative takes the differences of the
// whole application.
func TestStateOfAClusterWithoutWarmUps(t *testing.T) {
	kernel := func(l *Launch, x uint64) { l.Kernel = string(rune('a' + x)) }
	list := launches(kernel, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1)
	p, err := NewPlan(Spec{Spread: 0.1, Representatives: 2, WarmUps: 1, Most: 1}, list)
	require.NoError(t, err)
	require.Equal(t, ".wRR...wRR..", roles(p))
	measured := make([]Measured, len(list))
	for i := range list {
		measured[i] = Measured{100, 1000}
	}
	for i, r := range p.Roles {
		if r == WarmUp {
			measured[i].Cycles = 120
		}
	}
	e := p.Estimate(list, measured)
	require.InDelta(t, 0.2*600, e.Clusters[0].State, 1e-9)
	require.InDelta(t, 0.2*600, e.Clusters[1].State, 1e-9)
}
