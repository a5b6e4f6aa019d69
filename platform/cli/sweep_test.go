package cli

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
)

// asProgram has the test program act as cotenant, so that a sweep's runs can be
// processes.
const asProgram = "COTENANT_TEST_AS_PROGRAM"

// sweepFiles writes a matrix of 3 policies x 4 mixes x 2 windows, and what it
// takes, and returns its path. With the applications alone that is 30 runs.
func sweepFiles(t testing.TB) string {
	t.Helper()
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	for name, text := range map[string]string{
		"gpu.yaml": smallGPU, "a.yaml": smallApp,
		"b.yaml": strings.Replace(smallApp, "int: 0.5, fp32: 0.5", "int: 0.8, fp32: 0.2", 1),
		"c.yaml": strings.Replace(smallApp, "instructions: 50", "instructions: 90", 1),
		"m.yaml": strings.ReplaceAll(`gpus: [DIR/gpu.yaml]
policies: [fcfs, spart, even]
mixes:
  - pairs: ['profile:DIR/a.yaml', 'profile:DIR/b.yaml', 'profile:DIR/c.yaml']
  - apps: ['profile:DIR/a.yaml', 'profile:DIR/b.yaml', 'profile:DIR/c.yaml']
cycles: [2k, done]
seeds: [5]
`, "DIR", folder),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return filepath.Join(folder, "m.yaml")
}

func sweepTo(t testing.TB, matrix string, more ...string) outcome {
	return cotenant(t, append([]string{"sweep", matrix, "--store", matrix + ".sqlite"}, more...)...)
}

func TestSweepTwiceRunsEachMixOnce(t *testing.T) {
	matrix := sweepFiles(t)
	dry := sweepTo(t, matrix, "--dry-run")
	assert.Equal(t, 0, dry.status, dry.stderr)
	assert.True(t, strings.HasSuffix(dry.stdout, "\n30 runs, 0 stored in "+matrix+".sqlite\n"), dry.stdout)
	assert.Equal(t, 30, strings.Count(dry.stdout, "to run  cotenant run --gpu "))
	assert.NoFileExists(t, matrix+".sqlite")

	first := sweepTo(t, matrix, "--csv", "-", "--quiet", "--parallel", "3")
	require.Equal(t, 0, first.status, first.stderr)
	assert.Contains(t, first.stderr, "30 runs: 0 stored, 30 made in ")
	rows := strings.Split(strings.TrimSpace(first.stdout), "\n")
	assert.Len(t, rows, 1+3*2*(3*2+3))
	assert.True(t, strings.HasPrefix(rows[0], "run,schema,gpu,policy,seed,"))
	assert.NotContains(t, rows[0], "wall")
	assert.True(t, strings.HasPrefix(rows[len(rows)-1], "24,2,gpu,even,5,"), rows[len(rows)-1])

	again := sweepTo(t, matrix, "--csv", matrix+".csv")
	require.Equal(t, 0, again.status, again.stderr)
	assert.Contains(t, again.stderr, "30 runs: 30 stored, 0 made in ")
	assert.Equal(t, first.stdout, read(t, matrix+".csv"))
	assert.Contains(t, again.stdout, "│ gpu │ even   │   2000 │    4 │ ")
	assert.True(t, strings.HasSuffix(sweepTo(t, matrix, "--dry-run").stdout, "\n30 runs, 30 stored in "+matrix+".sqlite\n"))
}

// What a sweep stores is what the run command alone writes, byte for byte, but
// for the wall times.
// A single application's result goes into the mixes with it, a mix's into the CSV.
func TestDamagedResultsAreMadeAgain(t *testing.T) {
	matrix := sweepFiles(t)
	want := sweepTo(t, matrix, "--csv", "-", "--quiet")
	require.Equal(t, 0, want.status, want.stderr)
	db, err := sql.Open("sqlite", matrix+".sqlite")
	require.NoError(t, err)
	defer db.Close()
	const cycles = `json_extract(identity, '$.cycles') = 2000 AND json_array_length(identity, '$.apps') = `
	for change, n := range map[string]int{
		"result = replace(result, '\"cycles\":2000', '\"cycles\":2001') WHERE " + cycles + "3": 3, // still JSON
		"result = substr(result, 2) WHERE " + cycles + "1":                                     3,
	} {
		_, err = db.Exec("UPDATE runs SET " + change)
		require.NoError(t, err)
		dry := sweepTo(t, matrix, "--dry-run")
		assert.True(t, strings.HasSuffix(dry.stdout, fmt.Sprintf("\n30 runs, %d stored in %s.sqlite\n", 30-n, matrix)), dry.stdout)
		dry = sweepTo(t, matrix, "--dry-run", "--executor", "command:{quoted}")
		assert.Contains(t, dry.stdout, fmt.Sprintf(": %d runs in ", n))
		var left int
		require.NoError(t, db.QueryRow("SELECT count(*) FROM runs").Scan(&left))
		assert.Equal(t, 30, left, "a dry run removes nothing")
		got := sweepTo(t, matrix, "--csv", "-", "--quiet")
		require.Equal(t, 0, got.status, got.stderr)
		assert.Equal(t, want.stdout, got.stdout)
		assert.Equal(t, n, strings.Count(got.stderr, "damaged in "+matrix+".sqlite, and made again: cotenant run --gpu "), got.stderr)
		assert.Contains(t, got.stderr, fmt.Sprintf("30 runs: %d stored, %d made in ", 30-n, n))
	}
}

func TestStoredResultIsThatOfTheRunCommand(t *testing.T) {
	requireStoredAsRun(t, sweepFiles(t))
}

func TestStoredResultOfProcessesIsThatOfTheRunCommand(t *testing.T) {
	matrix := sweepFiles(t)
	folder := filepath.Dir(matrix)
	text := fmt.Sprintf("gpus: [%s/gpu.yaml, k20c]\npolicies: [npq, \"ppq:preempt=drain\"]\nmixes:\n- apps: [\"profile:%s/a.yaml?arrival=300\", \"profile:%s/b.yaml?priority=2&arrival=1us\"]\ncycles: [3000, replays=2]\n", folder, folder, folder)
	require.NoError(t, os.WriteFile(matrix, []byte(text), 0o600))
	requireStoredAsRun(t, matrix)
}

// The window is too short for a run of a, which has a goal in time.
func TestStoredResultOfGoalsIsThatOfTheRunCommand(t *testing.T) {
	matrix := sweepFiles(t)
	folder := filepath.Dir(matrix)
	text := fmt.Sprintf("gpus: [%s/gpu.yaml]\npolicies: [spart, even]\nmixes:\n- apps: [\"profile:%s/a.yaml?qos_time=1us\", \"profile:%s/b.yaml?qos=0.7&arrival=10\"]\n- apps: [\"profile:%s/c.yaml?qos_time=10us\"]\ncycles: [60, 3000, done]\nmax_cycles: 1M\n", folder, folder, folder, folder)
	require.NoError(t, os.WriteFile(matrix, []byte(text), 0o600))
	requireStoredAsRun(t, matrix)
	again := sweepTo(t, matrix)
	require.Equal(t, 0, again.status, again.stderr)
	assert.Equal(t, 1, strings.Count(again.stderr, "cotenant: warning: goals are only reported under spart, even; "), again.stderr)
	assert.Equal(t, 1, strings.Count(again.stderr, "warning"))
	assert.Contains(t, again.stdout, "QoSreach")
}

func requireStoredAsRun(t *testing.T, matrix string) {
	t.Helper()
	first := sweepTo(t, matrix, "--quiet")
	require.Equal(t, 0, first.status, first.stderr)
	s, err := store.OpenExisting(matrix + ".sqlite")
	require.NoError(t, err)
	defer s.Close()
	m, err := sweep.Load(matrix)
	require.NoError(t, err)
	plan, _, err := (&batch{}).plan(&files{})
	require.NoError(t, err)
	require.NoError(t, plan.AddMatrix(m))
	results, err := sweep.Results(s, plan)
	require.NoError(t, err)
	for i, j := range plan.Jobs {
		var stored bytes.Buffer
		require.NoError(t, experiment.WriteJSON(&stored, results[i]))
		alone := cotenant(t, append(j.Arguments(), "--json", "-")...)
		require.Equal(t, 0, alone.status, alone.stderr)
		require.Equal(t, withoutWallTimes(alone.stdout), withoutWallTimes(stored.String()), j)
	}
}

func TestRunThatFailsIsReportedAndTheOthersGoOn(t *testing.T) {
	matrix := sweepFiles(t)
	folder := filepath.Dir(matrix)
	// A thread block that no SM holds is found when the GPU is built.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.yaml"), []byte(strings.Replace(smallApp, "threads: 64", "threads: 1024, shared_bytes_per_tb: 900000", 1)), 0o600))
	got := sweepTo(t, matrix, "--csv", matrix+".csv", "--quiet")
	assert.Equal(t, 1, got.status)
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	// b alone in two windows, and under 3 policies the 3 mixes that have it.
	require.Len(t, lines, 2+3*2*3+2, got.stderr)
	assert.Regexp(t, `(?m)^failed: cotenant run --gpu \S+ --policy fcfs --app \S+b.yaml --cycles 2000 --seed 5: .*900000`, got.stderr)
	assert.Contains(t, got.stderr, "has no isolated IPC: its run alone failed\n")
	assert.Equal(t, "cotenant: 20 of 30 runs failed; the same command tries again", lines[len(lines)-1])
	assert.Equal(t, 1+3*2*2, strings.Count(read(t, matrix+".csv"), "\n"), "a and c")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.yaml"), []byte(smallApp), 0o600))
	got = sweepTo(t, matrix, "--quiet")
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "30 runs: 10 stored, 20 made in ")
}

func TestSweepWithoutAResultWritesNoCSV(t *testing.T) {
	matrix := sweepFiles(t)
	folder := filepath.Dir(matrix)
	text := strings.ReplaceAll("policies: [fcfs]\nmixes: [{apps: ['profile:DIR/b.yaml']}, {apps: ['profile:DIR/a.yaml', 'profile:DIR/b.yaml']}]\ncycles: [2k]\n", "DIR", folder)
	require.NoError(t, os.WriteFile(matrix, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.yaml"), []byte(strings.Replace(smallApp, "threads: 64", "threads: 1024, shared_bytes_per_tb: 900000", 1)), 0o600))
	got := sweepTo(t, matrix, "--csv", matrix+".csv", "--quiet")
	assert.Equal(t, 1, got.status)
	assert.Empty(t, got.stdout)
	assert.Contains(t, got.stderr, "\nno run of the matrix gave a result, so no CSV is written\n")
	assert.Contains(t, got.stderr, "3 runs: 0 stored, 1 made in ", "a alone")
	assert.NoFileExists(t, matrix+".csv")
}

func TestInterruptedSweepSaysHowToGoOn(t *testing.T) {
	matrix := sweepFiles(t)
	b := start(t, "sweep", matrix, "--store", matrix+".sqlite", "--csv", matrix+".csv", "--parallel", "1")
	require.Eventually(t, func() bool { return stored(t, matrix) > 0 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, exitInterrupted, b.end(t))
	n := stored(t, matrix)
	assert.Less(t, n, 30)
	assert.Contains(t, b.stderr.String(), fmt.Sprintf("cotenant: interrupted; %s.sqlite has %d of 30 runs, and the same command goes on from there; no output file was written\n", matrix, n))
	assert.NotContains(t, b.stderr.String(), "failed")
	assert.NoFileExists(t, matrix+".csv")
}

// stored counts the runs in a matrix's store.
func stored(t testing.TB, matrix string) int {
	t.Helper()
	s, err := store.OpenExisting(matrix + ".sqlite") // makes the table if the sweep has not
	require.NoError(t, err)
	if s == nil {
		return 0
	}
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", "file:"+matrix+".sqlite?_pragma=busy_timeout(60000)")
	require.NoError(t, err)
	defer db.Close()
	n := 0
	require.NoError(t, db.QueryRow("SELECT count(*) FROM runs").Scan(&n))
	return n
}

// program starts cotenant as a process of its own.
func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(path, args...)
	require.NoError(t, c.Start())
	return c
}

func TestSweepThatIsKilledAtAnyMomentLosesNoFinishedRun(t *testing.T) {
	matrix := sweepFiles(t)
	whole := cotenant(t, "sweep", matrix, "--store", matrix+".whole.sqlite", "--csv", "-", "--quiet")
	require.Equal(t, 0, whole.status, whole.stderr)

	had, kills := 0, 0
	longest := 250 // milliseconds; more where the machine is too busy to finish a run in that time
	for had < 30 {
		c := program(t, "sweep", matrix, "--store", matrix+".sqlite", "--csv", matrix+".csv", "--quiet")
		time.Sleep(time.Duration(rand.IntN(longest)) * time.Millisecond)
		require.NoError(t, c.Process.Kill())
		if _ = c.Wait(); !c.ProcessState.Success() {
			kills++
		}
		now := stored(t, matrix)
		require.GreaterOrEqual(t, now, had)
		if now == had {
			longest += longest / 4
		}
		had = now
	}
	t.Logf("killed %d times", kills)
	assert.Positive(t, kills)
	got := sweepTo(t, matrix, "--csv", "-", "--quiet")
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, whole.stdout, got.stdout)
}

func TestTwoSweepsCanShareAStore(t *testing.T) {
	matrix := sweepFiles(t)
	var both []*exec.Cmd
	for i := range 2 {
		both = append(both, program(t, "sweep", matrix, "--store", matrix+".sqlite", "--quiet", "--csv", fmt.Sprint(matrix, i, ".csv")))
	}
	for _, c := range both {
		assert.NoError(t, c.Wait())
	}
	assert.Equal(t, 30, stored(t, matrix))
	assert.Equal(t, read(t, matrix+"0.csv"), read(t, matrix+"1.csv"))
}

// A child's only parent is the sweep: after its kill no process reads the child's
// result.
func TestChildrenDieWithASweepThatIsKilled(t *testing.T) {
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("only Linux tells a process that its parent has died")
	}
	t.Setenv(asProgram, "1")
	matrix := file(t, "m.yaml", "policies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\ncycles: [1000M]\n")
	c := program(t, "sweep", matrix, "--store", matrix+".sqlite", "--quiet")
	running := func() (pids []int) {
		entries, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, path := range entries {
			var pid, parent int
			text, _ := os.ReadFile(path)
			after := text[bytes.LastIndexByte(text, ')')+1:]
			_, _ = fmt.Sscan(filepath.Base(filepath.Dir(path)), &pid)
			var state string
			if _, err := fmt.Sscan(string(after), &state, &parent); err == nil && parent == c.Process.Pid && state != "Z" {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	var pids []int
	require.Eventually(t, func() bool { pids = running(); return len(pids) == 1 }, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	assert.Eventually(t, func() bool { return syscall.Kill(pids[0], 0) != nil }, 10*time.Second, 5*time.Millisecond, "the child goes on")
}

func TestSweepRefusesWhatItCannotUse(t *testing.T) {
	matrix, other := sweepFiles(t), file(t, "other", "no store")
	for _, c := range []struct {
		status  int
		args    []string
		message string
	}{
		{2, []string{"sweep"}, "sweep takes one matrix, got 0; valid: sweep MATRIX.yaml"},
		{2, []string{"sweep", matrix, "--csv="}, "--csv is empty; leave it out or give it a value"},
		{1, []string{"sweep", matrix + ".no"}, matrix + ".no: cannot be read: no such file or directory; "},
		{1, []string{"sweep", matrix, "--store", filepath.Dir(matrix)}, "store " + filepath.Dir(matrix) + ": it is not a regular file; "},
		{1, []string{"sweep", matrix, "--store", other}, "store " + other + ": "},
		{1, []string{"sweep", matrix, "--csv", "/no/such/folder/x.csv"}, "/no/such/folder/x.csv cannot be written: "},
	} {
		got := cotenant(t, c.args...)
		assert.Equal(t, c.status, got.status, "%v", c.args)
		assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+c.message), got.stderr)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
	assert.NoFileExists(t, defaultStore)
}

func TestMatrixOfTheHelpIsOne(t *testing.T) {
	text := strings.NewReplacer("my-gpu.yaml", "k20c").Replace(matrixExample)
	m, err := sweep.Load(file(t, "m.yaml", text))
	require.NoError(t, err)
	assert.Len(t, m.Runs(), 3*3*(1+6+10)*2*2)
}

func TestMatrixOfTheGuideIsOne(t *testing.T) {
	_, text, found := strings.Cut(read(t, filepath.Join("..", "..", "docs", "sweeps.md")), "```yaml\ngpus:")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	m, err := sweep.Load(file(t, "m.yaml", "gpus:"+text))
	require.NoError(t, err)
	plan, _, err := (&batch{}).plan(&files{})
	require.NoError(t, err)
	require.NoError(t, plan.AddMatrix(m))
	assert.Len(t, plan.Jobs, 3*(10+10+1))
}

func TestProgressOfManyRunsTellsTheTimeLeft(t *testing.T) {
	var out bytes.Buffer
	p := newRunsProgress(&out, false)
	p.updateRuns(sweep.Progress{Total: 10, Stored: 2})
	p.updateRuns(sweep.Progress{Total: 10, Stored: 2, Run: 1}) // too early
	p.next = time.Time{}
	p.updateRuns(sweep.Progress{Total: 10, Stored: 2, Run: 3, Failed: 1, Left: 63_400 * time.Millisecond})
	p.clear()
	assert.Equal(t, "2 of 10 runs\n6 of 10 runs, 1 failed, about 1m3s left\n", out.String())
	p = newRunsProgress(&out, true)
	p.updateRuns(sweep.Progress{Total: 1})
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "quiet")
}
