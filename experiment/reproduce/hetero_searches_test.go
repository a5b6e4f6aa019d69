package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/presets"
)

func TestTheBestOfASearchCounts(t *testing.T) {
	rows, data := heteroRows(t, "heterocore-fig4", Quick, heteroStory{mix: func(r experiment.Spec, names []string) (float64, float64) {
		switch {
		case r.Policy == "fixed:sms=8/8":
			return 1, 2
		case r.Policy == "fixed:sms=12/4":
			return 1.1, 4
		case r.Policy == "heterocore":
			return 1.2, 1
		case strings.HasPrefix(r.Policy, "fixed:tbs="):
			n := combination(r.Policy)[0]
			return 1 + n/10, 2 + n
		}
		return 0.5, 1 // other partitions
	}})
	d, smk := evaluationOf(t, "heterocore-fig4", data), wayIn(t, "heterocore-fig4", "SMK of highest STP")
	// Of the combinations that are tried, SMK's most and fewest thread blocks of the first.
	mixes := d.figure.group(Quick, "few").mixes
	most, fewest := 0.0, 0.0
	for i := range mixes {
		var first []float64
		for _, policy := range sharedSMs(d, smk, &mixes[i], "") {
			first = append(first, combination(policy)[0])
		}
		most, fewest = most+slices.Max(first)/8, fewest+slices.Min(first)/8
	}
	assert.Greater(t, most, fewest)
	for label, want := range map[string]float64{
		"uneven partition": 10, "SMK of highest STP": 10 * most, "SMK of lowest ANTT": 10 * fewest, "dynamic": 20,
	} {
		assert.InDelta(t, want, ours(t, rows, "STP, ALL of 8 pairs, "+label), 1e-9, label)
	}
	for label, want := range map[string]float64{
		"uneven partition": -100, "SMK of highest STP": -50 * most, "SMK of lowest ANTT": -50 * fewest, "dynamic": 50,
	} {
		assert.InDelta(t, want, ours(t, rows, "ANTT, ALL of 8 pairs, "+label), 1e-9, label)
	}
	full := evaluationOf(t, "heterocore-fig4", NewData(Full, presets.Load, nil, nil))
	all, front := sharedSMs(full, smk, &mixes[0], ""), sharedSMs(d, smk, &mixes[0], "")
	assert.Subset(t, all, front)
	assert.Greater(t, len(all), len(front))
	assert.Equal(t, 14.0, *find(t, rows, "STP, ALL of 8 pairs, SMK of highest STP").Paper)
	assert.Equal(t, -62.4, *find(t, rows, "ANTT, ALL of 8 pairs, SMK of lowest ANTT").Paper)
}

func TestUnevenPartitionsAreInStepsOfTwo(t *testing.T) {
	assert.Equal(t, []string{"fixed:sms=2/14", "fixed:sms=4/12", "fixed:sms=6/10", "fixed:sms=8/8", "fixed:sms=10/6", "fixed:sms=12/4", "fixed:sms=14/2"}, searches["parts in steps of two"](nil, nil, nil, ""))
}

func TestAssignmentsAreThoseOfThePaper(t *testing.T) {
	d := evaluationOf(t, "heterocore-fig10", NewData(Full, presets.Load, nil, nil))
	for gpu, want := range map[string][]string{
		hetero8b8s: {"fixed:sms=0+4/8+4", "fixed:sms=1+3/7+5", "fixed:sms=2+2/6+6", "fixed:sms=3+1/5+7", "fixed:sms=4+0/4+8",
			"fixed:sms=0+8/8+0", "fixed:sms=1+7/7+1", "fixed:sms=2+6/6+2", "fixed:sms=3+5/5+3", "fixed:sms=4+4/4+4",
			"fixed:sms=5+3/3+5", "fixed:sms=6+2/2+6", "fixed:sms=7+1/1+7", "fixed:sms=8+0/0+8",
			"fixed:sms=4+8/4+0", "fixed:sms=5+7/3+1", "fixed:sms=6+6/2+2", "fixed:sms=7+5/1+3", "fixed:sms=8+4/0+4"},
		"heterocore-4b12s": {"fixed:sms=0+4/4+8", "fixed:sms=1+3/3+9", "fixed:sms=2+2/2+10", "fixed:sms=3+1/1+11", "fixed:sms=4+0/0+12",
			"fixed:sms=0+8/4+4", "fixed:sms=1+7/3+5", "fixed:sms=2+6/2+6", "fixed:sms=3+5/1+7", "fixed:sms=4+4/0+8",
			"fixed:sms=0+12/4+0", "fixed:sms=1+11/3+1", "fixed:sms=2+10/2+2", "fixed:sms=3+9/1+3", "fixed:sms=4+8/0+4"},
		"heterocore-12b4s": nil,
	} {
		f, ok := d.fleet(gpu)
		require.True(t, ok)
		if want == nil {
			assert.Len(t, f.assignments(), 15, gpu)
			assert.Equal(t, "fixed:sms=12+0/0+4", f.assignments()[14])
			continue
		}
		assert.Equal(t, want, f.assignments(), gpu)
	}
	small := fleet{sms: [2]int{8, 4}, big: 1} // small ones first
	assert.Equal(t, []int{4, 8}, []int{small.bigs(), small.smalls()})
	assert.Equal(t, "2+1", small.share(1, 2))
	assert.Equal(t, []string{"fixed:sms=0+4", "fixed:sms=8+0"}, []string{small.onKind(true), small.onKind(false)})
	for _, gpu := range []string{"fermi16", "absent"} {
		d.err = nil
		_, ok := d.fleet(gpu)
		assert.False(t, ok)
		assert.Error(t, d.err)
	}
}

func TestDynamicIsComparedWithTheOptimum(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-fig10", Quick, heteroStory{mix: func(r experiment.Spec, names []string) (float64, float64) {
		switch {
		case r.GPU == "fermi16":
			return 1, 2
		case r.Policy == "heterocore":
			return 1.2, 1.5
		case r.GPU == "heterocore-4b12s" && r.Policy == "fixed:sms=4+0/0+12":
			return 1.5, 1.875
		case r.GPU == hetero8b8s && r.Policy == "fixed:sms=8+0/0+8" && names[0] != "HISTO":
			return 1.5, 1.5
		case r.GPU == hetero8b8s && r.Policy == "fixed:sms=4+0/4+8" && names[0] == "HISTO":
			return 1.5, 1.5
		}
		return 0.75, 3
	}})
	assert.InDelta(t, 50, ours(t, rows, "STP, heterogeneous, optimum"), 1e-9)
	assert.InDelta(t, 50, ours(t, rows, "STP, heterogeneous, optimum of 4B12S"), 1e-9)
	assert.InDelta(t, -25, ours(t, rows, "STP, heterogeneous, optimum of 12B4S"), 1e-9)
	assert.InDelta(t, -20, ours(t, rows, "STP, heterogeneous, dynamic over optimum"), 1e-9)
	assert.InDelta(t, -25, ours(t, rows, "ANTT, heterogeneous, optimum of 4B12S over optimum"), 1e-9)
	assert.InDelta(t, 100*2.0/3, ours(t, rows, "pairs whose optimum has as many SMs for each"), 1e-9)
}
