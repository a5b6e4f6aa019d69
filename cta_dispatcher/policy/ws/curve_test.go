package ws

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCorrectionGrowsWithStallsAndDistance(t *testing.T) {
	l := limits{0.5, 2}
	for _, c := range []struct {
		p    point
		mean float64
		want float64
	}{
		{point{tbs: 1, ipc: 100, stalls: 0}, 4, 100},
		{point{tbs: 4, ipc: 100, stalls: 1}, 4, 100},
		{point{tbs: 1, ipc: 100, stalls: 1}, 4, 175},
		{point{tbs: 1, ipc: 100, stalls: 0.5}, 4, 137.5},
		{point{tbs: 6, ipc: 100, stalls: 0.5}, 4, 75},
		{point{tbs: 6, ipc: 100, stalls: 1}, 4, 50},
		{point{tbs: 8, ipc: 100, stalls: 1}, 4, 50}, // 0
	} {
		require.Equal(t, c.want, l.corrected(c.p, c.mean), "%+v", c)
	}
	require.Equal(t, 120.0, limits{0.9, 1.2}.corrected(point{tbs: 1, ipc: 100, stalls: 1}, 4))
	require.Equal(t, 100.0, limits{1, 1}.corrected(point{tbs: 1, ipc: 100, stalls: 1}, 4))
}

func TestCurve(t *testing.T) {
	none := limits{1, 1}
	for name, c := range map[string]struct {
		points []point
		most   int
		want   []float64
	}{
		"every number":            {[]point{{tbs: 2, ipc: 30}, {tbs: 1, ipc: 20}, {tbs: 3, ipc: 36}}, 3, []float64{0, 20, 30, 36}},
		"the mean of a number":    {[]point{{tbs: 1, ipc: 20}, {tbs: 2, ipc: 30}, {tbs: 1, ipc: 10}}, 2, []float64{0, 15, 30}},
		"between the numbers":     {[]point{{tbs: 2, ipc: 20}, {tbs: 6, ipc: 40}}, 6, []float64{0, 10, 20, 25, 30, 35, 40}},
		"beyond the last":         {[]point{{tbs: 2, ipc: 20}}, 4, []float64{0, 10, 20, 20, 20}},
		"it never falls":          {[]point{{tbs: 1, ipc: 20}, {tbs: 2, ipc: 30}, {tbs: 3, ipc: 10}, {tbs: 4, ipc: 40}}, 4, []float64{0, 20, 30, 30, 40}},
		"nothing is known":        {nil, 3, []float64{0, 1, 2, 3}},
		"nothing has been issued": {[]point{{tbs: 1}, {tbs: 2}, {tbs: 3}}, 3, []float64{0, 1, 2, 3}},
	} {
		require.Equal(t, c.want, none.curve(c.points, c.most), name)
	}
	// Corrected by the mean of 2, the first by 1 + 1/2 and the last by 1 - 1/4.
	require.Equal(t, []float64{0, 15, 20, 22.5}, limits{0.5, 2}.curve(
		[]point{{tbs: 1, ipc: 10, stalls: 1}, {tbs: 2, ipc: 20, stalls: 1}, {tbs: 3, ipc: 30, stalls: 0.5}}, 3))
}

func TestStepsOfAProfiling(t *testing.T) {
	require.Equal(t, []int{1, 2, 3, 4, 1, 2, 3, 4}, steps(8, 4))
	require.Equal(t, []int{1, 2, 3, 4, 5, 1, 2, 3}, steps(8, 5))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8}, steps(8, 8))
	require.Equal(t, []int{4, 8, 12, 16, 20, 24, 28, 32}, steps(8, 32))
	require.Equal(t, []int{2, 3, 4, 5, 6, 7, 8, 9}, steps(8, 9))
	require.Equal(t, []int{7}, steps(1, 7))
	rapid.Check(t, func(t *rapid.T) {
		sms, most := rapid.IntRange(1, 40).Draw(t, "SMs"), rapid.IntRange(1, 40).Draw(t, "most")
		list := steps(sms, most)
		require.Len(t, list, sms)
		require.Contains(t, list, most)
		for _, n := range list {
			require.True(t, 1 <= n && n <= most)
		}
	})
}

func TestPartsOfTheSMs(t *testing.T) {
	parts := func(sms, kernels int) (ends []int) {
		next := 0
		for k := range kernels {
			first, end := part(sms, kernels, k)
			require.Equal(t, next, first)
			ends = append(ends, end)
			next = end
		}
		return ends
	}
	require.Equal(t, []int{8, 16}, parts(16, 2))
	require.Equal(t, []int{6, 11, 16}, parts(16, 3))
	require.Equal(t, []int{1, 2, 2}, parts(2, 3))
}
