package executor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const lineOfShell = "command:sh -c {quoted}"

func TestSweepByCommandLinesEqualsTheLocalOne(t *testing.T) {
	t.Parallel()
	e := sweepElsewhere(t, "--executor", lineOfShell, "--parallel", "3")
	e.open()
	w := e.start()
	w.requireDone(t)
	assert.Contains(t, w.stderr.String(), "30 runs: 0 stored, 30 made in ")
	e.requireWhole(0)
	assert.NoDirExists(t, e.store()+".spool")
}

func TestLinesGoOnWhenTheSweepIsKilled(t *testing.T) {
	t.Parallel()
	e := sweepElsewhere(t, "--executor", lineOfShell, "--parallel", "3")
	w := e.start()
	e.untilBegun(2)
	require.NoError(t, w.Process.Kill())
	_ = w.Wait()
	text, status := e.collected()
	assert.Equal(t, 1, status)
	assert.Regexp(t, `^no run of the matrix gave a result.*\n.*\ncotenant: 30 of 30 runs have no result yet; `, text)
	second := e.startAgain()
	third := e.start()
	_ = third.Wait()
	assert.Contains(t, third.stderr.String(), "cotenant: another process waits for the runs of this sweep (")
	require.NoError(t, second.Process.Signal(syscall.SIGINT))
	_ = second.Wait()
	assert.Equal(t, 130, second.ProcessState.ExitCode())
	assert.Regexp(t, `cotenant: interrupted; \S+ has 0 of 30 runs, and the lines under way go on: the same command waits for them, --collect stores their results so far, and kill -- -\d+ -\d+ ends them; no output file was written\n$`, second.stderr.String())
	e.open()
	e.start().requireDone(t)
	e.requireWhole(0)
}

// What fails is tried again, but not for ever: b has a thread block that no SM holds.
func TestRunThatFailsElsewhereIsReportedOnce(t *testing.T) {
	t.Parallel()
	e := sweepElsewhere(t, "--executor", lineOfShell, "--parallel", "3", "--retries", "5")
	e.open()
	writeSweep(t, e.folder)
	e.flags[1] = filepath.Join(e.folder, "m.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(e.folder, "b.yaml"), []byte(strings.Replace(smallApp, "threads: 64", "threads: 1024, shared_bytes_per_tb: 900000", 1)), 0o600))
	w := e.start()
	_ = w.Wait()
	assert.Equal(t, 1, w.ProcessState.ExitCode())
	lines := strings.Split(strings.TrimSpace(w.stderr.String()), "\n")
	require.Len(t, lines, 2+3*2*3+2, w.stderr.String())
	assert.Regexp(t, `(?m)^failed: cotenant run --gpu \S+ --policy fcfs --app \S+b.yaml --cycles 2000 --seed 5: .*900000`, w.stderr.String())
	assert.Contains(t, w.stderr.String(), "has no isolated IPC: its run alone failed\n")
	assert.Equal(t, "cotenant: 20 of 30 runs failed; the same command tries again", lines[len(lines)-1])
	_, runs := e.begun()
	assert.Len(t, runs, 10+2*2, "with the same words twice")
	logs, err := filepath.Glob(filepath.Join(e.store()+".spool", "sweeps", "*", "*", "*.log"))
	require.NoError(t, err)
	assert.NotEmpty(t, logs)

	again := e.start()
	_ = again.Wait()
	assert.Contains(t, again.stderr.String(), "30 runs: 10 stored, 0 made in ")
}

func TestSweepByCommandLinesThatIsKilledAtAnyMomentMakesNothingTwice(t *testing.T) {
	t.Parallel()
	e := sweepElsewhere(t, "--executor", lineOfShell, "--parallel", "3")
	e.open()
	e.killUntilDone()
}

// Two sweeps of the same runs share the results in the spool, and neither removes what
// the other has not taken yet. A late task would leave files of its own, so nothing else runs
// meanwhile.
func TestSweepsThatShareASpoolBothSucceed(t *testing.T) {
	e := sweepElsewhere(t, "--executor", lineOfShell, "--parallel", "4", "--retries", "0", "--spool", "SPOOL")
	e.open()
	spool := filepath.Join(e.folder, "spool")
	e.flags[len(e.flags)-1] = spool
	for range 2 {
		var pair []*waiter
		for _, name := range []string{"one", "other"} {
			pair = append(pair, e.start("--store", filepath.Join(t.TempDir(), name), "--csv", filepath.Join(e.folder, name+".csv")))
		}
		for _, w := range pair {
			w.requireDone(t)
		}
		assert.Equal(t, local.csv, read(t, filepath.Join(e.folder, "one.csv")))
		assert.Equal(t, local.csv, read(t, filepath.Join(e.folder, "other.csv")))
		assert.NoDirExists(t, spool)
	}
}
