package irc

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parts is a rate in parts of protocol.RateOne, rounded.
func parts(requests float64) uint32 { return uint32(math.Round(requests * protocol.RateOne)) }

// gives are the credits of as many intervals.
func gives(c *Credits, intervals int) (list []int) {
	for range intervals {
		c.Start()
		n, _ := c.Left()
		list = append(list, n)
	}
	return list
}

func TestCreditsCarryFractions(t *testing.T) {
	for rate, want := range map[float64][]int{
		3.6:          {3, 4, 3, 4, 4, 3, 4, 3, 4},
		0.25:         {0, 0, 0, 1, 0, 0, 0, 1, 0},
		0:            {0, 0, 0},
		2:            {2, 2, 2},
		200:          {200, 200},
		1.0 / 256:    {0, 0},
		255.0 / 256:  {0, 1, 1},
		13 + 5.0/256: {13, 13},
	} {
		c := Credits{}
		c.Set(true, parts(rate))
		require.Equal(t, want, gives(&c, len(want)), "%v", rate)
		require.Equal(t, rate > 0, c.Coming())
	}
}

func TestCreditsHaveNoLimitUntilTheyAreSet(t *testing.T) {
	var c Credits
	for range 3 {
		require.True(t, c.Some())
		require.True(t, c.Coming())
		c.Spend()
		c.Start()
	}
	_, limited := c.Left()
	require.False(t, limited)
}

func TestCreditsChangeWithTheNextInterval(t *testing.T) {
	var c Credits
	c.Set(true, 0)
	require.True(t, c.Some(), "no limit in this interval")
	require.False(t, c.Coming())
	c.Start()
	require.False(t, c.Some())
	c.Set(true, parts(1))
	require.False(t, c.Some())
	require.True(t, c.Coming())
	c.Start()
	c.Spend()
	require.False(t, c.Some())
	c.Set(false, 0)
	require.False(t, c.Some(), "the limit lasts until the interval is over")
	require.True(t, c.Coming())
	c.Start()
	require.True(t, c.Some())
}

func TestCreditsThatAreNotSpentAreLost(t *testing.T) {
	var c Credits
	c.Set(true, parts(3))
	require.Equal(t, []int{3, 3, 3}, gives(&c, 3))
	c.Spend()
	require.Equal(t, []int{3}, gives(&c, 1))
}

func TestFractionIsForgottenWithTheLimit(t *testing.T) {
	var c Credits
	c.Set(true, parts(0.75))
	c.Start()
	c.Set(false, 0)
	c.Start()
	c.Set(true, parts(0.75))
	require.Equal(t, []int{0, 1, 1, 1, 0}, gives(&c, 5))
	c.Set(true, parts(1.5)) // the fraction carries over to another rate: 0.75 + 1.5, 0.25 + 1.5
	require.Equal(t, []int{2, 1}, gives(&c, 2))
}

func TestRatesAreAtMostARequestACycle(t *testing.T) {
	var c Credits
	c.Set(true, math.MaxUint32)
	require.Equal(t, []int{200, 200}, gives(&c, 2))
}

func TestCreditsOfAnyRateComeToItsMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Uint32Range(0, protocol.RateLimit).Draw(t, "rate")
		n := rapid.IntRange(1, 600).Draw(t, "intervals")
		var c Credits
		c.Set(true, rate)
		sum := 0
		for _, got := range gives(&c, n) {
			require.GreaterOrEqual(t, got, int(rate/protocol.RateOne))
			require.LessOrEqual(t, got, int(rate/protocol.RateOne)+1)
			sum += got
		}
		require.Equal(t, n*int(rate)/protocol.RateOne, sum)
	})
}

// derived are figures of the paper's machine.
func derived(t *testing.T) (figures struct {
	Core int     `json:"core_mhz"`
	NoC  int     `json:"noc_mhz"`
	Peak float64 `json:"replies_per_sm_and_interval_at_peak_noc"`
	Most float64 `json:"replies_per_sm_and_interval_at_sustained_noc"`
	Unit float64 `json:"replies_per_sm_and_interval_of_one_noc_unit"`
	DRAM float64 `json:"dram_accesses_per_sm_and_interval_of_one_dram_unit"`
}) {
	text, err := os.ReadFile("testdata/ccbp_derived.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &figures))
	return figures
}

func TestUnitsOfBandwidthAreToldApart(t *testing.T) {
	f := derived(t)
	for _, unit := range []float64{f.Unit, f.DRAM, f.Most} {
		var c Credits
		c.Set(true, parts(unit))
		sum := 0
		for _, n := range gives(&c, 1000) {
			sum += n
		}
		require.InDelta(t, unit, float64(sum)/1000, 1.0/512+0.001)
	}
	cycles := newIntervals(200, f.Core, f.NoC).start(1)
	require.Equal(t, uint64(300), cycles)
	require.InDelta(t, f.Peak, float64(cycles)*float64(f.NoC)/float64(f.Core)/5, 1e-9, "5 flits a reply")
}
