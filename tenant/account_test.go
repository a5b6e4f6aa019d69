package tenant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Is each account one tenant's and one kernel's, and do tenants' first kernels and rests
// come before all others?
func TestAccountsTellTenantAndKernelApart(t *testing.T) {
	seen := map[Account]bool{}
	for id := range ID(Max) {
		require.Equal(t, Account(id), id.Account(0))
		require.Less(t, id.Rest(), Account(2*Max))
		for entry := range Kernels + 1 {
			a := id.Rest()
			if entry < Kernels {
				a = id.Account(entry)
			}
			require.Equal(t, id, a.Tenant())
			require.Equal(t, entry, a.Entry())
			require.False(t, seen[a], "account %d", a)
			seen[a] = true
		}
	}
	require.Len(t, seen, Accounts)
}

// Do counters grow with the accounts that count, and is nothing counted lost?
func TestCountersOfAccountsAreMadeWhenTheyCount(t *testing.T) {
	type counters struct{ N uint64 }
	var p PerAccount[counters]
	require.Zero(t, p.Get(200))
	require.Empty(t, p.From(3))
	p.Of(3).N, p.Of(ID(3).Rest()).N = 5, 7
	require.Len(t, p, 2*Max)
	p.Of(ID(3).Account(2)).N = 9
	require.Len(t, p, Accounts)
	require.Equal(t, []uint64{5, 7, 0, 9}, []uint64{p.Get(3).N, p.Get(ID(3).Rest()).N, p.Get(4).N, p.Get(ID(3).Account(2)).N})
	sum := uint64(0)
	for i, of := 0, p.From(3); i < len(of); i += p.Tenants() {
		sum += of[i].N
	}
	require.Equal(t, uint64(5+7+9), sum)
}
