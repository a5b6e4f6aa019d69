package claim

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

func TestATenantLendsItsPartAfterAWholeWindowWithoutAKernel(t *testing.T) {
	v := &policy.View{Tenants: []policy.Tenant{{Present: true, Rank: 1}, {Present: true}}, Active: []int{0, 1}}
	var c Claims
	see := func(e policy.Event, active ...int) bool {
		v.Event, v.Active = e, active
		return c.Update(v)
	}
	require.True(t, see(policy.KernelArrived, 0, 1))
	require.Equal(t, []int{1, 0}, c.Order, "in order of arrival")
	require.False(t, see(policy.KernelFinished, 1), "a pause")
	require.False(t, see(policy.Epoch, 1), "less than a window ago")
	require.True(t, see(policy.Epoch, 1))
	require.Equal(t, []int{1}, c.Order)
	require.False(t, c.Holds(0))
	require.False(t, see(policy.Epoch, 1))
	require.True(t, see(policy.KernelArrived, 1, 0))
	require.Equal(t, []int{1, 0}, c.Order)
	v.Tenants[1].Present = false
	require.True(t, see(policy.KernelFinished, 0))
	require.Equal(t, []int{0}, c.Order, "an application that has ended")
}

func TestATenantThatIsYetToLaunchHasAClaimForAWhile(t *testing.T) {
	v := &policy.View{Tenants: make([]policy.Tenant, 2)}
	var c Claims
	require.False(t, c.Update(v))
	v.Event = policy.Epoch
	for range 5 {
		require.False(t, c.Update(v))
	}
	v.Tenants[1].Present = true
	require.True(t, c.Update(v))
	require.True(t, c.Holds(1))
	require.True(t, c.Update(v))
	require.False(t, c.Holds(1))
}
