package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// gtx980Clocks are clocks that meet in one simulation: the core of gtx980, its
// DRAM command clock, the core of fermi16 and its DRAM command clock, in MHz.
var gtx980Clocks = []uint64{1216, 1753, 700, 924}

// edgeCounter ticks at every edge, checks the time and counts coincidences.
type edgeCounter struct {
	components.Module
	next       uint64
	last       components.Time
	earlier    []*edgeCounter // counters that tick before this one at an instant
	coincident []uint64
	faults     int
}

func (c *edgeCounter) Tick(cycle uint64) bool {
	d := c.Domain()
	e := d.Engine()
	seconds := sim.VTimeInSec(float64(cycle) / float64(d.Hz()))
	if cycle != c.next || e.Now() != components.Time(cycle)*d.Period() || e.CurrentTime() != seconds {
		c.faults++
	}
	c.next++
	c.last = e.Now()
	for i, other := range c.earlier {
		if other.last == c.last && other.next > 0 {
			c.coincident[i]++
		}
	}
	return true
}

func TestClocksTickExactlyAndCoincideExactly(t *testing.T) {
	const milliseconds = 1
	hz := make([]uint64, len(gtx980Clocks))
	for i, mhz := range gtx980Clocks {
		hz[i] = mhz * 1_000_000
	}
	e, domains := engineWith(t, hz...)
	counters := make([]*edgeCounter, len(domains))
	for i, d := range domains {
		c := &edgeCounter{earlier: counters[:i:i], coincident: make([]uint64, i)}
		c.Init(fmt.Sprintf("C[%d]", i), d, c)
		c.Start()
		counters[i] = c
	}
	e.RunUntil(components.Time(e.Base() / 1000 * milliseconds))
	for i, c := range counters {
		require.Zero(t, c.faults, "%d MHz", gtx980Clocks[i])
		require.Equal(t, gtx980Clocks[i]*1000*milliseconds, c.next, "%d MHz", gtx980Clocks[i])
		for j, n := range c.coincident {
			common := gcd(gtx980Clocks[i], gtx980Clocks[j])
			require.Equal(t, common*1000*milliseconds, n, "%d and %d MHz", gtx980Clocks[i], gtx980Clocks[j])
		}
	}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func TestEdgesHaveTheTimesOfAkitasFreq(t *testing.T) {
	for _, mhz := range gtx980Clocks {
		e, d := engineWith(t, mhz*1_000_000)
		freq := sim.Freq(mhz) * sim.MHz
		want := sim.VTimeInSec(0)
		m := &recorder{}
		m.tick = func(uint64) bool {
			require.Equal(t, want, e.CurrentTime())
			want = freq.NextTick(want)
			return true
		}
		m.Init("M", d[0], m)
		m.Start()
		e.RunUntil(d[0].At(20_000))
	}
}

func TestStockComponentAndModuleOfOneFrequencyShareTheirInstants(t *testing.T) {
	e, d := engineWith(t, 1753e6, 924e6)
	var times [2][]components.Time
	s := newStockPinger("S", e, 1753*sim.MHz, 1)
	s.send = func(*ping, sim.VTimeInSec) bool {
		times[0] = append(times[0], e.Now())
		return true
	}
	s.toSend = 2000
	s.TickNow(0)
	m := &recorder{tick: func(c uint64) bool {
		times[1] = append(times[1], e.Now())
		return c < 1999
	}}
	m.Init("M", d[0], m)
	m.Start()
	require.NoError(t, e.Run())
	require.Len(t, times[0], 2000)
	require.Equal(t, times[0], times[1])
}

func TestAddDomainErrors(t *testing.T) {
	e := components.NewEngine()
	_, err := e.AddDomain("core", 0)
	require.EqualError(t, err, "clock domain core: frequency must be above 0 Hz")

	_, err = e.AddDomain("core", 999_999_937)
	require.NoError(t, err)
	_, err = e.AddDomain("dram", 999_999_929)
	require.EqualError(t, err, "clock domain dram: 999999929 Hz has no common time base with the other clocks; choose whole MHz")
	d, err := e.AddDomain("dram", 999_999_937)
	require.NoError(t, err, "a refused clock leaves no trace")

	m := &recorder{tick: func(uint64) bool { return false }}
	m.Init("M", d, m)
	m.Start()
	_, err = e.AddDomain("late", 999_999_937)
	require.EqualError(t, err, "clock domain late: added after events were scheduled")
	require.NoError(t, e.Run())
	_, err = e.AddDomain("late", 999_999_937)
	require.NoError(t, err, "nothing is scheduled at time 0 any more")
}

func TestUnitsAreAPicosecondOrLess(t *testing.T) {
	for _, hz := range [][]uint64{nil, {1}, {1e9}, {700e6, 1216e6}, {1216e6, 1753e6, 700e6, 924e6}} {
		e, domains := engineWith(t, hz...)
		require.GreaterOrEqual(t, e.Base(), uint64(1e12), "%v", hz)
		for i, d := range domains {
			require.Equal(t, e.Base(), uint64(d.Period())*hz[i], "%v", hz)
		}
	}
}
