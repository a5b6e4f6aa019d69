package sampling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/all" // fcfs registers itself
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/workload"
	"cotenant/workload/export"
)

// run opens a run of one application.
func run(t *testing.T, gpu, app string) *experiment.Run {
	t.Helper()
	r := &experiment.Run{Spec: experiment.Spec{GPU: gpu, Policy: "fcfs", Apps: []string{app}, Until: "done", Seed: 1}}
	var err error
	r.GPU, err = presets.Load(gpu)
	require.NoError(t, err)
	opened, err := experiment.Open(app, r.Source(r.GPU))
	require.NoError(t, err)
	r.Apps = []experiment.App{opened}
	require.NoError(t, Check(&r.Spec))
	return r
}

// contents keeps a copy of a run's arrays.
func contents(r *experiment.Run) map[string]string {
	arrays := map[string]string{}
	r.Arrays = func(_ int, list []workload.Array) error {
		for _, a := range list {
			arrays[a.Name] = string(a.Data)
		}
		return nil
	}
	return arrays
}

// The loop of rodinia-bfs ends by what its kernels have found, and each step of stencil and
// pathfinder reads the step before. On k20c, copies take time.
func TestSampledRunEndsWithTheRightArraysAndAboutTheRightCycles(t *testing.T) {
	for _, c := range []struct{ gpu, app string }{
		{"plain16", "stencil?size=tiny&set=steps:40"},
		{"plain16", "pathfinder?size=tiny&set=grids:30"},
		{"plain16", "rodinia-bfs?size=tiny&set=width:60,height:60"},
		{"plain16", "fdtd2d?size=tiny&set=steps:30"},
		{"k20c", "spmv?size=tiny&set=products:40"},
		{"k20c", "streamcluster?size=tiny&set=candidates:40"},
	} {
		full, sampled := run(t, c.gpu, c.app), run(t, c.gpu, c.app)
		want, got := contents(full), contents(sampled)
		whole, err := full.Do(t.Context())
		require.NoError(t, err, c.app)
		s := Default
		s.Most = 0.8
		r, err := Do(t.Context(), sampled, s)
		require.NoError(t, err, c.app)
		require.NotEmpty(t, want, c.app)
		require.Equal(t, want, got, c.app)

		require.Equal(t, whole.ConfigHash, r.ConfigHash, c.app)
		require.Len(t, r.Launches, len(whole.Kernels[0].Launches), c.app)
		require.Equal(t, whole.WarpInstructions, r.WarpInstructions, c.app)
		require.Equal(t, whole.ThreadInstructions, r.ThreadInstructions, c.app)
		simulated := uint64(0)
		for i, l := range r.Launches {
			require.Equal(t, whole.Kernels[0].Launches[i].WarpInstructions, l.WarpInstructions, c.app)
			if l.Role != Estimated {
				simulated++
				require.Positive(t, l.SimulatedCycles, c.app)
			}
		}
		require.Equal(t, simulated, uint64(r.SimulatedLaunches), c.app)
		require.Less(t, r.SimulatedLaunches, len(r.Launches), c.app)
		require.Less(t, r.SimulatedCycles, r.Cycles, c.app)
		difference := math.Abs(float64(r.Cycles)/float64(whole.Cycles) - 1)
		require.Less(t, difference, 0.05, c.app)
		require.LessOrEqual(t, difference, r.Bound+0.001, c.app)
		if c.gpu == "k20c" {
			k := &whole.Kernels[0]
			require.InDelta(t, k.Host.CopyCycles, r.OtherCycles, 0.01*float64(k.Host.CopyCycles), "%s: copies are simulated", c.app)
		}
	}
}

// A trace launches kernels without waiting for them, and its launches need no execution.
func TestTraceIsSampled(t *testing.T) {
	folder := t.TempDir()
	_, err := export.Trace(t.Context(), run(t, "plain16", "spmv?size=tiny&set=products:40").Apps[0].Workload, folder, export.Options{})
	require.NoError(t, err)
	whole, err := run(t, "k20c", "traceg:"+folder).Do(t.Context())
	require.NoError(t, err)
	r, err := Do(t.Context(), run(t, "k20c", "traceg:"+folder), Default)
	require.NoError(t, err)
	require.Len(t, r.Launches, 40)
	require.InDelta(t, whole.Cycles, r.Cycles, 0.01*float64(whole.Cycles))
}

func TestCheckRefusesWhatSamplingDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		change func(*experiment.Spec)
		valid  string
	}{
		{func(s *experiment.Spec) { s.Apps = append(s.Apps, "lbm") }, "one --app"},
		{func(s *experiment.Spec) { s.Apps[0] = "spmv?qos_time=1ms" }, "spmv?qos_time=1ms without ?qos and ?qos_time"},
		{func(s *experiment.Spec) { s.Cycles = 1000 }, "without --cycles"},
		{func(s *experiment.Spec) { s.Until = "replays=2" }, "--until done"},
		{func(s *experiment.Spec) { s.Policy = "even" }, "--policy fcfs"},
		{func(s *experiment.Spec) { s.Pages = "demand" }, "--pages resident"},
		{func(s *experiment.Spec) { s.IsolatedGPU = "k20c" }, "without --isolated and --isolated-gpu"},
		{func(s *experiment.Spec) { s.Isolated = []experiment.Isolated{{IPC: 1}} }, "without --isolated and --isolated-gpu"},
	} {
		s := experiment.Spec{GPU: "plain16", Policy: "fcfs", Apps: []string{"spmv"}}
		require.NoError(t, Check(&s))
		c.change(&s)
		require.ErrorContains(t, Check(&s), "; valid: "+c.valid)
	}
}
