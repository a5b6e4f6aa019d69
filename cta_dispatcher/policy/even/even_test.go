package even

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// hundred is an SM of 100 threads.
var hundred = occupancy.Capacity{TBs: 100, Threads: 100, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}

// of is a tenant with nine waiting thread blocks of some threads.
func of(threads int) policy.Tenant {
	return policy.Tenant{Waiting: 9, Demand: occupancy.Demand{TBs: 1, Threads: threads}}
}

func TestTenantsTakeTurnsUpToTheirPartOfAnSM(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(20), of(12)}, []int{0, 0})
	require.Equal(t, []string{"place 0 on SM 0", "place 1 on SM 0", "place 0 on SM 0", "place 1 on SM 0", "place 1 on SM 0", "place 1 on SM 0"},
		policytest.Decide(even{}, v, policy.KernelArrived), "two of 20 and four of 12 are no more than 50")
	require.Empty(t, policytest.Decide(even{}, v, policy.TBFinished))
}

func TestEachResourceIsSplit(t *testing.T) {
	for _, d := range []occupancy.Demand{{TBs: 1, Threads: 26}, {TBs: 1, Warps: 251}, {TBs: 1, Registers: 251}, {TBs: 1, SharedBytes: 251}} {
		v := policytest.View(hundred, []policy.Tenant{{Waiting: 9, Demand: d}, {}}, []int{0, 0})
		require.Len(t, policytest.Decide(even{}, v, policy.KernelArrived), 1, "a second one of %+v is more than a half; the other tenant is present", d)
	}
}

func TestSlotsAreSplit(t *testing.T) {
	v := policytest.View(policytest.Slots(5), []policy.Tenant{{Waiting: 9}, {Waiting: 9}}, nil)
	policytest.Decide(even{}, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 2}}, policytest.Counts(v))
}

func TestATenantAloneHasAllOfIt(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(20), {}}, []int{0, 0})
	v.Tenants[1].Present = false
	policytest.Decide(even{}, v, policy.KernelArrived)
	require.Equal(t, [][]int{{5, 0}}, policytest.Counts(v))
}

func TestAThreadBlockLargerThanThePartIsAloneOfItsKind(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(60), of(10)}, []int{0, 0}, []int{0, 0})
	policytest.Decide(even{}, v, policy.KernelArrived)
	require.Equal(t, [][]int{{1, 4}, {1, 4}}, policytest.Counts(v))
}

func TestTheNextGoesWhereTheTenantHasFewest(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(10), of(10)}, []int{2, 0}, []int{1, 0}, []int{1, 3})
	v.Tenants[0].Waiting, v.Tenants[1].Waiting = 2, 1
	require.Equal(t, []string{"place 0 on SM 1", "place 1 on SM 0", "place 0 on SM 2"}, policytest.Decide(even{}, v, policy.TBFinished))
}
