package docs

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

func TestFCFSGivesALaterKernelWhatTheFirstLeavesOver(t *testing.T) {
	sm, demand := occupancy.Capacity{TBs: 2, Threads: 1024, Warps: 32}, occupancy.Demand{TBs: 1, Threads: 256, Warps: 8}
	v := policytest.View(sm, []policy.Tenant{{Demand: demand, Waiting: 5}, {Demand: demand, Waiting: 3}}, nil, nil)
	v.Active = []int{1, 0} // tenant 1 came first
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 1", "place 1 on SM 0", "place 0 on SM 1"},
		policytest.Decide(policytest.Parse(t, "fcfs"), v, policy.KernelArrived))
}
