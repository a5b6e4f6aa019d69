package contract

import (
	"slices"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// variants are the options with which a policy is tested besides its defaults.
// Epochs are short, so that there are many.
var variants = map[string][]string{
	"ppq":       {"mode=shared", "preempt=drain", "mode=shared,preempt=drain", "preempt=ideal"},
	"dss":       {"preempt=drain", "preempt=ideal", "preempt=flush", "tokens=1/5/2", "tokens=4/1,preempt=drain"},
	"spart":     {"epoch=1k", "preempt=drain,epoch=1k", "preempt=ideal,epoch=1k", "preempt=none,epoch=1k"},
	"smk":       {"preempt=ideal"},
	"smk-p":     {"epoch=1k", "preempt=ideal,epoch=1k"},
	"smk-pw":    {"epoch=1k", "preempt=ideal,epoch=1k"},
	"smk-pw2":   {"epoch=1k", "preempt=ideal,epoch=1k"},
	"timeslice": {"slice=1k", "slice=1k,preempt=drain", "slice=1k,preempt=ideal"},
}

// maxwell is the gtx980's SM.
var maxwell = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

// kepler's shared memory is set by what is on it.
var kepler = occupancy.Capacity{TBs: 16, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{16384, 32768, 49152}}

func drawScenario(t *rapid.T, tenants int) scenario {
	s := scenario{capacity: rapid.SampledFrom([]occupancy.Capacity{maxwell, kepler}).Draw(t, "SM"),
		sms:      rapid.IntRange(1, 8).Draw(t, "SMs"),
		delays:   rapid.SliceOfN(rapid.IntRange(0, 100), 0, 5).Draw(t, "delays"),
		batched:  rapid.Bool().Draw(t, "batched"),
		separate: rapid.Bool().Draw(t, "separate"),
	}
	now := 0
	for i := range tenants {
		s.tenants = append(s.tenants, application{arrival: now,
			priority: rapid.IntRange(0, 2).Draw(t, "priority"),
			kernels:  rapid.SliceOfN(rapid.Custom(s.drawKernel), 1, 4).Draw(t, "kernels"),
		})
		s.arrival = append(s.arrival, i)
		now += rapid.SampledFrom([]int{0, 0, 1, 300, 3000}).Draw(t, "later")
	}
	return s
}

func (s *scenario) drawKernel(t *rapid.T) kernel {
	threads := rapid.IntRange(1, 1024).Draw(t, "threads")
	shared := s.capacity.SharedOptions[len(s.capacity.SharedOptions)-1]
	// Large thread blocks are as likely as small ones.
	part := rapid.SampledFrom([]int{1, 2, 4, 16, 64}).Draw(t, "part")
	return kernel{
		demand: occupancy.Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32,
			Registers:   rapid.IntRange(0, s.capacity.Registers/part).Draw(t, "registers"),
			SharedBytes: rapid.IntRange(0, shared/part).Draw(t, "shared")},
		tbs:        rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(20, 400)).Draw(t, "TBs"),
		durations:  rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 5).Draw(t, "durations"),
		pause:      rapid.SampledFrom([]int{0, 0, 5, 500, 5000}).Draw(t, "pause"),
		idempotent: rapid.Bool().Draw(t, "idempotent"),
		ipc:        rapid.IntRange(0, 500).Draw(t, "ipc"),
	}
}

// each checks every registered policy, by itself and with other options.
func each(t *testing.T, check func(t *rapid.T, fresh func() policy.Policy)) {
	for _, d := range policy.All() {
		for _, options := range append([]string{""}, variants[d.Name]...) {
			spec := strings.TrimSuffix(d.Name+":"+options, ":")
			t.Run(spec, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					check(t, func() policy.Policy {
						p, err := policy.Parse(spec)
						require.NoError(t, err)
						return p
					})
				})
			})
		}
	}
}

func TestEveryOptionIsTested(t *testing.T) {
	for _, d := range policy.All() {
		for _, o := range d.Options {
			require.True(t, slices.ContainsFunc(variants[d.Name], func(v string) bool { return strings.Contains(","+v, ","+o.Name+"=") }),
				"%s:%s", d.Name, o.Name)
		}
	}
}

// all lists the thread blocks of a scenario.
func (s *scenario) all() (list []placement) {
	for tenant, app := range s.tenants {
		for k := range app.kernels {
			for id := range app.kernels[k].tbs {
				list = append(list, placement{tenant: tenant, kernel: k, id: id})
			}
		}
	}
	return list
}

// which leaves out where and when.
func which(list []placement) (ids []placement) {
	for _, p := range list {
		ids = append(ids, placement{tenant: p.tenant, kernel: p.kernel, id: p.id})
	}
	return ids
}

func TestEveryThreadBlockRunsOnceWithinResources(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, rapid.IntRange(1, 4).Draw(t, "tenants"))
		m := run(s, fresh())
		require.NoError(t, m.fault)
		require.ElementsMatch(t, s.all(), which(m.log))
		require.ElementsMatch(t, s.all(), which(m.finishes))
		kernels := 0
		for _, app := range s.tenants {
			kernels += len(app.kernels)
		}
		require.LessOrEqual(t, m.total.preemptions, 3*m.finished+kernels*s.sms*s.capacity.TBs,
			"%d thread blocks of %d kernels should not be preempted so often", m.finished, kernels)
	})
}

// requireSame asserts that two runs were the same, or names the first difference.
func requireSame(t require.TestingT, want, got *machine) {
	for _, lists := range [][2][]placement{{want.log, got.log}, {want.finishes, got.finishes}} {
		require.Len(t, lists[1], len(lists[0]))
		for i := range lists[0] {
			require.Equal(t, lists[0][i], lists[1][i], "number %d", i)
		}
	}
}

func TestOneTenantRunsAsIfAlone(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, 1)
		alone, err := policy.Parse("fcfs")
		require.NoError(t, err)
		want := run(s, alone)
		require.NoError(t, want.fault)
		got := run(s, fresh())
		require.NoError(t, got.fault)
		requireSame(t, want, got)
		require.Zero(t, got.total)
	})
}

func TestRenumberingTenantsRenumbersTheResult(t *testing.T) {
	each(t, func(t *rapid.T, fresh func() policy.Policy) {
		n := rapid.IntRange(2, 4).Draw(t, "tenants")
		s := drawScenario(t, n)
		want := run(s, fresh())
		require.NoError(t, want.fault)
		number := rapid.Permutation(s.arrival).Draw(t, "renumbered")
		renumbered := s
		renumbered.tenants, renumbered.arrival = make([]application, n), slices.Clone(number)
		for tenant, app := range s.tenants {
			renumbered.tenants[number[tenant]] = app
		}
		got := run(renumbered, fresh())
		require.NoError(t, got.fault)
		for _, list := range [][]placement{want.log, want.finishes} {
			for i := range list {
				list[i].tenant = number[list[i].tenant]
			}
		}
		requireSame(t, want, got)
		require.Equal(t, want.total, got.total)
	})
}
