package policy_test

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// viewOf is a View of two tenants on SMs with four slots; tbs has tenant 1's thread blocks by
// SM.
func viewOf(tbs ...int) *policy.View {
	v := &policy.View{Tenants: []policy.Tenant{{Demand: occupancy.Demand{TBs: 1}}, {Demand: occupancy.Demand{TBs: 1}}}}
	for _, n := range tbs {
		v.SMs = append(v.SMs, policy.SM{Capacity: &occupancy.Capacity{TBs: 4},
			Usage: occupancy.Usage{Demand: occupancy.Demand{TBs: n}}, TBs: []int{0, n}, Leaving: []int{0, 0}})
	}
	return v
}

// places has a thread block of tenant 0 placed on each of the SMs in this order;
// the View shows it, as Actions says.
func places(v *policy.View, a *MockActions, sms ...int) {
	var calls []*gomock.Call
	for _, sm := range sms {
		calls = append(calls, a.EXPECT().Place(0, sm).Do(func(_, sm int) {
			v.Tenants[0].Waiting--
			v.SMs[sm].Usage.TBs++
			v.SMs[sm].TBs[0]++
		}))
	}
	gomock.InOrder(calls...)
}

func anywhere(int) bool { return true }

func TestBreadthFillsTheSMWithTheFewestThreadBlocksFirst(t *testing.T) {
	v, a := viewOf(2, 1, 0), NewMockActions(gomock.NewController(t))
	v.Tenants[0].Waiting = 6
	places(v, a, 2, 1, 2, 0, 1, 2)
	policy.Breadth(v, a, 0, anywhere)
}

func TestBreadthStopsWhenNoneFits(t *testing.T) {
	v, a := viewOf(3, 4), NewMockActions(gomock.NewController(t))
	v.Tenants[0].Waiting = 6
	places(v, a, 0)
	policy.Breadth(v, a, 0, anywhere)
	require.Equal(t, 5, v.Tenants[0].Waiting)
}

func TestBreadthPlacesWhereItIsAllowedAndNotReserved(t *testing.T) {
	v, a := viewOf(0, 0, 0, 3), NewMockActions(gomock.NewController(t))
	v.Tenants[0].Waiting = 5
	v.SMs[0].Reserved = true
	places(v, a, 1, 1, 1, 1, 3) // SM 2 is not allowed
	policy.Breadth(v, a, 0, func(sm int) bool { return sm != 2 })
}

func TestBreadthWithNothingWaitingPlacesNothing(t *testing.T) {
	policy.Breadth(viewOf(0), NewMockActions(gomock.NewController(t)), 0, anywhere)
}

func TestEmptySMFlushesOnlyWhatCanBeFlushed(t *testing.T) {
	for _, c := range []struct {
		idempotent [2]bool
		asked, got policy.Mechanism
	}{
		{[2]bool{false, true}, policy.Flush, policy.Flush}, // tenant 0 has nothing there
		{[2]bool{true, false}, policy.Flush, policy.Switch},
		{[2]bool{true, true}, policy.Switch, policy.Switch},
		{[2]bool{true, false}, policy.Ideal, policy.Ideal},
	} {
		v, a := viewOf(0, 2), NewMockActions(gomock.NewController(t))
		for i, can := range c.idempotent {
			v.Tenants[i].Idempotent = can
		}
		a.EXPECT().PreemptSM(1, c.got)
		policy.EmptySM(v, a, 1, c.asked)
	}
}

func TestKindsAreCounted(t *testing.T) {
	v := viewOf(0, 0, 0, 0)
	require.Equal(t, []int{4}, v.Kinds())
	v.SMs[1].Kind, v.SMs[3].Kind = 2, 2
	require.Equal(t, []int{2, 0, 2}, v.Kinds())
	require.Empty(t, viewOf().Kinds())
}

func TestThoseThatLeaveAndThoseThatAreSavedAreReturning(t *testing.T) {
	v := viewOf(2, 3, 4)
	v.SMs[0].Leaving[1], v.SMs[2].Leaving[1], v.Tenants[1].Saving = 1, 2, 4
	require.Equal(t, []int{0, 7}, []int{v.Returning(0), v.Returning(1)})
}
