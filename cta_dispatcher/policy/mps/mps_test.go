package mps

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// gpu has SMs with two slots, in TPCs of two, and tenants with waiting thread blocks.
func gpu(sms int, waiting ...int) *policy.View {
	var tenants []policy.Tenant
	for _, n := range waiting {
		tenants = append(tenants, policy.Tenant{Waiting: n})
	}
	v := policytest.View(policytest.Slots(2), tenants, make([][]int, sms)...)
	v.Machine.SMsPerTPC = 2
	return v
}

// Elvinger et al., arXiv 2501.16909: 50 % of the 82 SMs of an RTX 3090 are 40.
func TestPercentagesAreRoundedDownToTPCs(t *testing.T) {
	for _, c := range []struct{ sms, tpc, percent, want int }{
		{82, 2, 50, 40}, {82, 1, 50, 41}, {108, 2, 100, 108}, {108, 2, 50, 54}, {108, 2, 10, 10}, {108, 2, 1, 2}, {80, 2, 33, 26}, {80, 0, 33, 26}, {1, 2, 50, 1},
	} {
		require.Equal(t, c.want, share(c.sms, c.tpc, c.percent), "%+v", c)
	}
}

func TestClientsAreOnSMsOfTheirOwnWhileTheyAddUpTo100(t *testing.T) {
	v := gpu(8, 99, 99, 99)
	policytest.Decide(policytest.Parse(t, "mps:percent=50/25/25"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {0, 0, 2}, {0, 0, 2}, {0, 2, 0}, {0, 2, 0}}, policytest.Counts(v))
}

func TestACapReservesNothingAndIsNotLiftedForALoneClient(t *testing.T) {
	v := gpu(8, 99)
	policytest.Decide(policytest.Parse(t, "mps:percent=50"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2}, {2}, {2}, {2}, {0}, {0}, {0}, {0}}, policytest.Counts(v))
}

// The first has SMs 0 to 5, the second 2 to 7: where both may run, the second has what the
// first leaves.
func TestClientsBeyond100ShareSMs(t *testing.T) {
	p, v := policytest.Parse(t, "mps:percent=75/75"), gpu(8, 7, 99)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {1, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 2}, {0, 2}}, policytest.Counts(v))

	v = gpu(8, 99, 99)
	policytest.Decide(policytest.Parse(t, "mps:percent=75/75"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 0}, {0, 2}, {0, 2}}, policytest.Counts(v))
}

// Room that an SM gets goes to the client that waits there longest, or has the higher
// priority; running thread blocks stay.
func TestHigherPriorityGoesFirstOnSharedSMs(t *testing.T) {
	for priority, want := range map[int][]string{0: {"place 0 on SM 0"}, 1: {"place 1 on SM 0"}} {
		p, v := policytest.Parse(t, "mps"), gpu(2, 99, 99)
		v.Tenants[1].Present, v.Active = false, []int{0}
		policytest.Decide(p, v, policy.KernelArrived)
		require.Equal(t, [][]int{{2, 0}, {2, 0}}, policytest.Counts(v))
		v.Tenants[1].Present, v.Tenants[1].Priority, v.Active = true, priority, []int{0, 1}
		require.Empty(t, policytest.Decide(p, v, policy.KernelArrived), "none is preempted")
		policytest.Finish(v, 0, 0, 1)
		require.Equal(t, want, policytest.Decide(p, v, policy.TBFinished))
	}
}

func TestPercentagesAreChecked(t *testing.T) {
	_, err := policy.Parse("mps:percent=0/50")
	require.ErrorContains(t, err, "whole numbers from 1 to 100 such as 50/50")
	p, v := policytest.Parse(t, "mps:percent=50"), gpu(4, 1, 1)
	require.EqualError(t, p.Needs().Check(v), "option percent has 1 numbers for 2 applications: give one for each")
	v = gpu(4, 1)
	v.SMs[3].Kind = 1
	require.EqualError(t, p.Needs().Check(v), "option percent needs equal SMs, and the GPU has SMs of several kinds")
}

// NVIDIA's MPS documentation: 16 clients before Volta, 48 from Volta on.
func TestClientsBeyondTheGPUsNumberAreRefused(t *testing.T) {
	for most, want := range map[int]string{16: "17 applications; valid: at most 16 clients, driver.mps_clients of the GPU", 48: "49 applications; valid: at most 48 clients, driver.mps_clients of the GPU"} {
		p, v := policytest.Parse(t, "mps"), gpu(4, make([]int, most)...)
		v.Machine.MPSClients = most
		require.NoError(t, p.Needs().Check(v))
		v.Tenants = append(v.Tenants, policy.Tenant{})
		require.EqualError(t, p.Needs().Check(v), want)
		v.Machine.MPSClients = 0
		require.NoError(t, p.Needs().Check(v), "the GPU names no number")
	}
}
