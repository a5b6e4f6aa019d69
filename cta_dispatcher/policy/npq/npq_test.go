package npq

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// waiting is a tenant of a priority with waiting thread blocks.
func waiting(tbs, priority int) policy.Tenant {
	return policy.Tenant{Waiting: tbs, Attributes: tenant.Attributes{Priority: priority}}
}

func TestTheHighestPriorityStartsFirstAndOfEqualsTheFirstToArrive(t *testing.T) {
	v := policytest.View(policytest.Slots(4), []policy.Tenant{waiting(1, 0), waiting(1, 5), waiting(2, 5), waiting(1, -1)}, []int{0, 0, 0, 0})
	require.Equal(t, []string{"place 1 on SM 0", "place 2 on SM 0", "place 2 on SM 0", "place 0 on SM 0"}, policytest.Decide(npq{}, v, policy.KernelArrived))
}

func TestAStartedKernelIsPlacedWholeBeforeAHigherPriority(t *testing.T) {
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(2, 0), waiting(9, 5)}, []int{1, 0}, []int{0, 0})
	require.Equal(t, []string{"place 0 on SM 1", "place 0 on SM 0", "place 1 on SM 1"}, policytest.Decide(npq{}, v, policy.TBFinished))
}

func TestNobodyOvertakesAStartedKernelThatDoesNotFit(t *testing.T) {
	low := waiting(1, 0)
	low.Demand = occupancy.Demand{TBs: 1, Threads: 60}
	sm := policytest.Slots(4)
	sm.Threads = 100
	v := policytest.View(sm, []policy.Tenant{low, waiting(1, 5)}, []int{1, 0})
	require.Empty(t, policytest.Decide(npq{}, v, policy.KernelArrived))
}

func TestAKernelIsNeverPreempted(t *testing.T) {
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(0, 0), waiting(9, 5)}, []int{2, 0})
	require.Empty(t, policytest.Decide(npq{}, v, policy.KernelArrived))
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 1 on SM 0"}, policytest.Decide(npq{}, v, policy.TBFinished))
}
