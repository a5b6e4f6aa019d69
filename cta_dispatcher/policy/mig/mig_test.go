package mig_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/cta_dispatcher/policy/mig"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// halves are two instances of two SMs: the first has tenant 2, the second tenants 0 and 1.
func halves(spec string) (policy.Policy, error) {
	return mig.New([]mig.Part{
		{SMs: policy.Range{First: 0, End: 2}, Has: func(tenant int) bool { return tenant == 2 }},
		{SMs: policy.Range{First: 2, End: 4}, Has: func(tenant int) bool { return tenant < 2 }},
	}, func() (policy.Policy, error) { return policy.Parse(spec) })
}

func view() *policy.View {
	return policytest.View(policytest.Slots(2), []policy.Tenant{{Waiting: 3}, {Waiting: 9}, {Waiting: 9}}, nil, nil, nil, nil)
}

func TestEachInstanceHasAPolicyOfItsOwn(t *testing.T) {
	for spec, want := range map[string][][]int{
		"fcfs":              {{0, 0, 2}, {0, 0, 2}, {2, 0, 0}, {1, 1, 0}},
		"even":              {{0, 0, 2}, {0, 0, 2}, {1, 1, 0}, {1, 1, 0}},
		"mps:percent=50/50": {{0, 0, 2}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}},
		"timeslice":         {{0, 0, 2}, {0, 0, 2}, {2, 0, 0}, {1, 0, 0}},
	} {
		p, err := halves(spec)
		require.NoError(t, err)
		v := view()
		require.NoError(t, checked(p, v))
		policytest.Decide(p, v, policy.KernelArrived)
		require.Equal(t, want, policytest.Counts(v), spec)
	}
}

// Lists of options are of an instance's tenants by their arrival among themselves, and so are equal
// parts.
func TestTenantsAreRankedWithinTheirInstance(t *testing.T) {
	for spec, want := range map[string][]int{
		"green:sms=2/4": {2, 4, 2, 4}, "green:sms=even": {2, 2, 2, 2}, "mps:percent=34/67": {2, 4, 2, 4},
		"fixed:sms=2/4": {2, 4, 2, 4}, "dss:tokens=2/4": {2, 4, 2, 4},
	} {
		p, err := mig.New([]mig.Part{
			{SMs: policy.Range{First: 0, End: 6}, Has: func(tenant int) bool { return tenant >= 2 }},
			{SMs: policy.Range{First: 6, End: 12}, Has: func(tenant int) bool { return tenant < 2 }},
		}, func() (policy.Policy, error) { return policy.Parse(spec) })
		require.NoError(t, err)
		v := policytest.View(policytest.Slots(2), []policy.Tenant{{Waiting: 99}, {Waiting: 99}, {Waiting: 99}, {Waiting: 99}}, make([][]int, 12)...)
		require.NoError(t, checked(p, v), spec)
		policytest.Decide(p, v, policy.KernelArrived)
		sms := make([]int, 4)
		for i, counts := range policytest.Counts(v) {
			for tenant, tbs := range counts {
				require.True(t, tbs == 0 || tbs == 2 && (tenant < 2) == (i >= 6), "%s: %d thread blocks of tenant %d on SM %d", spec, tbs, tenant, i)
				sms[tenant] += tbs / 2
			}
		}
		assert.Equal(t, want, sms, spec)
	}
}

func checked(p policy.Policy, v *policy.View) error {
	if check := p.Needs().Check; check != nil {
		return check(v)
	}
	return nil
}

// Percentages are those of the tenants of an instance.
func TestACheckIsThatOfTheTenantsInside(t *testing.T) {
	p, err := halves("mps:percent=50")
	require.NoError(t, err)
	require.EqualError(t, checked(p, view()), "instance 1: option percent has 1 numbers for 2 applications: give one for each")
}

// Each instance with two tenants has slices; the end of a window is told to the one that opened
// it. The tenants have issued nothing, and get another slice.
func TestAWindowEndsForItsInstance(t *testing.T) {
	p, err := mig.New([]mig.Part{
		{SMs: policy.Range{First: 0, End: 2}, Has: func(tenant int) bool { return tenant >= 2 }},
		{SMs: policy.Range{First: 2, End: 4}, Has: func(tenant int) bool { return tenant < 2 }},
	}, func() (policy.Policy, error) { return policy.Parse("timeslice:slice=1k,preempt=ideal") })
	require.NoError(t, err)
	v := policytest.View(policytest.Slots(1), []policy.Tenant{{Waiting: 9}, {Waiting: 9}, {Waiting: 2}, {Waiting: 9}}, nil, nil, nil, nil)
	require.Equal(t, []string{"place 2 on SM 0", "place 2 on SM 1", "window of 1000 []", "place 0 on SM 2", "place 0 on SM 3", "window of 1000 []"},
		policytest.Decide(p, v, policy.KernelArrived))
	v.Ended = 2
	require.Equal(t, []string{"window of 1000 []"}, policytest.Decide(p, v, policy.WindowEnded), "the second instance's")
	v.Ended = 1
	require.Equal(t, []string{"window of 1000 []"}, policytest.Decide(p, v, policy.WindowEnded), "the first one's alone")
	v.Ended = 3
	require.Equal(t, []string{"window of 1000 []"}, policytest.Decide(p, v, policy.WindowEnded), "the second instance's again")
}

func TestWhatReachesBeyondSMsIsRefused(t *testing.T) {
	_, err := halves("ccbp:variant=offline")
	require.ErrorContains(t, err, "valid: a policy without")
}
