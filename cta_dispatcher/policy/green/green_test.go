package green

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// gpu has SMs with two slots and tenants with waiting thread blocks.
func gpu(sms, capability int, waiting ...int) *policy.View {
	var tenants []policy.Tenant
	for _, n := range waiting {
		tenants = append(tenants, policy.Tenant{Waiting: n})
	}
	v := policytest.View(policytest.Slots(2), tenants, make([][]int, sms)...)
	v.Machine.ComputeCapability = capability
	return v
}

// checked is a policy that goes with a GPU.
func checked(t *testing.T, spec string, v *policy.View) policy.Policy {
	p := policytest.Parse(t, spec)
	require.NoError(t, p.Needs().Check(v))
	return p
}

// CUDA driver API, Green Contexts: least size and multiple by compute capability.
func TestGroupsAreRoundedUpAsTheCapabilityAsks(t *testing.T) {
	for _, c := range []struct{ capability, asked, want int }{
		{60, 1, 1}, {61, 7, 7}, {70, 1, 2}, {70, 3, 4}, {75, 6, 6}, {80, 1, 4}, {80, 5, 6}, {86, 6, 6}, {89, 7, 8}, {90, 1, 8}, {90, 9, 16}, {100, 17, 24}, {0, 3, 4},
	} {
		list, err := (&green{sms: []int{c.asked, 1}}).split(132, 2, c.capability)
		require.NoError(t, err)
		require.Equal(t, group{0, c.want}, list[0], "%+v", c)
		require.Equal(t, c.want, list[1].first, "the next group begins where the first ends: %+v", c)
	}
}

func TestEvenGroups(t *testing.T) {
	for _, c := range []struct{ capability, sms, applications, want int }{
		{80, 108, 2, 54}, {80, 108, 5, 20}, {90, 132, 3, 40}, {90, 132, 16, 8}, {70, 80, 3, 26}, {80, 14, 3, 4},
	} {
		list, err := (&green{even: true}).split(c.sms, c.applications, c.capability)
		require.NoError(t, err)
		require.Len(t, list, c.applications)
		require.Equal(t, c.want, list[0].sms, "%+v", c)
	}
}

func TestEachContextIsOnItsGroup(t *testing.T) {
	v := gpu(14, 80, 99, 99, 99)
	policytest.Decide(checked(t, "green:sms=3/5/4", v), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0},
		{0, 0, 2}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}}, policytest.Counts(v))
}

// A context reserves nothing against an application without one, and leaves its group for no
// other SM.
func TestApplicationsWithoutAContextUseAllSMs(t *testing.T) {
	v := gpu(8, 80, 5, 99)
	policytest.Decide(checked(t, "green:sms=4/-", v), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {1, 1}, {1, 1}, {1, 1}, {0, 2}, {0, 2}, {0, 2}, {0, 2}}, policytest.Counts(v))

	v = gpu(8, 80, 99)
	policytest.Decide(checked(t, "green:sms=4", v), v, policy.KernelArrived)
	require.Equal(t, [][]int{{2}, {2}, {2}, {2}, {0}, {0}, {0}, {0}}, policytest.Counts(v))
}

func TestGroupsAreChecked(t *testing.T) {
	for _, c := range []struct {
		spec            string
		sms, capability int
		want            string
	}{
		{"green:sms=8/8", 14, 80, "the groups of option sms have 16 SMs, each rounded up to a multiple of 2 and to 4 at least; valid: at most 14"},
		{"green:sms=1/1", 14, 90, "the groups of option sms have 16 SMs, each rounded up to a multiple of 8 and to 8 at least; valid: at most 14"},
		{"green:sms=even", 14, 90, "14 SMs cannot be split into 2 groups; valid: at most 1, as a group has at least 8"},
		{"green:sms=even", 16, 52, "green contexts need compute capability 6.0, and the GPU has 5.2"},
		{"green:sms=4", 16, 80, "option sms has 1 numbers for 2 applications: give one for each"},
	} {
		require.EqualError(t, policytest.Parse(t, c.spec).Needs().Check(gpu(c.sms, c.capability, 1, 1)), c.want)
	}
	v := gpu(8, 80, 1, 1)
	require.NoError(t, policytest.Parse(t, "green:sms=3/-").Needs().Check(v))
	v.SMs[3].Kind = 1
	require.EqualError(t, policytest.Parse(t, "green:sms=even").Needs().Check(v), "green contexts need equal SMs, and the GPU has SMs of several kinds")
	_, err := policy.Parse("green:sms=0/4")
	require.ErrorContains(t, err, "valid: all, or even, or whole numbers from 1 to 1024, and - for none, such as 16/32")
}
