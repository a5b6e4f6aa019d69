package emulated

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/platform/build"
	"cotenant/platform/presets"
	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// watched is an application whose last instance a test can look into.
func watched(t *testing.T, m *kernels.Manifest) (*workload.App, func() *kernels.Instance) {
	app, err := App(m, "tiny", "", sass.Options{})
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

// functional runs an application without timing.
func functional(t *testing.T, m *kernels.Manifest) *kernels.Instance {
	instance, err := m.New("tiny", "", ptx.NewMemory())
	require.NoError(t, err)
	for {
		l, ok, err := instance.Next()
		require.NoError(t, err)
		if !ok {
			return instance
		}
		require.NoError(t, ptx.Run(l.Program, &l.Config))
	}
}

// unordered are arrays whose contents come in any order: bfs's queues.
var unordered = map[string]bool{"frontier": true, "next": true}

// The timing model issues warps in another order than a plain run of the
// emulator, and with two tenants in yet another: the results must not change.
// (The references that verify the plain runs are in workload/kernels.)
func TestApplicationsComputeTheSameUnderTheTimingModel(t *testing.T) {
	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	for _, pair := range [][2]string{{"sgemm", "stencil"}, {"spmv", "histo"}, {"lbm", "mri-q"}, {"bfs", "sad"}, {"tpacf", "cutcp"}} {
		t.Run(pair[0]+"+"+pair[1], func(t *testing.T) {
			t.Parallel()
			var tenants []dispatcher.Tenant
			var manifests []*kernels.Manifest
			var instances []func() *kernels.Instance
			for _, name := range pair {
				m, err := kernels.Builtin(name)
				require.NoError(t, err)
				app, instance := watched(t, m)
				tenants = append(tenants, dispatcher.Tenant{App: app})
				manifests, instances = append(manifests, m), append(instances, instance)
			}
			p, err := policy.Parse("even")
			require.NoError(t, err)
			wired, err := build.New(*gpu, p, tenants)
			require.NoError(t, err)
			require.NoError(t, wired.Run(context.Background(), 0, nil))
			for i, m := range manifests {
				plain := functional(t, m)
				compared := 0
				for _, a := range m.Arrays {
					if plain.Array(a.Name) == nil || unordered[a.Name] {
						continue // or a generator that fills several arrays under names of their own
					}
					compared++
					require.Equal(t, plain.Array(a.Name).Bytes, instances[i]().Array(a.Name).Bytes, "%s: array %s", m.Name, a.Name)
				}
				require.Positive(t, compared)
			}
		})
	}
}
