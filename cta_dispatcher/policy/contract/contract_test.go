package contract

import (
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// maxwell is the gtx980's SM.
var maxwell = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

func drawScenario(t *rapid.T, tenants int) scenario {
	s := scenario{capacity: maxwell, sms: rapid.IntRange(tenants, 16).Draw(t, "SMs")}
	for i := range tenants {
		var kernels []kernel
		for range rapid.IntRange(1, 3).Draw(t, "launches") {
			threads := rapid.IntRange(1, 1024).Draw(t, "threads")
			kernels = append(kernels, kernel{
				demand: occupancy.Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32,
					Registers: rapid.IntRange(0, 65536).Draw(t, "registers"), SharedBytes: rapid.IntRange(0, 98304).Draw(t, "shared")},
				durations: rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 60).Draw(t, "durations"),
			})
		}
		s.tenants = append(s.tenants, kernels)
		s.arrival = append(s.arrival, i)
	}
	return s
}

func each(t *testing.T, check func(t *rapid.T, fresh func() policy.Policy)) {
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				check(t, func() policy.Policy {
					p, err := policy.Parse(d.Name)
					require.NoError(t, err)
					return p
				})
			})
		})
	}
}

func TestEveryThreadBlockRunsOnceWithinResources(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, rapid.IntRange(1, 4).Draw(t, "tenants"))
		log, err := run(s, fresh())
		require.NoError(t, err)
		var want, got []placement
		for tenant, kernels := range s.tenants {
			for k := range kernels {
				for id := range kernels[k].durations {
					want = append(want, placement{tenant: tenant, kernel: k, id: id})
				}
			}
		}
		for _, p := range log {
			got = append(got, placement{tenant: p.tenant, kernel: p.kernel, id: p.id})
		}
		require.ElementsMatch(t, want, got)
	})
}

func TestOneTenantRunsAsIfAlone(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, 1)
		alone, err := policy.Parse("fcfs")
		require.NoError(t, err)
		want, err := run(s, alone)
		require.NoError(t, err)
		got, err := run(s, fresh())
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func TestRenumberingTenantsRenumbersTheResult(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		n := rapid.IntRange(2, 4).Draw(t, "tenants")
		s := drawScenario(t, n)
		want, err := run(s, fresh())
		require.NoError(t, err)
		number := rapid.Permutation(s.arrival).Draw(t, "renumbered")
		renumbered := scenario{capacity: s.capacity, sms: s.sms, tenants: make([][]kernel, n), arrival: slices.Clone(number)}
		for tenant, kernels := range s.tenants {
			renumbered.tenants[number[tenant]] = kernels
		}
		got, err := run(renumbered, fresh())
		require.NoError(t, err)
		for i := range want {
			want[i].tenant = number[want[i].tenant]
		}
		require.Equal(t, want, got)
	})
}
