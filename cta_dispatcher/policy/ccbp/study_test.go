package ccbp

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// sm is an SM of 16 slots for threads, and nothing else counts.
var sm = &occupancy.Capacity{TBs: 100, Threads: 16, Warps: 100, SharedOptions: []int{0}}

// half is the sustained bandwidth of an SM: 24 replies and 18 accesses in an interval.
var half = Bandwidth{Replies: 24, Accesses: 18}

// of is the demand of a CTA with some threads.
func of(threads int) occupancy.Demand { return occupancy.Demand{TBs: 1, Threads: threads, Warps: 1} }

// two is the study of two kernels; eight CTAs of the first fit, and 16 of the second.
func two(s settings) *study {
	return newStudy(s, sm, half, []member{{tenant: 0, demand: of(2), isolated: 100}, {tenant: 1, demand: of(1), isolated: 100}})
}

var paperSettings = settings{adjusts: true, sustain: 1}

// per100 is an epoch of 100 intervals with the requests issued and wanted by two tenants. All
// requests are reads; half of the first tenant's access the DRAM, and a tenth of the second's.
func per100(issued0, wanted0, issued1, wanted1 float64) *sample {
	n := func(x float64) uint64 { return uint64(100 * x) }
	return &sample{intervals: 100, cycles: 10_000, counts: []protocol.SMTenant{
		{MemoryRequests: n(issued0), Reads: n(issued0), Replies: n(issued0), DRAMAccesses: n(issued0 / 2), Demand: n(wanted0), ThreadInstructions: 10 * n(issued0)},
		{MemoryRequests: n(issued1), Reads: n(issued1), Replies: n(issued1), DRAMAccesses: n(issued1 / 10), Demand: n(wanted1), ThreadInstructions: 10 * n(issued1)}}}
}

// pass passes epochs; only the last changes anything.
func (s *study) pass(t *testing.T, epochs int, e *sample) {
	t.Helper()
	for i := range epochs {
		require.Equal(t, i == epochs-1, s.epoch(e, true), "epoch %d of %d", i+1, epochs)
	}
}

// rates lists the members' limits, 0 for none.
func (s *study) rates() (list []float64) {
	for i := range s.members {
		list = append(list, s.order(i).requests)
	}
	return list
}

func (s *study) orders(get func(o order) int) (list []int) {
	for i := range s.members {
		list = append(list, get(s.order(i)))
	}
	return list
}

func activeOf(o order) int { return o.active }
func ctasOf(o order) int   { return o.ctas }

func TestTimesOfDetection(t *testing.T) {
	s := two(paperSettings)
	quiet := per100(4, 4, 16, 16)
	require.Equal(t, []int{4, 8}, s.orders(ctasOf))
	s.pass(t, 5, quiet)
	require.Equal(t, factors, s.phase)
	require.Equal(t, []float64{0, 0}, s.rates(), "no rates yet")
	s.pass(t, 2, quiet)
	require.Equal(t, Factors{1, 0.5}, s.members[0].factors)
	require.Equal(t, Factors{1, 0.1}, s.members[1].factors)
	require.Equal(t, []float64{12, 12}, s.rates(), "9 accesses are enough for 18 requests")
	require.False(t, s.order(0).rate.Sensitive)

	// The time in which the kernels settle does not count.
	require.False(t, s.epoch(per100(99, 99, 1, 1), true))
	s.pass(t, 1, per100(4, 11.99, 12, 12))
	require.Equal(t, []Kind{Sensitive, NoCBound}, []Kind{s.members[0].kind, s.members[1].kind}, "by demand, at the even rate exactly")
	require.InDelta(t, 11.99, s.members[0].wanted, 1e-9)
	require.Equal(t, []float64{12, 0}, s.rates(), "the one that is measured has none")
	require.True(t, s.order(0).rate.Sensitive)
	for active := 8; active > 0; active-- {
		require.Equal(t, []int{0, active}, s.orders(activeOf))
		require.False(t, s.epoch(per100(9, 9, 99, 99), true))
		s.pass(t, 1, per100(4, 4, 2*float64(active), 99))
	}
	require.Equal(t, climbing, s.phase)
	require.Equal(t, []int{0, 0}, s.orders(activeOf))
	for n, units := range s.members[1].noc {
		require.InDelta(t, min(2*float64(n), 24)/24*20, units, 1e-9, "%d CTAs: 2 requests each, and up to what is sustained", n)
	}
	for n := range s.members[0].noc {
		require.InDelta(t, float64(n)/24*20, s.members[0].noc[n], 1e-9, "in proportion to 4 requests of 4")
		require.InDelta(t, float64(n)/2/18*20, s.members[0].dram[n], 1e-9)
	}
}

// detected is a study after detection, with a sensitive kernel and one bound by the NoC.
func detected(t *testing.T, with settings) *study {
	t.Helper()
	s := two(with)
	for range 5 + 2 + 2 {
		s.epoch(per100(4, 4, 12, 12), true)
	}
	for active := 8; active > 0; active-- {
		s.epoch(per100(4, 4, 2*float64(active), 99), true)
		s.epoch(per100(4, 4, 2*float64(active), 99), true)
	}
	return s
}

func TestAllocationAfterDetection(t *testing.T) {
	// A CTA of the first takes 1/8 of the threads, and a CTA of the second issues 2 requests;
	// 1.2 requests are a unit. With four CTAs and ten units both have a half. The first gets
	// another CTA, and the eleventh unit would need a seventh CTA, for which no threads are
	// left.
	s := detected(t, settings{sustain: 1})
	require.Equal(t, settled, s.phase, "no priority is searched for")
	require.Equal(t, []int{5, 6}, s.orders(ctasOf))
	require.InDeltaSlice(t, []float64{5, 12}, s.rates(), 1e-9)
	s = detected(t, settings{sustain: 1, unlimited: true})
	require.InDeltaSlice(t, []float64{0, 12}, s.rates(), 1e-9)
	require.True(t, s.order(0).rate.Sensitive)
	require.False(t, s.order(0).rate.Limited)
	require.Equal(t, uint32(12*protocol.RateOne), s.order(1).rate.Requests)
	s = detected(t, settings{sustain: 0.5})
	require.LessOrEqual(t, s.grants[0].NoC+s.grants[1].NoC, 10+1e-9)
}

func TestPriorityIsSearchedForInWindowsOfTenEpochs(t *testing.T) {
	s := detected(t, paperSettings)
	require.Equal(t, []int{5, 6}, s.orders(ctasOf))
	s.pass(t, 10, per100(4, 4, 12, 12)) // IPC 4 and 12 of 100
	require.Equal(t, climbing, s.phase)
	first := s.orders(ctasOf)
	require.NotEqual(t, []int{5, 6}, first, "a priority that allocates the same is passed over")
	require.Greater(t, first[0], 5)
	// A kernel has issued nothing: the window does not count.
	s.pass(t, 10, per100(4, 4, 0, 0))
	require.Equal(t, first, s.orders(ctasOf))
	s.pass(t, 10, per100(2, 2, 12, 12))
	require.Equal(t, settled, s.phase)
	require.Equal(t, []int{5, 6}, s.orders(ctasOf), "back to the best")
	require.Equal(t, 1.0, s.prior.value())
	require.False(t, s.epoch(per100(1, 1, 1, 1), true), "which stays")
}

func TestTheMetricDecides(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		s := detected(t, settings{adjusts: true, sustain: 1, weighted: weighted})
		s.pass(t, 10, per100(4, 4, 12, 12))
		s.pass(t, 10, per100(5, 5, 10, 10)) // the harmonic one is up, the weighted one down
		require.Equal(t, weighted, s.phase == settled)
	}
}

func TestWithoutIsolatedIPCThereIsNoSearch(t *testing.T) {
	s := two(paperSettings)
	s.members[1].isolated = 0
	for range 5 + 2 + 2 + 16 {
		s.epoch(per100(4, 4, 12, 12), true)
	}
	require.Equal(t, settled, s.phase)
}

func TestWhereAllAreSensitiveNothingIsMeasuredByCTAs(t *testing.T) {
	s := two(paperSettings)
	for range 5 + 2 + 2 {
		s.epoch(per100(4, 4, 5, 5), true)
	}
	require.Equal(t, settled, s.phase)
}

// nocAndDRAM is an epoch in which the first tenant is bound by the DRAM.
func nocAndDRAM(rate0, rate1 float64) *sample {
	e := per100(rate0, 50, rate1, 50)
	e.counts[0].DRAMAccesses = 2 * e.counts[0].MemoryRequests
	return e
}

func TestCTAsAreMovedBetweenIntensiveKernels(t *testing.T) {
	s := two(settings{climbs: true, sustain: 1})
	for range 5 + 2 + 2 {
		s.epoch(nocAndDRAM(4, 12), true)
	}
	require.Equal(t, []Kind{DRAMBound, NoCBound}, []Kind{s.members[0].kind, s.members[1].kind})
	for k, n := range []int{4, 8} {
		for active := n; active > 0; active-- {
			require.Equal(t, active, s.order(k).active)
			require.Zero(t, s.order(1-k).active)
			require.NotZero(t, s.order(1-k).requests)
			s.epoch(nocAndDRAM(2*float64(active), 2*float64(active)), true)
			s.epoch(nocAndDRAM(2*float64(active), 2*float64(active)), true)
		}
	}
	require.Equal(t, climbing, s.phase)
	begin, rates := s.orders(ctasOf), s.rates()
	s.pass(t, 10, nocAndDRAM(4, 12))
	moved := s.orders(ctasOf)
	require.Less(t, moved[0], begin[0], "the first gives")
	require.Greater(t, moved[1], begin[1])
	require.Equal(t, rates, s.rates(), "rates stay")
	for s.phase == climbing {
		s.pass(t, 10, nocAndDRAM(3, 12))
	}
	require.Equal(t, begin, s.orders(ctasOf))
}

func TestWarmUpLastsUntilNobodyHasTooManyCTAs(t *testing.T) {
	s := two(paperSettings)
	for range 20 {
		require.False(t, s.epoch(per100(1, 1, 1, 1), false))
	}
	require.Equal(t, warmUp, s.phase)
	s.pass(t, 1, per100(1, 1, 1, 1))
	require.Equal(t, factors, s.phase)
}

func TestAnInterruptedStepBeginsAnew(t *testing.T) {
	s := two(paperSettings)
	s.pass(t, 5, per100(4, 4, 12, 12))
	s.epoch(per100(9, 9, 0, 0), true) // counted, and then
	s.resume()
	require.False(t, s.epoch(per100(0, 0, 9, 9), true), "an epoch of which it had a part")
	s.pass(t, 2, per100(4, 4, 12, 12))
	require.Equal(t, Factors{1, 0.1}, s.members[1].factors)
	s.epoch(per100(4, 4, 12, 12), true)
	s.resume()
	s.pass(t, 3, per100(4, 4, 12, 12))
	require.Equal(t, points, s.phase)
	s = two(paperSettings)
	s.epoch(per100(1, 1, 1, 1), true)
	s.resume()
	s.pass(t, 5, per100(1, 1, 1, 1))
}

func TestLay(t *testing.T) {
	ctas := make([]int, 3)
	require.True(t, (&study{capacity: sm, members: []member{{demand: of(8), most: 3}, {demand: of(2), most: 6}, {demand: of(2), most: 6}}}).lay(0, ctas))
	require.Equal(t, []int{1, 2, 2}, ctas)
	require.True(t, (&study{capacity: sm, members: []member{{demand: of(8), most: 3}, {demand: of(3), most: 6}, {demand: of(3), most: 6}}}).lay(0, ctas))
	require.Equal(t, []int{1, 1, 1}, ctas, "what does not fit is left out")
	require.False(t, (&study{capacity: sm, members: []member{{demand: of(9), most: 3}, {demand: of(9), most: 3}, {demand: of(1), most: 15}}}).lay(1, ctas))
	require.Equal(t, []int{0, 1, 5}, ctas, "the first in turn has one")
	s := newStudy(paperSettings, sm, half, []member{{demand: of(9)}, {demand: of(9)}})
	require.Equal(t, crowded, s.phase)
	require.False(t, s.epoch(per100(1, 1, 1, 1), true))
	s.resume()
	require.Equal(t, crowded, s.phase)
}

func TestAKernelWithoutUnitsHasTheRateOfOne(t *testing.T) {
	s := detected(t, settings{sustain: 1})
	s.grants[1] = Grant{CTAs: 1}
	require.InDelta(t, 24.0/20, s.order(1).requests, 1e-9)
}

func TestWhatIsSearchedFor(t *testing.T) {
	for _, c := range []struct {
		kinds           [3]Kind
		searches, moves bool
	}{
		{[3]Kind{Sensitive, NoCBound, DRAMBound}, true, false},
		{[3]Kind{NoCBound, NoCBound, DRAMBound}, true, true},
		{[3]Kind{NoCBound, NoCBound, NoCBound}, false, false},
		{[3]Kind{Sensitive, DRAMBound, DRAMBound}, true, false},
		{[3]Kind{Sensitive, Sensitive, Sensitive}, false, false},
	} {
		s := newStudy(settings{adjusts: true, climbs: true}, sm, half, make([]member, 3))
		for i, k := range c.kinds {
			s.members[i].kind, s.members[i].isolated = k, 1
		}
		s.search()
		require.Equal(t, []bool{c.searches, c.moves}, []bool{s.phase == climbing, s.combining}, "%v", c.kinds)
	}
}
