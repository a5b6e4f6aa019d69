package spart

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// gpu has SMs with two slots, and tenants with waiting thread blocks.
func gpu(sms int, waiting ...int) *policy.View {
	var tenants []policy.Tenant
	for _, n := range waiting {
		tenants = append(tenants, policy.Tenant{Waiting: n})
	}
	return policytest.View(policytest.Slots(2), tenants, make([][]int, sms)...)
}

func TestTenantsOwnEquallyManySMsAndTheFirstToArriveTheOddOne(t *testing.T) {
	v := gpu(5, 99, 99)
	v.Tenants[0].Rank, v.Tenants[1].Rank = 1, 0
	policytest.Decide(policytest.Parse(t, "spart"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{0, 2}, {0, 2}, {0, 2}, {2, 0}, {2, 0}}, policytest.Counts(v))
}

func TestTheLastToArriveWaitIfThereAreFewerSMs(t *testing.T) {
	v := gpu(2, 99, 99, 99)
	policytest.Decide(policytest.Parse(t, "spart"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0, 0}, {0, 2, 0}}, policytest.Counts(v))
}

// arrival is a GPU of four SMs that tenant 0 has filled when tenant 1 comes.
func arrival(t *testing.T, spec string, tbs int) (policy.Policy, *policy.View, []string) {
	p, v := policytest.Parse(t, spec), gpu(4, 99, 0)
	v.Tenants[1].Present = false
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {2, 0}, {2, 0}}, policytest.Counts(v))
	v.Tenants[1].Present = true
	policytest.Launch(v, 1, tbs)
	return p, v, policytest.Decide(p, v, policy.KernelArrived)
}

func TestSMsOfATenantThatComesAreEmptiedWhole(t *testing.T) {
	p, v, actions := arrival(t, "spart", 99)
	require.Equal(t, []string{"switch SM 2", "switch SM 3"}, actions)
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 0 on SM 0"}, policytest.Decide(p, v, policy.TBFinished), "the first keeps the others")
	policytest.Leave(v, 3)
	require.Equal(t, []string{"place 1 on SM 3", "place 1 on SM 3"}, policytest.Decide(p, v, policy.SMFreed))
}

func TestNoMoreSMsAreEmptiedThanThreadBlocksWait(t *testing.T) {
	_, _, actions := arrival(t, "spart:preempt=ideal", 1)
	require.Equal(t, []string{"ideal SM 2"}, actions)
}

func TestADrainingSMIsNotFilledByItsOldOwner(t *testing.T) {
	p, v, actions := arrival(t, "spart:preempt=drain", 99)
	require.Equal(t, []string{"drain SM 2", "drain SM 3"}, actions)
	policytest.Finish(v, 0, 2, 1)
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished))
	policytest.Finish(v, 0, 2, 1)
	require.Equal(t, []string{"place 1 on SM 2", "place 1 on SM 2"}, policytest.Decide(p, v, policy.SMFreed))
}

func TestWithoutPreemptionAnSMChangesHandsOnceItsThreadBlocksHaveEnded(t *testing.T) {
	p, v, actions := arrival(t, "spart:preempt=none", 99)
	require.Empty(t, actions)
	policytest.Finish(v, 0, 3, 1)
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished), "neither its old owner nor, beside the other's, its new one")
	policytest.Finish(v, 0, 3, 1)
	require.Equal(t, []string{"place 1 on SM 3", "place 1 on SM 3"}, policytest.Decide(p, v, policy.TBFinished))
}

func TestATenantLendsItsSMsAfterAWholeWindowWithoutAKernel(t *testing.T) {
	p, v := policytest.Parse(t, "spart:epoch=2k"), gpu(2, 99, 1)
	require.Equal(t, uint64(2000), p.Needs().Epoch)
	policytest.Decide(p, v, policy.KernelArrived)
	policytest.Finish(v, 1, 1, 1)
	policytest.Retire(v, 1)
	require.Empty(t, policytest.Decide(p, v, policy.KernelFinished), "a pause between two launches")
	require.Empty(t, policytest.Decide(p, v, policy.Epoch), "less than a window")
	require.Equal(t, []string{"place 0 on SM 1", "place 0 on SM 1"}, policytest.Decide(p, v, policy.Epoch))
	policytest.Launch(v, 1, 1)
	require.Equal(t, []string{"switch SM 1"}, policytest.Decide(p, v, policy.KernelArrived))
}
