package contract

import (
	"testing"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// hand is a trial with thread blocks that run until the test ends them.
type hand struct {
	*testing.T
	*trial
}

// deal starts applications, which arrive in order, under a policy.
func deal(t *testing.T, spec string, sms []dispatcher.SM, apps ...application) hand {
	return dealOrder(t, spec, scenario{sms: sms}, apps...)
}

// dealOrder starts applications on a scenario's SMs, in its order of arrival if
// it has one.
func dealOrder(t *testing.T, spec string, s scenario, apps ...application) hand {
	t.Helper()
	if s.arrival == nil {
		s = byArrival(s, apps...)
	}
	s.tenants = apps
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	run, err := begin(s, p, nil)
	require.NoError(t, err)
	h := hand{t, run}
	h.wait(50)
	return h
}

// wait simulates some cycles.
func (h hand) wait(cycles int) {
	h.Helper()
	h.step(cycles)
	require.NoError(h, h.fault)
}

// end ends a thread block of a tenant on an SM.
func (h hand) end(id tenant.ID, sm int) {
	h.Helper()
	require.True(h, h.gpu.SMs[sm].Finish(id), "tenant %d has no thread block on SM %d", id, sm)
	h.wait(20)
}

// have lists how many thread blocks of each tenant an SM has, SM by SM.
func (h hand) have() (list [][]int) {
	for _, sm := range h.gpu.SMs {
		var counts []int
		for id := range h.tenants {
			counts = append(counts, sm.TBs(tenant.ID(id)))
		}
		list = append(list, counts)
	}
	return list
}

// endless is an application with a kernel of n thread blocks, each with the given registers.
func endless(n, registers int) application {
	return demanding(n, occupancy.Demand{TBs: 1, Threads: 32, Warps: 1, Registers: registers})
}

func demanding(n int, d occupancy.Demand) application {
	return application{kernels: []kernel{{demand: d, tbs: n, durations: []int{1 << 40}}}}
}

// ten is an SM with ten registers.
var ten = occupancy.Capacity{TBs: 8, Threads: 2048, Warps: 64, Registers: 10, SharedOptions: []int{0}}

func TestFCFSGivesLaterKernelsWhatIsLeftOver(t *testing.T) {
	// The first kernel has 5 blocks of 4 registers; 2 fit on an SM. The second
	// gets nothing while the first has blocks that wait.
	b := deal(t, "fcfs", alike(2, ten), endless(5, 4), endless(9, 2))
	require.Equal(t, [][]int{{2, 0}, {2, 0}}, b.have())
	b.end(0, 1)
	require.Equal(t, [][]int{{2, 1}, {2, 1}}, b.have(), "the last block of the first, then the leftover")
	// Room of the first goes to the second, on the emptiest SM first.
	b.end(0, 0)
	require.Equal(t, [][]int{{1, 3}, {2, 1}}, b.have())
}

func TestFCFSGoesByTheOrderOfArrival(t *testing.T) {
	b := dealOrder(t, "fcfs", scenario{sms: alike(1, ten), arrival: []int{1, 0}}, endless(5, 5), endless(5, 5))
	require.Equal(t, [][]int{{0, 2}}, b.have())
}

func TestFCFSSpreadsThreadBlocksOverTheSMs(t *testing.T) {
	require.Equal(t, [][]int{{2}, {2}, {1}, {1}}, deal(t, "fcfs", alike(4, ten), endless(6, 1)).have())
}

const unpreempted = "spart:preempt=none"

// owners lists to which tenant each SM goes under spart, -1 for none.
func (h hand) owners() (list []int) {
	for i, counts := range h.have() {
		owner := -1
		for tenant, n := range counts {
			if n > 0 {
				require.Equal(h, -1, owner, "SM %d is shared", i)
				owner = tenant
			}
		}
		list = append(list, owner)
	}
	return list
}

func TestSpartGivesEqualSMsAndTheRemainderToTheFirst(t *testing.T) {
	// Equal sharing on 13 SMs (thesis 5.2.4): 5, 4, 4 by arrival.
	apps := []application{endless(99, 5), endless(99, 5), endless(99, 5)}
	require.Equal(t, []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, deal(t, unpreempted, alike(13, ten), apps...).owners())
	s := scenario{sms: alike(13, ten), arrival: []int{2, 0, 1}}
	require.Equal(t, []int{2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1}, dealOrder(t, unpreempted, s, apps...).owners())
}

func TestSpartLeavesNoSMToATenantTooMany(t *testing.T) {
	require.Equal(t, []int{0, 1}, deal(t, unpreempted, alike(2, ten), endless(99, 5), endless(99, 5), endless(99, 5)).owners())
}

func TestSpartDividesEachKindOfSMs(t *testing.T) {
	sms := alike(8, ten)
	for _, i := range []int{1, 2, 3, 5, 6} { // five of the second kind
		sms[i].Kind, sms[i].Capacity.Registers = 1, 20
	}
	// Three and five: K1 gets the spare SM of the first kind, K2 that of the second.
	require.Equal(t, []int{0, 0, 0, 1, 0, 1, 1, 1}, deal(t, unpreempted, sms, endless(99, 5), endless(99, 5)).owners())
}

func TestSpartKeepsASMForATenantBetweenKernels(t *testing.T) {
	first := endless(99, 5)
	first.kernels[0].pause = 1000
	require.Equal(t, []int{-1, -1, 1, 1}, deal(t, unpreempted, alike(4, ten), first, endless(99, 5)).owners())
}

func TestSpartHandsAnSMOverWhenItIsEmpty(t *testing.T) {
	late := endless(99, 5)
	late.arrival = 500
	b := deal(t, unpreempted, alike(2, ten), endless(2, 5), endless(99, 5), late)
	require.Equal(t, []int{0, 1}, b.owners())
	b.end(0, 0)
	b.end(0, 0)
	require.Equal(t, [][]int{{0, 2, 0}, {0, 2, 0}}, b.have(), "the first has gone")
	// A tenant that arrives gets the second SM, but its owner's blocks end first.
	b.wait(500)
	require.Equal(t, [][]int{{0, 2, 0}, {0, 2, 0}}, b.have())
	b.end(1, 1)
	require.Equal(t, [][]int{{0, 2, 0}, {0, 1, 0}}, b.have())
	b.end(1, 1)
	require.Equal(t, [][]int{{0, 2, 0}, {0, 0, 2}}, b.have())
}

func TestEvenLimitsEachTenantToItsPartOfEverySM(t *testing.T) {
	// Half of ten registers each: one block of 4, two of 2.
	require.Equal(t, [][]int{{1, 2}, {1, 2}}, deal(t, "even", alike(2, ten), endless(99, 4), endless(99, 2)).have())
}

func TestEvenPartIsNotLentWhileItsTenantIsPresent(t *testing.T) {
	later := endless(1, 2)
	later.kernels[0].pause = 500
	b := deal(t, "even", alike(1, ten), endless(99, 2), later)
	require.Equal(t, [][]int{{2, 0}}, b.have(), "the second has yet to launch")
	b.wait(500)
	require.Equal(t, [][]int{{2, 1}}, b.have())
	b.end(1, 0)
	require.Equal(t, [][]int{{5, 0}}, b.have(), "it has gone")
}

func TestEvenLimitsEveryResource(t *testing.T) {
	c := occupancy.Capacity{TBs: 100, Threads: 1000, Warps: 100, Registers: 1000, SharedOptions: []int{1000}}
	for _, limit := range []struct {
		sm     func(c *occupancy.Capacity)
		demand occupancy.Demand
	}{
		{func(c *occupancy.Capacity) { c.TBs = 8 }, occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}},
		{func(*occupancy.Capacity) {}, occupancy.Demand{TBs: 1, Threads: 125, Warps: 4}},
		{func(c *occupancy.Capacity) { c.Warps = 32 }, occupancy.Demand{TBs: 1, Threads: 97, Warps: 4}},
		{func(*occupancy.Capacity) {}, occupancy.Demand{TBs: 1, Threads: 1, Warps: 1, Registers: 125}},
		{func(*occupancy.Capacity) {}, occupancy.Demand{TBs: 1, Threads: 1, Warps: 1, SharedBytes: 125}},
	} {
		sm := c
		limit.sm(&sm)
		b := deal(t, "even", alike(1, sm), demanding(99, limit.demand), demanding(99, limit.demand))
		require.Equal(t, [][]int{{4, 4}}, b.have(), "%+v", limit.demand)
	}
}

func TestEvenLetsAThreadBlockLargerThanItsPartHaveAnSM(t *testing.T) {
	// 6 of 10 registers; the other tenant's blocks of 3 come to every SM first
	// or last, and both fit beside each other.
	require.Equal(t, [][]int{{1, 1}, {1, 1}}, deal(t, "even", alike(2, ten), endless(99, 6), endless(99, 3)).have())
	// Two large ones do not fit together: each gets an SM, in turn.
	require.Equal(t, [][]int{{1, 0}, {0, 1}}, deal(t, "even", alike(2, ten), endless(99, 6), endless(99, 7)).have())
}

func TestSpartTakesNoSMForAThreadBlockThatDoesNotFitThere(t *testing.T) {
	late := endless(99, 15)
	late.arrival = 200
	b := deal(t, "spart", sparse(), endless(99, 5), late)
	b.wait(500)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {4, 0}, {0, 1}}, b.have())
	require.Equal(t, 4, b.total.preemptions, "SM 1, which is the second's too, is of no use to it")
}

// sparse has two SMs of ten registers and two of twenty.
func sparse() []dispatcher.SM {
	sms := alike(4, ten)
	for _, i := range []int{2, 3} {
		sms[i].Kind, sms[i].Capacity.Registers = 1, 20
	}
	return sms
}

func TestPPQTakesNoSMForAThreadBlockThatDoesNotFitThere(t *testing.T) {
	for _, spec := range []string{"ppq", "ppq:mode=shared"} {
		late := endless(1, 15)
		late.arrival, late.priority = 200, 1
		b := deal(t, spec, sparse(), endless(99, 5), late)
		b.wait(500)
		require.Equal(t, [][]int{{2, 0}, {2, 0}, {4, 0}, {0, 1}}, b.have(), spec)
		require.Equal(t, 4, b.total.preemptions, "%s: the SMs with fewest thread blocks are of no use", spec)
	}
}

func TestDSSTakesNoSMForAThreadBlockThatDoesNotFitThere(t *testing.T) {
	late := endless(99, 15)
	late.arrival = 200
	b := deal(t, "dss", sparse(), endless(99, 5), late)
	b.wait(500)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {0, 1}, {0, 1}}, b.have())
	require.Equal(t, 8, b.total.preemptions)
}

func TestDSSPassesOverAKernelForWhichNoSMCanBeTaken(t *testing.T) {
	large, late := endless(99, 15), endless(99, 5)
	large.arrival, late.arrival = 200, 1000
	b := deal(t, "dss:tokens=1/5/2", sparse(), endless(99, 5), large, late)
	b.wait(500)
	require.Equal(t, [][]int{{2, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 1, 0}}, b.have())
	b.wait(1000)
	require.Equal(t, [][]int{{2, 0, 0}, {0, 0, 2}, {0, 1, 0}, {0, 1, 0}}, b.have(), "K2 has most tokens left, and fits on none of K1's SMs")
}

func TestSMKSwitchesThreadBlocksOutWhereTheOtherFits(t *testing.T) {
	late := endless(99, 15)
	late.arrival = 200
	b := deal(t, "smk", sparse(), endless(99, 5), late)
	b.wait(500)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {1, 1}, {1, 1}}, b.have())
}
