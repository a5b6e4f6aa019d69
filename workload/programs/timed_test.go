package programs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/ptx/sass"
)

var rules sass.Options

// open makes an application of a program.
func open(t *testing.T, path string, args ...string) *workload.App {
	t.Helper()
	app, err := programs.App(programs.Spec{Program: path, Args: args, Device: programs.Emulator}, workload.Target{}, rules)
	require.NoError(t, err)
	return app
}

// platform is a GPU with applications on it.
func platform(t *testing.T, gpu, sharing string, processes ...host.Process) *wiring.Platform {
	t.Helper()
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	p, err := policy.Parse(sharing)
	require.NoError(t, err)
	w, err := wiring.New(*config, p, processes)
	require.NoError(t, err)
	return w
}

// On a GPU with and without a host that takes time, programs pass their checks: commands keep the order of
// their streams, and copies happen when their turn has come.
func TestProgramsPassTheirChecksOnGPUs(t *testing.T) {
	for _, path := range compiled(t, "reduction.cu", "streams.cu", "sgemm.cu", "textures.cu", "driver.c") {
		for _, gpu := range []string{"gtx980", "k20c"} {
			cycles := map[uint64]bool{}
			for range 2 {
				w := platform(t, gpu, "fcfs", host.Process{App: open(t, path)})
				require.NoError(t, w.Run(t.Context(), 0, nil), "%s %s", gpu, path)
				require.NotZero(t, w.Host.Stats(0).Processes[0].Launches)
				cycles[w.Cycles(0)] = true
			}
			assert.Len(t, cycles, 1, "%s on %s takes the same cycles each time", path, gpu)
		}
	}
}

func TestCopiesTakeTheBus(t *testing.T) {
	path := compiled(t, "vectoradd.cu")[0]
	w := platform(t, "k20c", "fcfs", host.Process{App: open(t, path, "1000")})
	require.NoError(t, w.Run(t.Context(), 0, nil))
	s := w.Host.Stats(0).Processes[0]
	assert.Equal(t, uint64(3), s.Copies)
	assert.Equal(t, uint64(8000), s.BytesToDevice)
	assert.Equal(t, uint64(4000), s.BytesToHost)
	assert.NotZero(t, s.CopyCycles)
}

// A program that ends before the window does starts again, and none is left when the window ends.
func TestProgramsStartAgainInAWindow(t *testing.T) {
	paths := compiled(t, "vectoradd.cu", "reduction.cu")
	for _, sharing := range []string{"even", "smk", "spart"} {
		w := platform(t, "gtx980", sharing, host.Process{App: open(t, paths[0], "5000"), Restart: true},
			host.Process{App: open(t, paths[1]), Restart: true})
		require.NoError(t, w.Run(t.Context(), 30_000, nil), sharing)
		for i := range paths {
			assert.GreaterOrEqual(t, w.Host.Stats(0).Processes[i].Completions, uint64(2), "%s: %d", sharing, i)
			requireNone(t, paths[i])
		}
	}
}

func TestAKernelThatFailsEndsTheRun(t *testing.T) {
	path := compiled(t, "outside.cu")[0]
	w := platform(t, "gtx980", "fcfs", host.Process{App: open(t, path)})
	require.ErrorContains(t, w.Run(t.Context(), 0, nil), "outside.cu.ptx:")
	requireNone(t, path)
}

func TestTheApplicationIsCalledAsItsKernel(t *testing.T) {
	paths := compiled(t, "vectoradd.cu", "reduction.cu")
	assert.Equal(t, "add", open(t, paths[0]).Title())
	assert.Equal(t, "reduction", open(t, paths[1]).Title())
	assert.Equal(t, "tree scale", strings.Join(open(t, paths[1]).KernelNames, " "))
}
