package programs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/kernels"
	"cotenant/workload/programs/cc"
)

// manifest is the host code of testdata/sgemm.cu for matrices of 64 rows, by hand.
const manifest = `name: sgemm
ptx: sgemm.ptx
arrays:
  - {name: a, type: f32, length: 4096}
  - {name: b, type: f32, length: 4096}
  - {name: c, type: f32, length: 4096}
kernels:
  - {name: sgemm, block: [16, 16]}
steps:
  - upload: [a, b]
  - launch: {kernel: sgemm, grid: [4, 4], args: [a, b, c, 64]}
  - download: [c]
`

// A program and a manifest that says what the program does are the same to the GPU: in cycles, and in every
// counter of the launch.
func TestProgramAndManifestAreTheSameToTheGPU(t *testing.T) {
	path := compiled(t, "sgemm.cu")[0]
	folder := t.TempDir()
	var messages bytes.Buffer
	err := cc.Run(t.Context(), []string{"-ptx", "testdata/sgemm.cu", "-o", filepath.Join(folder, "sgemm.ptx")}, &messages, &messages)
	require.NoError(t, err, messages.String())
	file := filepath.Join(folder, "sgemm.yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifest), 0o600))
	m, err := kernels.Load(file)
	require.NoError(t, err)
	for _, gpu := range []string{"gtx980", "k20c"} {
		run := func(app *workload.App) *wiring.Platform {
			w := platform(t, gpu, "fcfs", host.Process{App: app})
			require.NoError(t, w.Run(t.Context(), 0, nil))
			return w
		}
		byHand, err := emulated.App(m, "tiny", "", workload.Target{}, rules)
		require.NoError(t, err)
		want, got := run(byHand), run(open(t, path))
		require.Equal(t, want.Cycles(0), got.Cycles(0), gpu)
		launches := got.Launches(0, got.Cycles(0))
		require.Len(t, launches, 1)
		require.NotZero(t, launches[0].SM.WarpInstructions)
		require.Equal(t, want.Launches(0, want.Cycles(0)), launches, gpu)
		// The program submits its last copy while the kernel runs; the manifest waits before.
		a, b := want.Host.Stats(0).Processes[0], got.Host.Stats(0).Processes[0]
		a.QueueCycles, b.QueueCycles = 0, 0
		require.Equal(t, a, b, gpu)
	}
}
