package smkp

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// shared is an SM of four slots that two tenants have divided.
func shared(t *testing.T, spec string) (policy.Policy, *policy.View) {
	p := policytest.Parse(t, spec)
	v := policytest.View(policytest.Slots(4), []policy.Tenant{{Waiting: 9}, {}}, nil)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{4, 0}}, policytest.Counts(v))
	policytest.Launch(v, 1, 2)
	return p, v
}

func TestAnSMIsDividedByDominantShares(t *testing.T) {
	for spec, want := range map[string]string{"smk-p": "switch 2 of 0 on SM 0", "smk-p:preempt=ideal": "ideal 2 of 0 on SM 0"} {
		p, v := shared(t, spec)
		require.Equal(t, []string{want}, policytest.Decide(p, v, policy.KernelArrived))
		policytest.Leave(v, 0)
		require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted))
	}
}

func TestAPartitionIsLentAfterAWholeWindowWithoutAKernel(t *testing.T) {
	p, v := shared(t, "smk-p:epoch=3k")
	require.Equal(t, uint64(3000), p.Needs().Epoch)
	policytest.Decide(p, v, policy.KernelArrived)
	policytest.Leave(v, 0)
	policytest.Save(v, 0)
	policytest.Decide(p, v, policy.TBPreempted)
	policytest.Finish(v, 1, 0, 2)
	policytest.Retire(v, 1)
	require.Empty(t, policytest.Decide(p, v, policy.KernelFinished))
	require.Empty(t, policytest.Decide(p, v, policy.Epoch), "less than a window")
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 0"}, policytest.Decide(p, v, policy.Epoch))
	policytest.Launch(v, 1, 1)
	require.Equal(t, []string{"switch 2 of 0 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
}
