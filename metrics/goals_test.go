package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var (
	exact, above, below = Case{80, 80}, Case{120, 100}, Case{99, 100}
	unknown             = Case{math.NaN(), 100}
)

func TestGoalIsReachedExactlyAndWithoutTolerance(t *testing.T) {
	assert.True(t, exact.Reached())
	assert.True(t, above.Reached())
	assert.False(t, Case{math.Nextafter(80, 0), 80}.Reached())
	assert.Equal(t, []float64{1, 1.2, 0.99}, []float64{exact.OverGoal(), above.OverGoal(), below.OverGoal()})
}

func TestCaseWithoutGoalOrIPCIsNotDefined(t *testing.T) {
	for _, c := range []Case{unknown, {}, {IPC: 1}, {1, -1}, {-1, 1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		assert.False(t, c.Reached(), "%v", c)
		assert.True(t, math.IsNaN(c.OverGoal()), "%v", c)
		some := []Case{above, c, below}
		assert.True(t, math.IsNaN(QoSReach(some)), "%v", c)
		assert.True(t, math.IsNaN(MeanReached([]float64{1, 2, 3}, some)), "%v", c)
		assert.True(t, math.IsNaN(Tightest(some...).IPC), "%v", c)
		assert.Equal(t, [ShortfallBins]int{1}, Shortfalls(some), "%v", c)
	}
	assert.Equal(t, 0.0, QoSReach([]Case{{0, 100}}), "a tenant without progress missed its goal")
}

func TestFiguresOfGoalsAreNotDefinedWithoutCases(t *testing.T) {
	for _, f := range []float64{QoSReach(nil), MeanReached(nil), MeanReached([]float64{5}, []Case{below}), Tightest().OverGoal()} {
		assert.True(t, math.IsNaN(f))
	}
	assert.Equal(t, [ShortfallBins]int{}, Shortfalls(nil))
}

func TestReachOfThreeCases(t *testing.T) {
	assert.Equal(t, 2.0/3, QoSReach([]Case{exact, above, below}))
}

// QoS 4.2: the evaluated naive scheme reached 186 of 900 goals, which Figure 6
// prints as 20.6 %.
func TestReachOfFigure5(t *testing.T) {
	cases := make([]Case, 900)
	for i := range cases {
		if cases[i] = (Case{97, 100}); i < 186 {
			cases[i].IPC = 101.3
		}
	}
	assert.InDelta(t, 0.2067, QoSReach(cases), 1e-4)
	assert.Equal(t, [ShortfallBins]int{714}, Shortfalls(cases))
}

func TestShortfallBinsEndAtTheirUpperBound(t *testing.T) {
	for ipc, bin := range map[float64]int{99.99: 0, 95: 0, 94.99: 1, 90: 1, 89.99: 2, 85: 2, 84.99: 3, 80: 3, 79.99: 4, 0: 4} {
		var want [ShortfallBins]int
		want[bin] = 1
		assert.Equal(t, want, Shortfalls([]Case{{ipc, 100}, exact, above}), "%v of 100", ipc)
	}
	assert.Equal(t, [ShortfallBins]int{2, 0, 1, 0, 1}, Shortfalls([]Case{below, {10, 100}, {19, 20}, {17, 20}}))
}

func TestMeanIsOverTheCasesThatBothSchemesReached(t *testing.T) {
	figure := []float64{0.5, 0.7, 0.9, 0.1}
	first := []Case{exact, above, below, exact}
	second := []Case{exact, below, above, above}
	assert.InDelta(t, 0.3, MeanReached(figure, first, second), 1e-15)
	assert.InDelta(t, 1.3/3, MeanReached(figure, first), 1e-15)
	assert.InDelta(t, 0.55, MeanReached(figure), 1e-15)
	assert.True(t, math.IsNaN(MeanReached([]float64{1, math.NaN()}, []Case{exact, above})))
	assert.Equal(t, 1.0, MeanReached([]float64{1, math.NaN()}, []Case{exact, below}), "the figure of a miss does not matter")
}

func TestCoRunIsAsGoodAsItsTightestGoal(t *testing.T) {
	assert.Equal(t, below, Tightest(above, below, exact))
	assert.Equal(t, exact, Tightest(exact, above))
	almost := Case{math.Nextafter(1e300, 0), 1e300}
	assert.Equal(t, almost, Tightest(Case{1e300, 1e300}, almost))
}

func TestTightestIsReachedIfAndOnlyIfAllAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) float64 { return rapid.Float64Range(1, 4).Draw(t, "x") })
		cases := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Case {
			return Case{number.Draw(t, "ipc"), number.Draw(t, "goal")}
		}), 1, 5).Draw(t, "cases")
		all, misses := true, 0
		for _, c := range cases {
			if all = all && c.Reached(); !c.Reached() {
				misses++
			}
		}
		if Tightest(cases...).Reached() != all {
			t.Fatalf("tightest of %v is %v", cases, Tightest(cases...))
		}
		sum := 0
		for _, n := range Shortfalls(cases) {
			sum += n
		}
		if sum != misses || math.Abs(QoSReach(cases)-1+float64(misses)/float64(len(cases))) > 1e-12 {
			t.Fatalf("%d misses of %v, in bins %d, reach %v", misses, cases, sum, QoSReach(cases))
		}
	})
}
