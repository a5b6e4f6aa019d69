package emulated

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	system "cotenant/host"
	"cotenant/platform/build"
	"cotenant/platform/presets"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// The timing model issues what Count counts. (sgemm has free instructions
// behind its barriers, stencil has no barrier.)
func TestCountIsWhatTheTimingModelIssues(t *testing.T) {
	for _, list := range []string{"+all", "-all", "-branches", "-wide,-params"} {
		rules, err := sass.ParseOptions(list)
		require.NoError(t, err)
		m, err := kernels.Builtin("stencil")
		require.NoError(t, err)
		want, err := Count(m, "tiny", "", rules)
		require.NoError(t, err)
		app, err := App(m, "tiny", "", rules)
		require.NoError(t, err)
		gpu, err := presets.Load("gtx980")
		require.NoError(t, err)
		p, err := policy.Parse("fcfs")
		require.NoError(t, err)
		wired, err := build.New(*gpu, p, []system.Process{{App: app}})
		require.NoError(t, err)
		require.NoError(t, wired.Run(context.Background(), 0, nil))
		issued := uint64(0)
		for _, s := range wired.SMs {
			issued += s.Issued()
		}
		require.Equal(t, want[0], issued, list)
	}
}
