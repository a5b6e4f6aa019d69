package cli

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// conventional are files of a GPU and of one with twice the SMs, on which
// applications run alone, and an application that fills both.
func conventional(t *testing.T) (gpu, other, app string) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"gpu.yaml": smallGPU, "twice.yaml": "extends: gpu.yaml\nsms: 2\n", "app.yaml": strings.Replace(smallApp, "tbs: 4", "tbs: 400", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return filepath.Join(folder, "gpu.yaml"), filepath.Join(folder, "twice.yaml"), "profile:" + filepath.Join(folder, "app.yaml")
}

// ran runs the command and reads its result.
func ran(t *testing.T, args ...string) *experiment.Result {
	t.Helper()
	got := cotenant(t, append([]string{"run", "--cycles", "5k", "--json", "-"}, args...)...)
	require.Equal(t, 0, got.status, got.stderr)
	return result(t, got.stdout)
}

func TestApplicationsRunAloneOnAnotherGPU(t *testing.T) {
	gpu, other, app := conventional(t)
	there := ran(t, "--gpu", other, "--app", app)
	here := ran(t, "--gpu", gpu, "--app", app)
	require.Greater(t, there.Kernels[0].IPC, 1.5*here.Kernels[0].IPC)
	plain := ran(t, "--gpu", gpu, "--app", app, "--app", app, "--policy", "even")
	got := ran(t, "--gpu", gpu, "--app", app, "--app", app, "--policy", "even", "--isolated-gpu", other)
	assert.Equal(t, []string{"", "twice"}, []string{plain.IsolatedGPU, got.IsolatedGPU})
	assert.NotEqual(t, plain.ConfigHash, got.ConfigHash)
	for i, k := range got.Kernels {
		assert.Equal(t, there.Kernels[0].IPC, k.IsolatedIPC)
		assert.Equal(t, plain.Kernels[i].IPC, k.IPC, "the mix is the same")
		assert.Equal(t, here.Kernels[0].IPC, plain.Kernels[i].IsolatedIPC)
		assert.InDelta(t, k.IPC/there.Kernels[0].IPC, float64(k.NormalizedIPC), 1e-12)
	}
}

// An application without company is compared too, as in HeteroCore's Figure 9.
func TestApplicationWithoutCompanyIsComparedWithAnotherGPU(t *testing.T) {
	gpu, other, app := conventional(t)
	there := ran(t, "--gpu", other, "--app", app)
	got := ran(t, "--gpu", gpu, "--app", app, "--isolated-gpu", other)
	k := got.Kernels[0]
	assert.Equal(t, there.Kernels[0].IPC, k.IsolatedIPC)
	assert.InDelta(t, k.IPC/k.IsolatedIPC, float64(got.STP), 1e-12)
	assert.Less(t, float64(got.STP), 0.7)
	assert.NotZero(t, got.IsolatedWallSeconds)
	text := cotenant(t, "run", "--cycles", "5k", "--gpu", gpu, "--app", app, "--isolated-gpu", other, "--quiet")
	assert.True(t, strings.HasSuffix(text.stdout, "\nfcfs: alone, applications ran on twice\n"), text.stdout)
}

func TestTheSameGPUForRunsAloneChangesNothing(t *testing.T) {
	gpu, _, app := conventional(t)
	args := []string{"run", "--cycles", "5k", "--json", "-", "--gpu", gpu, "--app", app, "--app", app}
	want := cotenant(t, args...)
	got := cotenant(t, append(args, "--isolated-gpu", gpu)...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, withoutWallTimes(want.stdout), withoutWallTimes(got.stdout))
}

// Goals are parts of what is reported as isolated.
func TestGoalsAreOfWhatApplicationsHaveOnTheOtherGPU(t *testing.T) {
	gpu, other, app := conventional(t)
	there := ran(t, "--gpu", other, "--app", app)
	got := ran(t, "--gpu", gpu, "--app", app+"?qos=0.25", "--app", app, "--policy", "spart-qos", "--isolated-gpu", other)
	assert.InDelta(t, there.Kernels[0].IPC/4, float64(got.Kernels[0].GoalIPC), 1e-9)
}

func TestGPUOfRunsAloneMustHaveTheSameClock(t *testing.T) {
	gpu, _, app := conventional(t)
	got := cotenant(t, "run", "--gpu", gpu, "--app", app, "--isolated-gpu", "fermi16")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "GPU fermi16 of the isolated runs has a core clock of 700 MHz, and GPU gpu one of 1216 MHz; valid: a GPU of the same core clock")
	got = cotenant(t, "run", "--gpu", gpu, "--app", app, "--isolated-gpu", "fermi")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, `unknown preset "fermi"`)
}

// A sweep measures on the other GPU once for all policies, and single applications
// of its mixes are compared with it too.
func TestSweepMeasuresAloneOnAnotherGPU(t *testing.T) {
	t.Setenv(asProgram, "1")
	gpu, other, app := conventional(t)
	matrix := file(t, "m.yaml", strings.NewReplacer("GPU", gpu, "OTHER", other, "APP", app).Replace(`gpus: ['GPU', 'OTHER']
isolated_gpu: 'OTHER'
policies: [fcfs, even]
mixes:
  - apps: ['APP', 'APP']
  - apps: ['APP']
cycles: [5k]
`))
	got := sweepTo(t, matrix, "--csv", "-", "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "8 runs: 0 stored, 8 made in ")
	there := ran(t, "--gpu", other, "--app", app).Kernels[0].IPC
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+2*2*3)
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, row := range rows[1:] {
		assert.Equal(t, map[string]string{"gpu": "twice", "twice": ""}[column(row, "gpu")], column(row, "isolated_gpu"))
		assert.Equal(t, fmt.Sprint(there), column(row, "isolated_ipc"))
	}
}
