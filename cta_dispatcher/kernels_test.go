package dispatcher

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// two are two active kernels of a tenant, the second of which is idempotent.
func two() (l ledger, first, second *kernelStatus) {
	l = newLedger(make([]SM, 1), 1)
	first = &kernelStatus{Kernel: policy.Kernel{Launch: 3, Waiting: 1}}
	second = &kernelStatus{Kernel: policy.Kernel{Launch: 4, Waiting: 1, Idempotent: true}}
	l.start(first)
	l.start(second)
	return l, first, second
}

func TestTheNextKernelStaysSoWhenNoneWaits(t *testing.T) {
	l, first, second := two()
	require.False(t, l.turn())
	require.Equal(t, uint64(3), l.view.Tenants[0].Launch)
	l.wait(first, -1)
	require.True(t, l.turn())
	require.Equal(t, uint64(4), l.view.Tenants[0].Launch)
	l.wait(second, -1)
	require.False(t, l.turn(), "nothing waits: it is the one that was the next")
	require.Equal(t, uint64(4), l.view.Tenants[0].Launch)
	l.wait(first, 1)
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

// A thread block that is dropped while its context is being loaded is not loaded any more.
func TestAThreadBlockThatLeavesIsNotLoadedAnyMore(t *testing.T) {
	l, first, _ := two()
	p := l.place(first, 0, preemptedTB{slot: 5})
	l.loads(p)
	require.Equal(t, 1, l.view.Tenants[0].Loading)
	l.leaves(p, 0)
	require.True(t, l.off(p, 0))
	require.Zero(t, l.view.Tenants[0].Loading)
	l.saved(0, p.serial)
	require.Zero(t, l.view.Tenants[0].Loading)
}
