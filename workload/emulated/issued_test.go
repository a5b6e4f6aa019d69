package emulated

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	system "cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// The timing model issues what a run without timing executes.
func TestTheTimingModelIssuesWhatIsExecuted(t *testing.T) {
	for _, list := range []string{"+all", "-all", "-branches", "-wide,-params"} {
		rules, err := sass.ParseOptions(list, sass.Options{})
		require.NoError(t, err)
		m, err := kernels.Builtin("stencil")
		require.NoError(t, err)
		app, err := App(m, "tiny", "", workload.Target{}, rules)
		require.NoError(t, err)
		want := uint64(0)
		execute(t, app, functional.Observer{Executed: func(_, _ int, _ *workload.Inst) { want++ }})
		gpu, err := presets.Load("gtx980")
		require.NoError(t, err)
		p, err := policy.Parse("fcfs")
		require.NoError(t, err)
		wired, err := wiring.New(*gpu, p, []system.Process{{App: app}})
		require.NoError(t, err)
		require.NoError(t, wired.Run(context.Background(), 0, nil))
		issued := uint64(0)
		for _, s := range wired.SMs {
			issued += s.Issued()
		}
		require.NotZero(t, issued)
		require.Equal(t, want, issued, list)
	}
}
