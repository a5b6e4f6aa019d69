package dispatcher

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"

	"github.com/stretchr/testify/require"
)

// two makes two active kernels of a tenant. The second kernel is idempotent.
func two() (l ledger, first, second *tbtable.Kernel) {
	l = newLedger(make([]SM, 1), 1)
	first = &tbtable.Kernel{Kernel: policy.Kernel{Launch: 3, Waiting: 1}}
	second = &tbtable.Kernel{Kernel: policy.Kernel{Launch: 4, Waiting: 1, Idempotent: true}}
	l.start(first)
	l.start(second)
	return l, first, second
}

func TestTheNextKernelStaysSoWhenNoneWaits(t *testing.T) {
	l, first, second := two()
	require.False(t, l.turn())
	require.Equal(t, uint64(3), l.view.Tenants[0].Launch)
	first.Waiting--
	require.True(t, l.turn())
	require.Equal(t, uint64(4), l.view.Tenants[0].Launch)
	second.Waiting--
	require.False(t, l.turn(), "nothing waits: it is the one that was the next")
	require.Equal(t, uint64(4), l.view.Tenants[0].Launch)
	first.Waiting++
	require.True(t, l.turn())
	require.Equal(t, uint64(3), l.view.Tenants[0].Launch)
}

func TestATenantIsIdempotentIfAllItsActiveKernelsAre(t *testing.T) {
	l, first, _ := two()
	require.False(t, l.view.Tenants[0].Idempotent)
	l.retire(first)
	require.True(t, l.view.Tenants[0].Idempotent)
	require.Equal(t, uint64(4), l.view.Tenants[0].Launch)
}

func TestKernelsOfAHigherPriorityGoFirst(t *testing.T) {
	l := newLedger(make([]SM, 1), 2)
	start := func(tenant, priority int, launch uint64) {
		l.start(&tbtable.Kernel{Kernel: policy.Kernel{Tenant: tenant, Launch: launch, Priority: priority, Waiting: 1}})
	}
	start(0, 0, 10)
	start(1, -1, 20)
	require.Equal(t, []int{1, 0}, l.view.Active)
	start(0, -2, 11)
	require.Equal(t, uint64(10), l.view.Tenants[0].Launch, "the next kernel stays so while the policy decides")
	require.True(t, l.turn())
	require.Equal(t, uint64(11), l.view.Tenants[0].Launch)
	require.Equal(t, []int{0, 1}, l.view.Active)
	start(1, -1, 21)
	var launches []uint64
	for _, k := range l.view.Kernels {
		launches = append(launches, k.Launch)
	}
	require.Equal(t, []uint64{11, 20, 21, 10}, launches)
}
