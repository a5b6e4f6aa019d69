package targets

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// driver applies actions to the View.
type driver struct {
	policy.Actions
	view      *policy.View
	preempted [][3]int // tenant, SM, thread blocks
	mechanism policy.Mechanism
}

func (d *driver) Place(tenant, sm int) {
	d.view.Tenants[tenant].Waiting--
	d.view.SMs[sm].Usage.Take(d.view.Tenants[tenant].Demand)
	d.view.SMs[sm].TBs[tenant]++
}

func (d *driver) Preempt(tenant, sm, n int, m policy.Mechanism) {
	d.view.SMs[sm].Leaving[tenant] += n
	d.preempted = append(d.preempted, [3]int{tenant, sm, n})
	d.mechanism = m
}

func (d *driver) have() (list [][]int) {
	for i := range d.view.SMs {
		list = append(list, d.view.SMs[i].TBs)
	}
	return list
}

// gpu has SMs with eight slots and threads, and as many thread blocks of each tenant
// as given by SM; a thread block of tenant k has as many threads as threads[k], and
// nine of each wait.
func gpu(threads []int, taken ...[]int) *driver {
	v := &policy.View{}
	for tenant, n := range threads {
		v.Tenants = append(v.Tenants, policy.Tenant{Demand: occupancy.Demand{TBs: 1, Threads: n}, Waiting: 9})
		v.Active = append(v.Active, tenant)
	}
	for _, tbs := range taken {
		s := policy.SM{Capacity: &occupancy.Capacity{TBs: 8, Threads: 8}, TBs: tbs, Leaving: make([]int, len(threads))}
		for tenant, n := range tbs {
			for range n {
				s.Usage.Take(v.Tenants[tenant].Demand)
			}
		}
		v.SMs = append(v.SMs, s)
	}
	return &driver{view: v}
}

// aimed makes Targets with the given TBs, by tenant and SM.
func aimed(d *driver, tbs ...[]int) *Targets {
	t := New(d.view)
	t.Meet(d.view)
	for tenant := range tbs {
		copy(t.TBs[tenant], tbs[tenant])
	}
	return t
}

func TestThreadBlocksArePlacedUpToTheTargetsAndNoMore(t *testing.T) {
	d := gpu([]int{1, 1}, []int{0, 0}, []int{1, 0})
	tt := aimed(d, []int{3, 1}, []int{4, 0})
	tt.Dispatch(d.view, d, []int{0, 1}, policy.Switch)
	require.Equal(t, [][]int{{3, 4}, {1, 0}}, d.have())
	require.Equal(t, []int{4, 4}, []int{tt.Sum(0), tt.Sum(1)})
	require.Empty(t, d.preempted)
}

func TestThoseAboveTheirTargetsLeaveForThoseBelow(t *testing.T) {
	d := gpu([]int{1, 2, 1}, []int{6, 0, 2})
	aimed(d, []int{3}, []int{2}, []int{1}).Dispatch(d.view, d, []int{0, 1, 2}, policy.Ideal)
	require.Equal(t, [][3]int{{0, 0, 3}, {2, 0, 1}}, d.preempted, "four threads for two thread blocks")
	require.Equal(t, policy.Ideal, d.mechanism)
	d.preempted = nil
	aimed(d, []int{3}, []int{2}, []int{1}).Dispatch(d.view, d, []int{0, 1, 2}, policy.Ideal)
	require.Empty(t, d.preempted, "they are on their way")
}

func TestNoMoreLeaveThanMakeRoomForThoseThatWait(t *testing.T) {
	d := gpu([]int{1, 2}, []int{8, 0}, []int{8, 0})
	d.view.Tenants[1].Waiting = 3
	aimed(d, []int{0, 0}, []int{2, 2}).Dispatch(d.view, d, []int{0, 1}, policy.Switch)
	require.Equal(t, [][3]int{{0, 0, 4}, {0, 1, 2}}, d.preempted)
	aimed(d, []int{0, 0}, []int{2, 2}).Dispatch(d.view, d, []int{0, 1}, policy.Switch)
	require.Len(t, d.preempted, 2, "room for them is coming")
}

func TestNobodyLeavesInVain(t *testing.T) {
	d := gpu([]int{1, 4}, []int{8, 0})
	aimed(d, []int{5}, []int{1}).Dispatch(d.view, d, []int{0, 1}, policy.Switch)
	require.Empty(t, d.preempted, "three that are above the target make no room for four")
	aimed(d, []int{4}, []int{1}).Dispatch(d.view, d, []int{1}, policy.Switch)
	require.Empty(t, d.preempted, "not who is not listed")
}

func TestWithDrainNobodyIsToldToLeave(t *testing.T) {
	d := gpu([]int{1, 1}, []int{8, 0})
	tt := aimed(d, []int{4}, []int{4})
	tt.Dispatch(d.view, d, []int{0, 1}, policy.Drain)
	require.Empty(t, d.preempted)
	d.view.SMs[0].TBs[0]--
	d.view.SMs[0].Usage.Release(d.view.Tenants[0].Demand)
	tt.Dispatch(d.view, d, []int{0, 1}, policy.Drain)
	require.Equal(t, [][]int{{7, 1}}, d.have(), "the place of one that ended is not taken by its own")
}

func TestADemandIsNotedUntilTheNextKernelComes(t *testing.T) {
	d := gpu([]int{1, 2}, []int{0, 0})
	tt := New(d.view)
	require.True(t, tt.Meet(d.view))
	require.False(t, tt.Meet(d.view))
	d.view.Active = []int{0}
	d.view.Tenants[1].Demand = occupancy.Demand{}
	require.False(t, tt.Meet(d.view))
	require.Equal(t, 2, tt.Demand[1].Threads)
	d.view.Tenants[0].Demand.Threads = 3
	require.True(t, tt.Meet(d.view))
	require.Equal(t, 3, tt.Demand[0].Threads)
}

func TestTrimHasAllLeaveThatAreAboveTheTargets(t *testing.T) {
	d := gpu([]int{1, 1, 1}, []int{3, 4, 1}, []int{2, 0, 1})
	tt := aimed(d, []int{2, 2}, []int{1, 0}, []int{0, 0})
	tt.Trim(d.view, d, []int{0, 1}, policy.Drain)
	require.Empty(t, d.preempted)
	tt.Trim(d.view, d, []int{0, 1}, policy.Switch)
	require.Equal(t, [][3]int{{0, 0, 1}, {1, 0, 3}}, d.preempted, "but not who is not listed")
	tt.Trim(d.view, d, []int{0, 1}, policy.Switch)
	require.Len(t, d.preempted, 2)
}

func TestOfThoseThatAreEquallyFarAboveTheLastInOrderLeaves(t *testing.T) {
	for last, order := range map[int][]int{1: {0, 1}, 0: {1, 0}} {
		d := gpu([]int{1, 1, 1}, []int{4, 4, 0})
		d.view.Tenants[2].Waiting = 1
		aimed(d, []int{3}, []int{3}, []int{1}).Dispatch(d.view, d, order, policy.Switch)
		require.Equal(t, [][3]int{{last, 0, 1}}, d.preempted)
	}
}
