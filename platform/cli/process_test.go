package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProcessesArriveAndAreReplayed(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	args := []string{"run", "--gpu", file(t, "small.yaml", smallGPU), "--app", app, "--app", app + "?arrival=2us&priority=-1", "--until", "replays=3"}
	got := cotenant(t, append(args, "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, `?arrival=2us&priority=-1",`)
	r := result(t, got.stdout)
	assert.Equal(t, []any{"replays", uint64(3)}, []any{r.Mode, r.Replays})
	first, second := r.Kernels[0], r.Kernels[1]
	assert.Equal(t, []any{uint64(0), 0, uint64(2432), -1}, []any{first.ArrivalCycle, first.Priority, second.ArrivalCycle, second.Priority})
	for _, k := range r.Kernels {
		assert.GreaterOrEqual(t, len(k.TurnaroundCycles), 3)
		assert.InDelta(t, float64(k.MeanTurnaroundCycles/k.IsolatedTurnaroundCycles), float64(k.NTT), 1e-12)
		assert.InDelta(t, float64(k.MeanTurnaroundCycles/1216), float64(k.MeanTurnaroundUS), 1e-12)
	}
	assert.Equal(t, first.IsolatedTurnaroundCycles, second.IsolatedTurnaroundCycles, "alone, both arrive at once")
	again := cotenant(t, append(args, "--json", "-", "--parallel", "1")...)
	assert.Equal(t, withoutWallTimes(got.stdout), withoutWallTimes(again.stdout))
}

func TestUntilDoneReportsOneTurnaround(t *testing.T) {
	got := cotenant(t, small(t, "--until", "done", "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	for _, k := range result(t, got.stdout).Kernels {
		assert.Equal(t, []uint64{k.Cycles}, k.TurnaroundCycles)
	}
	got = cotenant(t, small(t, "--cycles", "100", "--json", "-")...)
	assert.Equal(t, 2, strings.Count(got.stdout, `"turnaround_cycles": [],`), "none is complete")
}

func TestArrivalAtTheEndOfTheWindowIsAMistake(t *testing.T) {
	got := cotenant(t, "run", "--app", "profile:lbm?arrival=1us", "--cycles", "1k")
	assert.Equal(t, 2, got.status)
	assert.Equal(t, "cotenant: application \"profile:lbm?arrival=1us\": arrival is cycle 1216; valid: below 1000, the end of the run\n", got.stderr)
}

func TestRunThatIsNotDoneInTimeIsAnErrorWithoutAResult(t *testing.T) {
	path, args := filepath.Join(t.TempDir(), "out.json"), small(t)
	with := func(more ...string) outcome { return cotenant(t, slices.Concat(args, more)...) }
	got := with("--until", "done", "--max-cycles", "50", "--json", path)
	assert.Equal(t, exitFailure, got.status)
	assert.Equal(t, "cotenant: not done after 50 cycles: tenant 0 (small): kernel small, 0 of 4 thread blocks done; tenant 1 (small): kernel small, 0 of 4 thread blocks done\n", got.stderr)
	assert.Empty(t, got.stdout)
	assertEmptyFolder(t, filepath.Dir(path))

	free := with("--json", "-")
	require.Equal(t, 0, free.status, free.stderr)
	bounded := with("--max-cycles", "100k", "--json", "-")
	assert.Equal(t, withoutWallTimes(free.stdout), withoutWallTimes(bounded.stdout))
	got = with("--max-cycles", "100k", "--cycles", "10")
	assert.Equal(t, exitUsage, got.status)
	assert.Equal(t, "cotenant: --max-cycles bounds a run to the end, and --cycles says when a run ends; valid: one of them\n", got.stderr)
	got = cotenant(t, "reproduce", "smk-fig12", "--quick", "--max-cycles", "1M", "--store", path)
	assert.Equal(t, exitUsage, got.status)
	assert.Equal(t, "cotenant: --max-cycles bounds runs to the end, and smk-fig12 has none; valid: without it\n", got.stderr)
}

func TestRunOfASweepThatIsNotDoneInTimeFails(t *testing.T) {
	matrix := sweepFiles(t)
	text := strings.NewReplacer("cycles: [2k, done]", "cycles: [done]\nmax_cycles: 50").Replace(read(t, matrix))
	require.NoError(t, os.WriteFile(matrix, []byte(text), 0o600))
	got := sweepTo(t, matrix, "--quiet")
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, `(?m)^failed: cotenant run .* --until done --max-cycles 50 --seed 5: not done after 50 cycles: tenant 0 \(small\): `, got.stderr)
}
