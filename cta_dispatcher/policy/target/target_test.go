package target

import (
	"fmt"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// log notes actions, which take effect on a View at once.
type log struct {
	policy.Actions
	view *policy.View
	list []string
}

func (l *log) Place(tenant, sm int) {
	l.list = append(l.list, fmt.Sprintf("place %d on %d", tenant, sm))
	t, s := &l.view.Tenants[tenant], &l.view.SMs[sm]
	t.Waiting--
	s.TBs[tenant]++
	s.Usage.Take(t.Demand)
}

func (l *log) Preempt(tenant, sm, n int, m policy.Mechanism) {
	l.list = append(l.list, fmt.Sprintf("%s %d of %d on %d", m, n, tenant, sm))
	l.view.SMs[sm].Leaving[tenant] += n
}

// gpu is two SMs of six slots, with two tenants, of which the second's TBs take two.
func gpu(waiting ...int) *policy.View {
	c := &occupancy.Capacity{TBs: 100, Threads: 6, Warps: 100, SharedOptions: []int{0}}
	v := &policy.View{Active: []int{0, 1}}
	for range 2 {
		v.SMs = append(v.SMs, policy.SM{Capacity: c, TBs: make([]int, 2), Leaving: make([]int, 2)})
	}
	for i, n := range waiting {
		v.Tenants = append(v.Tenants, policy.Tenant{Present: true, Waiting: n, Demand: occupancy.Demand{TBs: 1, Threads: i + 1, Warps: 1}})
	}
	return v
}

func TestTBsArePlacedUpToTargetsAndOthersMakeRoom(t *testing.T) {
	for _, stay := range []bool{false, true} {
		v := gpu(20, 0)
		l := &log{view: v}
		targets := New(2, 2, policy.Ideal)
		targets.Stay = stay
		require.True(t, targets.Update(v))
		require.False(t, targets.Update(v))
		targets.TBs[0][0], targets.TBs[0][1] = 6, 2
		targets.Dispatch(v, l, []int{0, 1})
		require.Equal(t, []int{6, 2}, []int{v.SMs[0].TBs[0], v.SMs[1].TBs[0]})
		require.Equal(t, 8, targets.Of(0))

		// The second is to have two of the first SM, where no room is, and one of the other.
		l.list = nil
		targets.TBs[0][0], targets.TBs[1][0], targets.TBs[1][1] = 2, 2, 1
		v.Tenants[1].Waiting = 3
		targets.Dispatch(v, l, []int{0, 1})
		want := []string{"place 1 on 1"}
		if !stay {
			want = append(want, "ideal 4 of 0 on 0")
		}
		require.Equal(t, want, l.list)
		l.list = nil
		targets.Dispatch(v, l, []int{0, 1})
		require.Empty(t, l.list, "those that leave make room enough")
	}
}

func TestNobodyLeavesWhereThatMakesNoRoom(t *testing.T) {
	v := gpu(6, 1)
	l := &log{view: v}
	targets := New(2, 2, policy.Switch)
	targets.Update(v)
	targets.TBs[0][0] = 6
	targets.Dispatch(v, l, []int{0, 1})
	l.list = nil
	targets.TBs[0][0], targets.TBs[1][0] = 5, 1 // it takes two
	targets.Dispatch(v, l, []int{0, 1})
	require.Empty(t, l.list)
	require.True(t, targets.Holds(v, 1, 0))
}
