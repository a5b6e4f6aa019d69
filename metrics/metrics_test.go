package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Two tenants: one at half of its speed alone, one at three quarters.
var half = []float64{Normalized(50, 100), Normalized(300, 400)}

func TestDefinitionsOnTwoTenants(t *testing.T) {
	assert.Equal(t, []float64{0.5, 0.75}, half)
	assert.Equal(t, 2.0, NTT(0.5))
	assert.Equal(t, 1.25, STP(half))
	assert.InDelta(t, (2+4.0/3)/2, ANTT(half), 1e-15)
	assert.InDelta(t, 2.0/3, Fairness(half), 1e-15)
	assert.InDelta(t, 2/(2+4.0/3), HSpeedup(half), 1e-15)
}

func TestOneTenantAloneLosesNothing(t *testing.T) {
	alone := []float64{Normalized(123.4, 123.4)}
	assert.Equal(t, 1.0, STP(alone))
	assert.Equal(t, 1.0, ANTT(alone))
	assert.Equal(t, 1.0, Fairness(alone))
	assert.Equal(t, 1.0, HSpeedup(alone))
}

func TestTenantWithoutProgressHasNoTurnaroundTime(t *testing.T) {
	starved := []float64{1, Normalized(0, 100)}
	assert.Equal(t, []float64{1, 0}, starved)
	assert.True(t, math.IsNaN(NTT(0)))
	assert.Equal(t, 1.0, STP(starved))
	assert.True(t, math.IsNaN(ANTT(starved)))
	assert.Equal(t, 0.0, Fairness(starved))
	assert.Equal(t, 0.0, HSpeedup(starved))
}

func TestFairnessOfNoProgressAtAllIsNotDefined(t *testing.T) {
	none := []float64{0, 0}
	assert.True(t, math.IsNaN(Fairness(none)))
	assert.Equal(t, 0.0, STP(none))
	assert.Equal(t, 0.0, HSpeedup(none))
}

func TestImpossibleInputsGiveNothing(t *testing.T) {
	for _, pair := range [][2]float64{{1, 0}, {0, 0}, {-1, 2}, {1, -2}, {math.NaN(), 1}, {1, math.NaN()},
		{math.Inf(1), 1}, {math.Inf(1), math.Inf(1)}, {math.MaxFloat64, math.SmallestNonzeroFloat64}} {
		assert.True(t, math.IsNaN(Normalized(pair[0], pair[1])), "%v", pair)
	}
	assert.True(t, math.IsNaN(NTT(math.SmallestNonzeroFloat64)))
	for _, f := range []func([]float64) float64{STP, ANTT, Fairness, HSpeedup} {
		assert.True(t, math.IsNaN(f(nil)))
		assert.True(t, math.IsNaN(f([]float64{1, math.NaN()})))
		assert.True(t, math.IsNaN(f([]float64{0, math.NaN()})))
	}
}

// Harmonic mean <= arithmetic mean, and both lie between the extremes.
func TestMetricsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.Float64Range(1e-3, 4), 1, 16).Draw(t, "normalized")
		const slack = 1 + 1e-12
		h, mean := HSpeedup(n), STP(n)/float64(len(n))
		if h > mean*slack {
			t.Fatalf("HSpeedup %v above the mean %v of %v", h, mean, n)
		}
		if f := Fairness(n); f <= 0 || f > 1 {
			t.Fatalf("fairness %v of %v", f, n)
		}
		if math.Abs(h*ANTT(n)-1) > 1e-12 {
			t.Fatalf("HSpeedup %v is not the inverse of ANTT %v", h, ANTT(n))
		}
	})
}
