package programs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/protocol"
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
	for _, path := range compiled(t, "reduction.cu", "streams.cu", "sgemm.cu", "textures.cu", "driver.c", "pointers.cu", "recursion.cu") {
		for _, gpu := range []string{"gtx980?sms=4", "k20c?sms=4"} {
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

// The thread blocks of a cluster run at once, and copies and barriers take their time.
func TestProgramsOfTodayRunOnGPUsOfToday(t *testing.T) {
	for file, launches := range map[string]uint64{"hopper.cu": 7, "recent.cu": 12} {
		w := platform(t, "h100", "fcfs", host.Process{App: open(t, compiledFor(t, "sm_90", file))})
		require.NoError(t, w.Run(t.Context(), 0, nil), file)
		require.Equal(t, launches, w.Host.Stats(0).Processes[0].Launches, file)
	}
	w := platform(t, "a100?sms=8&gpcs=[]", "fcfs", host.Process{App: open(t, compiledFor(t, "sm_80", "recent.cu"), "timed")})
	require.NoError(t, w.Run(t.Context(), 0, nil), "a wait is as long as its copies take")
}

// A kernel that waits for another command of its graph has a latency of its own.
func TestKernelsOfAGraphFollowSooner(t *testing.T) {
	path := compiled(t, "graphs.cu")[0]
	cycles := func(inGraph string) uint64 {
		w := platform(t, "k20c?sms=4&host.launch_latency=3000&host.graph_launch_latency="+inGraph, "fcfs", host.Process{App: open(t, path)})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		return w.Cycles(0)
	}
	all := cycles("0") // as launches without a graph
	require.Equal(t, all, cycles("3000"))
	// Each launch of the first graph, of three, has a chain of two kernels, the second of which waits for the first.
	require.Less(t, cycles("1000")+3*2000, all)
}

// A warp of textures.cu reads 128 bytes of an array, half of 8 sectors where arrays are block-linear, and twice 128 bytes
// of linear memory. Where texels lie in rows, a fetch touches 16 bytes from its texel on, and so a fifth sector.
func TestArraysLieAsTheGPUHasThem(t *testing.T) {
	path := compiled(t, "textures.cu")[0]
	sectors := func(layout workload.TextureLayout) uint64 {
		app, err := programs.App(programs.Spec{Program: path, Device: programs.Emulator}, workload.Target{TextureLayout: layout}, rules)
		require.NoError(t, err)
		w := platform(t, "plain16", "fcfs", host.Process{App: app})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		return w.Counters(w.Cycles(0)).SM.Total().L1.Sectors
	}
	assert.EqualValues(t, 8*(5+5+5), sectors(workload.Rows))
	assert.EqualValues(t, 8*(8+4+4), sectors(workload.BlockLinear))
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

// With Sticky a program meets its kernel's fault on a GPU as it does on a real one, and on an emulated one:
// also when other warps wait at a barrier for the failed one.
func TestProgramsMeetTheFaultsOfTheirKernels(t *testing.T) {
	for _, path := range compiled(t, "outside.cu", "asserts.cu") {
		stdout, told, _, err := emulate(t, programs.Spec{Program: path})
		require.NoError(t, err)
		require.Equal(t, "PASSED\n", stdout)
		for _, gpu := range []string{"gtx980", "k20c"} {
			errors, err := os.CreateTemp(t.TempDir(), "errors")
			require.NoError(t, err)
			app, err := programs.App(programs.Spec{Program: path, Device: programs.Emulator, Sticky: true, Stderr: errors}, workload.Target{}, rules)
			require.NoError(t, err)
			w := platform(t, gpu, "fcfs", host.Process{App: app})
			require.NoError(t, w.Run(t.Context(), 0, nil), "%s %s", gpu, path)
			text, err := os.ReadFile(errors.Name())
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), "\n"), "%s", text)
			require.Equal(t, told, string(text))
		}
	}
}

func TestTheApplicationIsCalledAsItsKernel(t *testing.T) {
	paths := compiled(t, "vectoradd.cu", "reduction.cu")
	assert.Equal(t, "add", open(t, paths[0]).Title())
	assert.Equal(t, "reduction", open(t, paths[1]).Title())
	assert.Equal(t, "tree scale", strings.Join(open(t, paths[1]).KernelNames, " "))
}

// The host's time for a call is that of the preset, for a program as for its recording.
func TestCallsTakeTheTimeOfThePreset(t *testing.T) {
	path := compiled(t, "launches.cu")[0]
	device := programs.Emulator
	device.CallTime = 10 * time.Microsecond
	program, err := programs.App(programs.Spec{Program: path, Args: []string{"10"}, Device: device}, workload.Target{}, rules)
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "calls")
	c, err := programs.Capture(t.Context(), programs.Spec{Program: path, Args: []string{"10"}, Device: programs.Emulator}, folder, &bytes.Buffer{})
	require.NoError(t, err)
	recording, err := programs.CaptureApp(programs.Spec{Program: folder, Device: device}, workload.Target{}, rules)
	require.NoError(t, err)
	const hz = 706_000_000 // k20c
	for _, app := range []*workload.App{program, recording} {
		w := platform(t, "k20c", "fcfs", host.Process{App: app})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		require.InDelta(t, float64(c.Calls)*10e-6*hz, w.Host.Stats(w.Cycles(0)).Processes[0].CPUCycles, float64(c.Calls), "rounded up in each phase")
	}
}

// What a program computes on the CPU takes simulated time if the preset has it measured.
func TestMeasuredTimeOfTheHostCounts(t *testing.T) {
	path := compiled(t, "launches.cu")[0]
	device := programs.Emulator
	device.CPUFactor = 1000
	app, err := programs.App(programs.Spec{Program: path, Args: []string{"10"}, Device: device}, workload.Target{}, rules)
	require.NoError(t, err)
	w := platform(t, "k20c", "fcfs", host.Process{App: app})
	require.NoError(t, w.Run(t.Context(), 0, nil))
	require.Greater(t, w.Host.Stats(w.Cycles(0)).Processes[0].CPUCycles, uint64(1_000_000), "at least 2 us of the real CPU")
}

// A copy of pinned memory overlaps with a kernel of another stream; the program waits for one of pageable
// memory, and so does its next kernel.
func TestPinnedCopiesOverlapAndPageableOnesWait(t *testing.T) {
	path := compiled(t, "overlap.cu")[0]
	cycles, copies, kernels := map[string]uint64{}, uint64(0), uint64(0)
	for _, kind := range []string{"pinned", "pageable"} {
		w := platform(t, "k20c", "fcfs", host.Process{App: open(t, path, kind)})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		s := w.Host.Stats(0).Processes[0]
		require.Equal(t, []uint64{4, 4 << 20}, []uint64{s.Copies, s.BytesToDevice}, kind)
		cycles[kind], copies, kernels = w.Cycles(0), s.CopyCycles, s.KernelCycles
	}
	assert.GreaterOrEqual(t, cycles["pageable"], copies+kernels)
	assert.Less(t, cycles["pinned"], max(copies, kernels)+min(copies, kernels)/2)
}

// The kernel of a stream of higher priority passes the one that was launched before it, if the GPU has no room
// for both. A priority outside the range is the nearest in it.
func TestStreamsOfHigherPriorityGoFirst(t *testing.T) {
	path := compiled(t, "priorities.cu")[0]
	for priority, want := range map[string]string{"0": "first\n", "3": "first\n", "-1": "second\n", "-9": "second\n"} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		app, err := programs.App(programs.Spec{Program: path, Args: []string{priority}, Device: programs.Emulator, Stdout: out}, workload.Target{}, rules)
		require.NoError(t, err)
		w := platform(t, "gtx980?sms=4", "fcfs", host.Process{App: app})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		text, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.Equal(t, want, string(text), "priority %s", priority)
		require.NoError(t, out.Close())
	}
}

// An allocation beyond the limit of a client fails as on a full device. The first one of all runs is told.
func TestAllocationsBeyondTheMemoryLimitFail(t *testing.T) {
	path := compiled(t, "limited.cu")[0]
	app, err := programs.App(programs.Spec{Program: path, Device: programs.Emulator, MemoryLimit: 1 << 20, Tenant: 2}, workload.Target{}, rules)
	require.NoError(t, err)
	var told []string
	app.Tell = func(text string) { told = append(told, text) }
	w := platform(t, "gtx980", "mps", host.Process{App: app, Restart: true})
	require.NoError(t, w.Run(t.Context(), 20_000, nil))
	require.GreaterOrEqual(t, w.Host.Stats(0).Processes[0].Completions, uint64(2))
	require.Equal(t, []string{"tenant 2, limited: an allocation of 524289 bytes of device memory fails: it has 524288 bytes, and its memory_limit is 1048576 bytes"}, told)

	w = platform(t, "gtx980", "mps", host.Process{App: open(t, path)})
	require.ErrorContains(t, w.Run(t.Context(), 0, nil), "limited.cu:10: ", "without the limit its check fails")
}

// The L2 keeps the lines that a program has it keep: of a stream's window, of a launch's own, of a captured launch's.
func TestTheL2KeepsWhatAProgramSays(t *testing.T) {
	path := compiledFor(t, "sm_80", "persisting.cu")
	const gpu = "a100?sms=8&gpcs=[]&l2.sets=4"
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	device := programs.Emulator
	device.L2Bytes = config.L2.Sets * config.L2.Ways * protocol.LineBytes * config.Address.Slices
	device.Major, device.PersistingBytes = 8, device.L2Bytes/4*3
	app, err := programs.App(programs.Spec{Program: path, Device: device}, workload.Target{}, rules)
	require.NoError(t, err)
	w := platform(t, gpu, "fcfs", host.Process{App: app})
	require.NoError(t, w.Run(t.Context(), 0, nil))
}
