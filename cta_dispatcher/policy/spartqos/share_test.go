package spartqos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNeedsIsTheQuotientRoundedUp(t *testing.T) {
	for _, c := range []struct {
		sms       int
		goal, ipc float64
		want      int
	}{
		{8, 100, 100, 8}, {8, 100, 99, 9}, {8, 100, 75, 11}, {8, 100, 80, 10},
		{8, 30, 80, 3}, {8, 1, 80, 1}, {8, 0.001, 80, 1}, {8, 100, 0.001, 16}, {1, 1600, 100, 16}, {1, 1601, 100, 16},
	} {
		s := with(c.sms, c.goal, c.ipc)
		require.Equal(t, c.want, s.needs(16), "%+v", c)
	}
}

func TestPredictionGoesByTheSMsThatWereMeasured(t *testing.T) {
	s := with(4, 100, 100)
	s.sms = 8
	require.True(t, s.spares())
	require.Equal(t, 2.0, s.part(8))
	require.Equal(t, 4, s.needs(16))
	s.measured = 0
	require.False(t, s.known() || s.spares() || s.short())
}

func TestNewcomersShareEqually(t *testing.T) {
	for _, c := range []struct {
		sms  int
		want [][]int
	}{
		{16, [][]int{{16}, {8, 8}, {6, 5, 5}, {4, 4, 4, 4}}},
		{13, [][]int{{13}, {7, 6}, {5, 4, 4}, {4, 3, 3, 3}}}, // as thesis 5.2.4
		{2, [][]int{{2}, {1, 1}, {1, 1, 0}, {1, 1, 0, 0}}},
		{1, [][]int{{1}, {1, 0}}},
	} {
		list := []share{{}}
		deal(list, c.sms)
		for i, want := range c.want {
			if i > 0 {
				list = append(list, share{goal: float64(i % 2)}) // without a prediction
				join(list)
			}
			require.Equal(t, want, have(list))
		}
	}
}

func TestNewcomerLeavesGoalsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		list []share
		want []int
	}{
		"who needs all that it has gives none":          {[]share{with(12, 100, 100), free(4), {}}, []int{12, 2, 2}},
		"who misses its goal gives none":                {[]share{with(12, 100, 90), free(4), {}}, []int{12, 2, 2}},
		"who needs less gives down to that":             {[]share{with(12, 75, 100), free(4), {}}, []int{9, 4, 3}},
		"but not more than half of it":                  {[]share{with(12, 1, 100), free(4), {}}, []int{6, 4, 6}},
		"of one tenant with a goal it gets one":         {[]share{with(16, 100, 90), {}}, []int{15, 1}},
		"the one with most gives it, the last of equal": {[]share{with(8, 100, 90), with(8, 100, 90), {}}, []int{8, 7, 1}},
		"a last SM is not given":                        {[]share{with(1, 100, 90), free(1), {}}, []int{1, 1, 0}},
	} {
		join(c.list)
		require.Equal(t, c.want, have(c.list), name)
	}
}

func TestWhatIsFreeGoesToWhoMissesItsGoal(t *testing.T) {
	for name, c := range map[string]struct {
		list []share
		sms  int
		want []int
	}{
		"first to who has none":                  {[]share{free(3), with(3, 10, 5), free(0), free(0)}, 1, []int{3, 3, 1, 0}},
		"then to who misses its goal by most":    {[]share{free(1), with(4, 100, 60), with(4, 100, 50)}, 2, []int{1, 5, 5}},
		"until it is predicted to have it":       {[]share{free(8), with(4, 100, 60)}, 6, []int{11, 7}},
		"then to who has no goal and has fewest": {[]share{with(1, 10, 10), free(3), free(2)}, 2, []int{1, 4, 3}},
		"or is not known":                        {[]share{free(4), with(3, 10, 0)}, 2, []int{5, 4}},
		"then to who has fewest":                 {[]share{with(2, 10, 10), with(1, 10, 10)}, 2, []int{3, 2}},
		"equally without goals":                  {[]share{free(4), free(4), free(3)}, 5, []int{6, 5, 5}},
		"nobody":                                 {nil, 5, nil},
	} {
		deal(c.list, c.sms)
		require.Equal(t, c.want, have(c.list), name)
	}
}
