package smkpw

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// The paper's example of three kernels on three SMs (SMK 5.5): K1 and K2, K2 and K3, K1 and K3.
func TestAnSMHasAtMostTwoKernels(t *testing.T) {
	for spec, want := range map[string][][]int{
		"smk-pw2": {{3, 3, 0}, {0, 3, 3}, {3, 0, 3}},
		"smk-pw":  {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}},
	} {
		p := policytest.Parse(t, spec)
		v := policytest.View(policytest.Slots(6), []policy.Tenant{{Waiting: 99}, {Waiting: 99}, {Waiting: 99}}, nil, nil, nil)
		for range 3 {
			policytest.Decide(p, v, policy.KernelArrived)
			for sm := range v.SMs {
				policytest.Leave(v, sm)
			}
		}
		require.Equal(t, want, policytest.Counts(v), spec)
	}
}
