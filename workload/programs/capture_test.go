package programs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/programs"
)

// captured records a program and returns the folder.
func captured(t *testing.T, path string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "calls")
	c, err := programs.Capture(t.Context(), programs.Spec{Program: path, Device: programs.Emulator}, folder, &bytes.Buffer{})
	require.NoError(t, err)
	require.NotZero(t, c.Calls)
	require.NotZero(t, c.Launches)
	return folder
}

// A capture is to the GPU what its program is: also in what the program writes into pinned and managed memory
// without a call, on which the addresses and branches of kernels depend.
func TestCaptureIsTheSameToTheGPUAsItsProgram(t *testing.T) {
	for _, path := range compiled(t, "streams.cu", "reduction.cu", "textures.cu", "driver.c") {
		folder := captured(t, path)
		for _, gpu := range []string{"gtx980?sms=4", "k20c?sms=4"} {
			run := func(app *workload.App) *wiring.Platform {
				w := platform(t, gpu, "fcfs", host.Process{App: app})
				require.NoError(t, w.Run(t.Context(), 0, nil))
				return w
			}
			app, err := programs.CaptureApp(programs.Spec{Program: folder, Device: programs.Emulator}, workload.Target{}, rules)
			require.NoError(t, err)
			want, got := run(open(t, path)), run(app)
			assert.Equal(t, want.Cycles(0), got.Cycles(0), "%s %s", gpu, path)
			assert.Equal(t, want.Launches(0, want.Cycles(0)), got.Launches(0, got.Cycles(0)), "%s %s", gpu, path)
			assert.Equal(t, want.Host.Stats(0), got.Host.Stats(0), "%s %s", gpu, path)
		}
	}
}

func TestCaptureRunsWithoutItsProgramAndStartsAgain(t *testing.T) {
	text, err := os.ReadFile(compiled(t, "vectoradd.cu")[0])
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "vectoradd")
	require.NoError(t, os.WriteFile(path, text, 0o700))
	folder := captured(t, path)
	require.NoError(t, os.Remove(path))
	app, err := programs.CaptureApp(programs.Spec{Program: folder, Device: programs.Emulator}, workload.Target{}, rules)
	require.NoError(t, err)
	assert.Equal(t, "add", app.Title())
	assert.Len(t, app.Files, 1+5, "calls; PTX, the kernel's name and parameters, two vectors")
	w := platform(t, "gtx980", "even", host.Process{App: app, Restart: true}, host.Process{App: app, Restart: true})
	require.NoError(t, w.Run(t.Context(), 100_000, nil))
	assert.GreaterOrEqual(t, w.Host.Stats(0).Processes[1].Completions, uint64(2))
}

func TestFaultyCapturesNameTheFile(t *testing.T) {
	path := compiled(t, "vectoradd.cu")[0]
	for what, spoil := range map[string]func(folder string) error{
		"calls.zst: is no list of calls; valid: a file of `cotenant trace capture`": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "calls.zst"), []byte("no"), 0o600)
		},
		"calls.zst: is of another version of cotenant; capture the program again": func(folder string) error {
			encoder, err := zstd.NewWriter(nil)
			require.NoError(t, err)
			return os.WriteFile(filepath.Join(folder, "calls.zst"), encoder.EncodeAll([]byte("COTNCAP2"), nil), 0o600)
		},
		"calls.zst: cannot be read: no such file or directory; valid: the folder of a capture": func(folder string) error {
			return os.Remove(filepath.Join(folder, "calls.zst"))
		},
		": cannot be read: no such file or directory": func(folder string) error { return os.RemoveAll(filepath.Join(folder, "data")) },
		": has not the contents that its name tells; capture the program again": func(folder string) error {
			list, err := filepath.Glob(filepath.Join(folder, "data", "*"))
			for i := range list {
				if err == nil {
					err = os.WriteFile(list[i], []byte("other"), 0o600)
				}
			}
			return err
		},
	} {
		folder := captured(t, path)
		require.NoError(t, spoil(folder))
		_, err := programs.CaptureApp(programs.Spec{Program: folder, Device: programs.Emulator}, workload.Target{}, rules)
		fault := (*workload.InputError)(nil)
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, what)
	}
}
