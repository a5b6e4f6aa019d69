package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/fcfs" // the reference for a tenant alone
	"cotenant/cta_dispatcher/stub"
	"cotenant/tests/draws"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// maxwell is the gtx980's SM.
var maxwell = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

// kepler is an SM with shared memory that follows its thread blocks.
var kepler = occupancy.Capacity{TBs: 16, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{16384, 32768, 49152}}

// small and large are SMs with half, and one and a half times, everything of maxwell, except
// thread block slots.
var (
	small = occupancy.Capacity{TBs: 16, Threads: 1024, Warps: 32, Registers: 32768, SharedOptions: []int{49152}}
	large = occupancy.Capacity{TBs: 40, Threads: 3072, Warps: 96, Registers: 98304, SharedOptions: []int{147456}}
)

// drawSMs draws SMs that are equal, or of two or three kinds in any order.
func drawSMs(t *rapid.T) (list []dispatcher.SM) {
	n := rapid.IntRange(1, 8).Draw(t, "SMs")
	if rapid.Bool().Draw(t, "equal") {
		return alike(n, rapid.SampledFrom([]occupancy.Capacity{maxwell, kepler}).Draw(t, "SM"))
	}
	for range n {
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		list = append(list, dispatcher.SM{Capacity: [...]occupancy.Capacity{maxwell, small, large}[kind], Kind: kind, Schedulers: 4, IssueWidth: 2, Takes: takes})
	}
	return list
}

func drawScenario(t *rapid.T, tenants int) scenario {
	s := scenario{sms: drawSMs(t),
		delays: rapid.SliceOfN(rapid.IntRange(0, 100), 0, 5).Draw(t, "delays"),
		apart:  rapid.Bool().Draw(t, "apart"),
	}
	now := 0
	for i := range tenants {
		s.tenants = append(s.tenants, application{arrival: now, name: fmt.Sprintf("app%d", i),
			priority: rapid.IntRange(0, 2).Draw(t, "priority"),
			wipc:     float64(rapid.IntRange(0, 3).Draw(t, "WIPC")) / 3,
			isolated: rapid.SampledFrom([]float64{0, 1, 100}).Draw(t, "IPC alone"),
			goal:     rapid.SampledFrom([]float64{0, 0, 0.001, 1, 30, 1000}).Draw(t, "goal"),
			kernels:  rapid.SliceOfN(rapid.Custom(s.drawKernel), 1, 4).Draw(t, "kernels"),
		})
		if rapid.Bool().Draw(t, "several streams") {
			for k := range s.tenants[i].kernels {
				s.tenants[i].kernels[k].stream = rapid.IntRange(0, 2).Draw(t, "stream")
				s.tenants[i].kernels[k].priority = rapid.SampledFrom([]int{0, 0, -1, -5}).Draw(t, "priority of the stream")
			}
		}
		s.arrival = append(s.arrival, i)
		now += rapid.SampledFrom([]int{0, 0, 1, 300, 3000}).Draw(t, "later")
	}
	return s
}

// drawKernel draws a kernel with thread blocks that fit on some SM.
func (s *scenario) drawKernel(t *rapid.T) kernel {
	on := rapid.SampledFrom(s.sms).Draw(t, "fits on").Capacity
	threads := rapid.IntRange(1, on.Threads/2).Draw(t, "threads")
	// Large thread blocks are as likely as small ones.
	part := rapid.SampledFrom([]int{1, 2, 4, 16, 64}).Draw(t, "part")
	return kernel{
		demand: occupancy.Demand{TBs: 1, Threads: threads, Warps: (threads + 31) / 32,
			Registers:   rapid.IntRange(0, on.Registers/part).Draw(t, "registers"),
			SharedBytes: rapid.IntRange(0, slices.Max(on.SharedOptions)/part).Draw(t, "shared")},
		tbs:        rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(20, 200)).Draw(t, "TBs"),
		durations:  rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 5).Draw(t, "durations"),
		pause:      rapid.SampledFrom([]int{0, 0, 5, 500, 5000}).Draw(t, "pause"),
		idempotent: rapid.Bool().Draw(t, "idempotent"),
		Kernel: stub.Kernel{
			Rate: rapid.Uint64Range(0, 500).Draw(t, "ipc"),
			Idle: rapid.Uint64Range(0, uint64(threads+31)/32).Draw(t, "idle warps"),
			Traffic: stub.Traffic{Requests: rapid.SampledFrom([]uint64{0, 1, 10, 100}).Draw(t, "requests"),
				Reads: rapid.SampledFrom([]uint64{0, 50, 100}).Draw(t, "reads"), DRAM: rapid.SampledFrom([]uint64{0, 20, 200}).Draw(t, "accesses")},
		},
	}
}

// mixed reports whether a scenario has SMs of several kinds.
func (s *scenario) mixed() bool {
	return slices.ContainsFunc(s.sms, func(sm dispatcher.SM) bool { return sm.Kind != s.sms[0].Kind })
}

// tried runs a scenario to its end. It is skipped if the policy says that it
// does not go with the GPU, such as with several kinds of SMs.
func tried(t tb, s scenario, p policy.Policy) *trial {
	run, err := begin(s, p, nil)
	if p.Needs().Check != nil && err != nil {
		t.Skip(err)
	}
	require.NoError(t, err)
	run.run()
	require.NoError(t, run.fault)
	return run
}

// tb is a *testing.T or a *rapid.T.
type tb interface {
	require.TestingT
	Skip(args ...any)
}

// capped is a policy with the user's numbers of thread blocks, of SMs or of requests: a tenant
// may leave room empty that no other tenant wants, or have a rate.
type capped struct{ policy.Policy }

// Check checks that a registered policy keeps the contract, by itself and with each
// of some lists of further options, written as after the policy's name. An option
// that none of them has fails the test.
func Check(t *testing.T, name string, variants ...string) {
	c := suite{name: name, specs: []string{name}}
	for _, options := range variants {
		c.specs = append(c.specs, name+":"+options)
	}
	t.Run("EveryOptionIsTested", c.everyOptionIsTested)
	t.Run("NothingIsAllocatedWhenAThreadBlockFinishes", c.nothingIsAllocated)
	draws.Few(t, 25)
	t.Run("EveryThreadBlockRunsOnceWithinResources", c.everyThreadBlockRunsOnce)
	t.Run("OneTenantRunsAsIfAlone", c.oneTenantRunsAsIfAlone)
	t.Run("RenumberingTenantsRenumbersTheResult", c.renumberingRenumbers)
	t.Run("BlockSwitchingLosesNothing", c.blockSwitchingLosesNothing)
	t.Run("SwitchingWithoutFaultsChangesNothing", c.switchingWithoutFaultsChangesNothing)
}

// suite is the contract of one policy.
type suite struct {
	name  string
	specs []string // by itself, and with further options
}

// each checks a policy by itself and with each list of further options.
func (c *suite) each(t *testing.T, check func(t *rapid.T, fresh func() policy.Policy)) {
	for _, spec := range c.specs {
		t.Run(spec, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { check(t, func() policy.Policy { return parsed(t, spec) }) })
		})
	}
}

// anyVariant is each, but with the options drawn.
func (c *suite) anyVariant(t *testing.T, check func(t *rapid.T, fresh func() policy.Policy)) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(c.specs).Draw(t, "policy")
		check(t, func() policy.Policy { return parsed(t, spec) })
	})
}

// parsed is a fresh policy.
func parsed(t *rapid.T, spec string) policy.Policy {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	if strings.Contains(spec, "tbs=") || strings.Contains(spec, "sms=") || strings.Contains(spec, "rates=") || strings.Contains(spec, "percent=") {
		return capped{p}
	}
	return p
}

// descriptor is the policy's.
func (c *suite) descriptor(t *testing.T) policy.Descriptor {
	all := policy.All()
	i := slices.IndexFunc(all, func(d policy.Descriptor) bool { return d.Name == c.name })
	require.GreaterOrEqual(t, i, 0, "policy %s is not registered", c.name)
	return all[i]
}

func (c *suite) everyOptionIsTested(t *testing.T) {
	for _, o := range c.descriptor(t).Options {
		require.True(t, slices.ContainsFunc(c.specs, func(spec string) bool {
			return strings.Contains(spec, ":"+o.Name+"=") || strings.Contains(spec, ","+o.Name+"=")
		}), "%s:%s", c.name, o.Name)
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

// requireEach asserts that a list has each thread block of a scenario once.
func requireEach(t require.TestingT, s *scenario, list []placement) {
	times := map[placement]int{}
	for _, p := range list {
		times[placement{tenant: p.tenant, kernel: p.kernel, id: p.id}]++
	}
	for _, p := range s.all() {
		if times[p] != 1 {
			require.Equal(t, 1, times[p], "%+v", p)
		}
		delete(times, p)
	}
	require.Empty(t, times)
}

func (c *suite) everyThreadBlockRunsOnce(t *testing.T) {
	c.each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, rapid.IntRange(1, 4).Draw(t, "tenants"))
		run := tried(t, s, fresh())
		requireEach(t, &s, run.log)
		requireEach(t, &s, run.finishes)
		kernels, slots := 0, 0
		for _, app := range s.tenants {
			kernels += len(app.kernels)
		}
		for _, sm := range s.sms {
			slots += sm.Capacity.TBs
		}
		// One thread block may switch several smaller ones out, each time.
		require.LessOrEqual(t, run.total.preemptions, 6*len(run.finishes)+kernels*slots,
			"%d thread blocks of %d kernels should not be preempted so often", len(run.finishes), kernels)
	})
}

// requireSame asserts that two runs were the same, or names the first difference.
func requireSame(t require.TestingT, want, got *trial) {
	for _, lists := range [][2][]placement{{want.log, got.log}, {want.finishes, got.finishes}} {
		require.Len(t, lists[1], len(lists[0]))
		for i := range lists[0] {
			if lists[0][i] != lists[1][i] {
				require.Equal(t, lists[0][i], lists[1][i], "number %d", i)
			}
		}
	}
}

// like is a policy with the Concurrent and the Epoch of another: it sees as many kernels of a
// tenant, and SMs are sampled alike, since samples take turns with thread blocks on the way to
// SMs.
type like struct {
	policy.Policy
	other policy.Policy
}

func (l like) Needs() policy.Needs {
	n, other := l.Policy.Needs(), l.other.Needs()
	n.Concurrent, n.Epoch = other.Concurrent, other.Epoch
	return n
}

func (c *suite) oneTenantRunsAsIfAlone(t *testing.T) {
	c.each(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, 1)
		alone, err := policy.Parse("fcfs")
		require.NoError(t, err)
		p := fresh()
		alone = like{alone, p}
		got := tried(t, s, p)
		require.Zero(t, got.total)
		if _, ok := p.(capped); !ok && !s.mixed() {
			requireSame(t, tried(t, s, alone), got)
		}
	})
}

func (c *suite) renumberingRenumbers(t *testing.T) {
	c.each(t, func(t *rapid.T, fresh func() policy.Policy) {
		n := rapid.IntRange(2, 4).Draw(t, "tenants")
		s := drawScenario(t, n)
		want := tried(t, s, fresh())
		number := rapid.Permutation(s.arrival).Draw(t, "renumbered")
		renumbered := s
		renumbered.tenants, renumbered.arrival = make([]application, n), slices.Clone(number)
		for tenant, app := range s.tenants {
			renumbered.tenants[number[tenant]] = app
		}
		got := tried(t, renumbered, fresh())
		for _, list := range [][]placement{want.log, want.finishes} {
			for i := range list {
				list[i].tenant = number[list[i].tenant]
			}
		}
		requireSame(t, want, got)
		require.Equal(t, want.total, got.total)
	})
}
