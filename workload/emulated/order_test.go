package emulated

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	processes "cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// Which of the built-in applications depend on the order of execution: they count
// places by the results of atomics, as the allocator does, or try again when
// another warp was first.
func TestOrderDependentApplicationsAreRecognised(t *testing.T) {
	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	dependent := map[string]bool{"bfs": true, "histo": true, "add-strings": true, "grid-points": true, "random-graph": true}
	for _, name := range kernels.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := kernels.Builtin(name)
			require.NoError(t, err)
			app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
			require.NoError(t, err)
			var last *host
			start := app.Host
			app.Host = func() (workload.Host, error) {
				h, err := start()
				last = h.(*host)
				last.Watch()
				return h, err
			}
			p, err := policy.Parse("fcfs")
			require.NoError(t, err)
			wired, err := wiring.New(*gpu, p, []processes.Process{{App: app}})
			require.NoError(t, err)
			require.NoError(t, wired.Run(context.Background(), 0, nil))
			t.Log(last.OrderDependence())
			if dependent[name] {
				require.Error(t, last.OrderDependence())
			} else {
				require.NoError(t, last.OrderDependence())
			}
		})
	}
}
