package ws

import (
	"testing"

	"cotenant/components/occupancy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ccbp16 is the SM of the CCBP paper (CCBP Table 1).
var ccbp16 = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

// of is a thread block of some threads.
func of(threads int) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: threads, Warps: threads / 32}
}

func TestWaterIsFilledFromTheLowest(t *testing.T) {
	linear := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8} // of 256 threads
	for name, c := range map[string]struct {
		curves [][]float64
		want   []int
	}{
		"alike":                          {[][]float64{linear, linear}, []int{4, 4}},
		"one saturates":                  {[][]float64{linear, {0, 6, 9, 10, 10, 10, 10, 10, 10}}, []int{6, 2}},
		"all at their best":              {[][]float64{{0, 1, 2, 2, 2, 2, 2, 2, 2}, {0, 3, 3, 3, 3, 3, 3, 3, 3}}, []int{2, 1}},
		"a step of three":                {[][]float64{{0, 1, 1, 1, 4, 4, 4, 4, 4}, linear}, []int{4, 4}},
		"a step that does not fit":       {[][]float64{{0, 1, 1, 1, 1, 1, 1, 4, 4}, {0, 0.5, 3, 3, 4, 4, 4, 4, 4}}, []int{1, 4}},
		"one of each, then no room":      {[][]float64{linear, linear, linear, linear, linear, linear, linear, linear}, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		"the others go on after refusal": {[][]float64{{0, 1, 1, 1, 1, 1, 1, 1, 9}, linear}, []int{1, 7}},
		"ties go to the first":           {[][]float64{linear, linear, linear}, []int{3, 3, 2}},
		"not even one of each":           {[][]float64{linear, linear, linear, linear, linear, linear, linear, linear, linear}, nil},
	} {
		demands := make([]occupancy.Demand, len(c.curves))
		for k := range demands {
			demands[k] = of(256)
		}
		require.Equal(t, c.want, waterfill(c.curves, demands, &ccbp16), name)
	}
}

// drawKernel draws a thread block's demand, and a curve that never falls.
func drawKernel(t *rapid.T) (d occupancy.Demand, curve []float64) {
	d = of(32 * rapid.IntRange(1, 20).Draw(t, "warps"))
	d.Registers = 256 * rapid.IntRange(0, 60).Draw(t, "registers")
	d.SharedBytes = 512 * rapid.IntRange(0, 60).Draw(t, "shared")
	most, _ := ccbp16.Occupancy(d)
	curve = []float64{0}
	for n := 1; n <= most; n++ {
		curve = append(curve, curve[n-1]+float64(rapid.IntRange(0, 4).Draw(t, "gain")))
	}
	curve[most]++ // it does something
	return d, curve
}

func TestTheLowestOfTwoKernelsIsAsHighAsAnyCombinationMakesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d1, c1 := drawKernel(t)
		d2, c2 := drawKernel(t)
		got := waterfill([][]float64{c1, c2}, []occupancy.Demand{d1, d2}, &ccbp16)
		fits := func(n1, n2 int) bool {
			all := d1.Times(n1).Add(d2.Times(n2))
			return all.TBs <= ccbp16.TBs && all.Threads <= ccbp16.Threads && all.Warps <= ccbp16.Warps &&
				all.Registers <= ccbp16.Registers && all.SharedBytes <= ccbp16.SharedOptions[0]
		}
		low := func(n1, n2 int) float64 { return min(c1[n1]/c1[len(c1)-1], c2[n2]/c2[len(c2)-1]) }
		best := -1.0
		for n1 := 1; n1 < len(c1); n1++ {
			for n2 := 1; n2 < len(c2); n2++ {
				if fits(n1, n2) {
					best = max(best, low(n1, n2))
				}
			}
		}
		if best < 0 {
			require.Nil(t, got)
			return
		}
		require.True(t, fits(got[0], got[1]), "%v", got)
		require.Equal(t, best, low(got[0], got[1]), "%v", got)
		for k, curve := range [][]float64{c1, c2} {
			n := got[k]
			require.True(t, n == 1 || curve[n] > curve[n-1], "the last of %v is of no use", got)
			more := got
			for more = []int{got[0], got[1]}; more[k] < len(curve) && curve[more[k]] == curve[n]; more[k]++ {
			}
			require.False(t, more[k] < len(curve) && fits(more[0], more[1]), "%v could be %v", got, more)
		}
	})
}
