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
