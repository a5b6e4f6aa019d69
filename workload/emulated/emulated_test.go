package emulated

import (
	"context"
	"math/rand/v2"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	system "cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// watched is an application that lets a test look into its last instance.
func watched(t *testing.T, m *kernels.Manifest, rules sass.Options) (*workload.App, func() *kernels.Instance) {
	app, err := App(m, "tiny", "", workload.Target{}, rules)
	require.NoError(t, err)
	var last *host
	start := app.Host
	app.Host = func() (workload.Host, error) {
		h, err := start()
		last, _ = h.(*host)
		return h, err
	}
	return app, func() *kernels.Instance { return last.instance }
}

// plain runs an application without timing, one thread block after the other.
func plain(t *testing.T, m *kernels.Manifest, rules sass.Options) *kernels.Instance {
	app, instance := watched(t, m, rules)
	execute(t, app, functional.Observer{})
	return instance()
}

// unordered are arrays with contents in any order: bfs's queues.
var unordered = map[string]bool{"frontier": true, "next": true}

// The timing model issues warps in another order than a plain run of the
// emulator, and with two tenants in yet another: the results must not change.
// (The references that verify the plain runs are in workload/kernels.)
func TestApplicationsComputeTheSameUnderTheTimingModel(t *testing.T) {
	for _, pair := range [][2]string{{"sgemm", "stencil"}, {"spmv", "histo"}, {"lbm", "mri-q"}, {"bfs", "sad"}, {"tpacf", "cutcp"}} {
		t.Run(pair[0]+"+"+pair[1], func(t *testing.T) {
			t.Parallel()
			p, err := policy.Parse("even")
			require.NoError(t, err)
			computeTheSame(t, pair, p)
		})
	}
}

// restless is fcfs that takes thread blocks off SMs at every turn, a bounded
// number of times.
type restless struct {
	random    *rand.Rand
	left      int
	mechanism policy.Mechanism
}

func (r *restless) Needs() policy.Needs { return policy.Needs{Epoch: 700} }

func (r *restless) Decide(v *policy.View, a policy.Actions) {
	if v.Event == policy.Epoch && r.left > 0 {
		r.left--
		for sm := range v.SMs {
			tenant := r.random.IntN(len(v.Tenants))
			m := r.mechanism
			if m == policy.Flush && !v.Tenants[tenant].Idempotent {
				m = policy.Switch
			}
			switch n := v.SMs[sm].Staying(tenant); {
			case r.random.IntN(4) == 0 && v.SMs[sm].Usage.TBs > 0 && !v.SMs[sm].Reserved:
				policy.EmptySM(v, a, sm, r.mechanism)
			case n > 0 && r.mechanism == policy.Switch && r.random.IntN(3) == 0:
				a.Relocate(tenant, sm, n, policy.Switch)
			case n > 0:
				a.Preempt(tenant, sm, 1+r.random.IntN(n), m)
			}
		}
	}
	for _, tenant := range v.Active {
		policy.Breadth(v, a, tenant, func(int) bool { return true })
	}
}

// Thread blocks that are switched out and come back elsewhere compute the same.
func TestPreemptedApplicationsComputeTheSame(t *testing.T) {
	for _, pair := range [][2]string{{"sgemm", "histo"}, {"tpacf", "bfs"}, {"cutcp", "sad"}} {
		t.Run(pair[0]+"+"+pair[1], func(t *testing.T) {
			t.Parallel()
			stats := computeTheSame(t, pair, &restless{rand.New(rand.NewPCG(1, 2)), 20, policy.Switch})
			require.Greater(t, stats.Tenants[0].Preemptions+stats.Tenants[1].Preemptions, uint64(10))
			for _, tenant := range stats.Tenants {
				require.Equal(t, tenant.ContextBytes, tenant.RestoredBytes)
			}
		})
	}
}

// computeTheSame runs two applications together and compares what they leave in
// memory with what plain runs of the emulator leave.
func computeTheSame(t *testing.T, pair [2]string, p policy.Policy) *dispatcher.Stats {
	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	var tenants []system.Process
	var manifests []*kernels.Manifest
	var instances []func() *kernels.Instance
	for _, name := range pair {
		m, err := kernels.Builtin(name)
		require.NoError(t, err)
		app, instance := watched(t, m, sass.Options{})
		tenants = append(tenants, system.Process{App: app})
		manifests, instances = append(manifests, m), append(instances, instance)
	}
	wired, err := wiring.New(*gpu, p, tenants)
	require.NoError(t, err)
	require.NoError(t, wired.Run(context.Background(), 0, nil))
	for i, m := range manifests {
		requireSame(t, m, plain(t, m, sass.Options{}), instances[i]())
	}
	return wired.Driver.Stats()
}

// requireSame compares what two runs of an application leave in memory.
func requireSame(t *testing.T, m *kernels.Manifest, want, got *kernels.Instance) {
	compared := 0
	for _, a := range m.Arrays {
		if want.Array(a.Name) == nil || unordered[a.Name] {
			continue // or a generator that fills several arrays under names of their own
		}
		compared++
		require.Equal(t, want.Array(a.Name).Bytes, got.Array(a.Name).Bytes, "%s: array %s", m.Name, a.Name)
	}
	require.Positive(t, compared)
}

// Scheduled code, with loads merged, computes to the bit what the code as it is
// computes, which workload/kernels verifies.
func TestOptimizationChangesNoResult(t *testing.T) {
	off, err := sass.ParseOptions("-merge,-order", sass.Options{})
	require.NoError(t, err)
	for _, name := range kernels.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := kernels.Builtin(name)
			require.NoError(t, err)
			requireSame(t, m, plain(t, m, off), plain(t, m, sass.Options{}))
		})
	}
}
