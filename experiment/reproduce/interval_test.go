package reproduce

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/presets"
)

// rowOf is a row of a figure's report.
func rowOf(t *testing.T, name, label string, d *Data) Row {
	t.Helper()
	rows, err := figureOf(t, name).Rows(d)
	require.NoError(t, err)
	return find(t, rows, label)
}

// The interval of a mean is as wide as the normal distribution has it: 2 x 1.96 standard
// errors.
func TestIntervalOfAMeanHasItsWidth(t *testing.T) {
	sum, squares, n := 0.0, 0.0, 0.0
	d := dataOf(figureOf(t, "smk-fig12"), Full, func(r experiment.Spec) *experiment.Result {
		result := drawn(r)
		if len(r.Apps) == 2 && r.Policy == "spart" {
			x := float64(result.STP)
			sum, squares, n = sum+x, squares+x*x, n+1
		}
		return result
	})
	row := rowOf(t, "smk-fig12", "STP, all pairs, Spart", d)
	require.Equal(t, 45.0, n)
	assert.Equal(t, []int{45, 45}, []int{row.Mixes, row.OfMixes})
	mean := sum / n
	assert.InDelta(t, mean, *row.Ours, 1e-12)
	assert.Less(t, *row.Low, mean)
	assert.Greater(t, *row.High, mean)
	assert.InEpsilon(t, 2*1.96*math.Sqrt((squares/n-mean*mean)/n), *row.High-*row.Low, 0.15)
}

func TestEqualMixesHaveAnIntervalWithoutWidth(t *testing.T) {
	row := rowOf(t, "smk-fig12", "STP, C+M, SMK-(P+W)", dataOf(figureOf(t, "smk-fig12"), Full, equal))
	assert.Equal(t, []float64{1.25, 1.25}, []float64{*row.Low, *row.High})
	assert.Equal(t, "1.250 to 1.250", row.Interval())
}

func TestSingleMixHasNoInterval(t *testing.T) {
	rows, err := figureOf(t, "smk-fig11").Rows(dataOf(figureOf(t, "smk-fig11"), Full, drawn))
	require.NoError(t, err)
	assert.Nil(t, rows[0].Low)
	assert.Equal(t, []string{"-", "1"}, []string{rows[0].Interval(), rows[0].Count()})
}

// If each pair reaches all of its goals or none, a goal's cases tell no more than its pairs: the
// interval over 20 pairs with three goals is that over 20 pairs with one.
func TestGoalsOfAMixAreDrawnTogether(t *testing.T) {
	d := dataOf(figureOf(t, "qos-fig6"), Quick, func(r experiment.Spec) *experiment.Result {
		result := drawn(r)
		alone, _, _ := strings.Cut(strings.Join(untold(r.Apps), " "), "&")
		ratio := 0.9
		if seeded(alone).IntN(2) == 0 {
			ratio = 1.1
		}
		for i := range result.Kernels {
			result.Kernels[i].GoalIPC = experiment.Figure(result.Kernels[i].IPC / ratio)
		}
		return result
	})
	all := rowOf(t, "qos-fig6", "QoSreach, pairs, all goals, Rollover", d)
	one := rowOf(t, "qos-fig6", "QoSreach, pairs, 50 %, Rollover", d)
	assert.Equal(t, []int{60, 20}, []int{all.Mixes, one.Mixes})
	assert.Equal(t, *one.Ours, *all.Ours)
	assert.Equal(t, []float64{*one.Low, *one.High}, []float64{*all.Low, *all.High})
}

// A partial report has the mixes with all results that the row takes, and says of how many.
func TestPartialReportHasTheMixesThatAreMade(t *testing.T) {
	f := figureOf(t, "smk-fig12")
	var runs []experiment.Spec
	var results []*experiment.Result
	pairs := map[string]int{}
	for _, r := range f.Runs(Full) {
		runs, results = append(runs, r), append(results, nil)
		if made := pairs[r.Policy] < 10; made && len(r.Apps) == 2 && (r.Policy == "spart" || pairs[r.Policy] < 4) {
			results[len(results)-1] = equal(r)
			pairs[r.Policy]++
		}
	}
	d := NewData(Full, presets.Load, runs, results)
	d.Partial = true
	assert.Equal(t, 14, d.Results())
	alone := rowOf(t, "smk-fig12", "STP, all pairs, Spart", d)
	assert.Equal(t, "10 of 45", alone.Count())
	assert.Equal(t, 1.25, *alone.Ours)
	compared := rowOf(t, "smk-fig12", "STP, all pairs, SMK-(P+W) over Spart", d)
	assert.Equal(t, "4 of 45", compared.Count(), "only where both are made")
	none := rowOf(t, "smk-fig12", "STP, M+M, SMK-(P+W)", d)
	assert.Equal(t, "0 of 15", none.Count())
	assert.Nil(t, none.Ours)
}

func TestWindowReplacesThatOfTheFigure(t *testing.T) {
	s := Quick
	s.Window = 12_345
	for _, name := range []string{"smk-fig12", "heterocore-fig7"} {
		for _, r := range figureOf(t, name).Runs(s) {
			require.Equal(t, uint64(12_345), r.Cycles, name)
		}
	}
	for _, r := range figureOf(t, "thesis-fig5.4").Runs(s) {
		require.Equal(t, uint64(0), r.Cycles, "runs to the end keep their end")
	}
}
