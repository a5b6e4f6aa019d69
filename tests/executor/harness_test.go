// Package executor makes whole sweeps by the executors that are not local, with
// processes that are killed, limits, and disks that are full.
package executor

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/cli"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		enterRun()
		cli.Main(os.Args[1:])
	}
	folder, err := os.MkdirTemp("", "cotenant-test") // for the cache of recordings
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", folder)
	local.folder = filepath.Join(folder, "sweep")
	// The tests wait for most of their time.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// For a run in a process of its own, runLog names a file that gets a line with the process
// that began it and the run's description. runGate names a file that must be gone before the run
// continues. asProgram makes the test program act as cotenant.
const (
	asProgram = "COTENANT_TEST_AS_PROGRAM"
	runLog    = "COTENANT_TEST_RUN_LOG"
	runGate   = "COTENANT_TEST_RUN_GATE"
)

// enterRun does what runLog and runGate say.
func enterRun() {
	if len(os.Args) < 2 || os.Args[1] != "run" {
		return
	}
	if path := os.Getenv(runLog); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(f, "%d %s\n", os.Getppid(), describedRun())
		f.Close()
	}
	for gate := os.Getenv(runGate); gate != ""; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(gate); err != nil {
			break
		}
	}
}

// describedRun is the run that standard input describes, without what is known of its
// applications alone. The description remains on standard input.
func describedRun() []byte {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	if os.Stdin, err = os.CreateTemp("", "run"); err != nil {
		panic(err)
	}
	_ = os.Remove(os.Stdin.Name())
	if _, err = os.Stdin.WriteAt(text, 0); err != nil {
		panic(err)
	}
	var spec experiment.Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		panic(err)
	}
	spec.Isolated = nil
	if text, err = json.Marshal(spec); err != nil {
		panic(err)
	}
	return text
}

// elsewhere is a sweep by another executor, in a folder of its own.
type elsewhere struct {
	t           *testing.T
	folder      string
	flags       []string
	environment []string
}

// local is the sweep of writeSweep, in a folder for all tests, and what the local executor
// writes.
var local struct {
	once        sync.Once
	folder, csv string
}

// sweepElsewhere is the local sweep, made elsewhere, with a closed gate.
func sweepElsewhere(t *testing.T, flags ...string) *elsewhere {
	t.Helper()
	local.once.Do(func() {
		writeSweep(t, local.folder)
		c := exec.Command(os.Args[0], "sweep", filepath.Join(local.folder, "m.yaml"), "--store", filepath.Join(local.folder, "s.sqlite"), "--csv", "-", "--quiet")
		c.Env = append(os.Environ(), asProgram+"=1")
		text, err := c.Output()
		require.NoError(t, err)
		local.csv = string(text)
	})
	e := &elsewhere{t: t, folder: t.TempDir()}
	e.environment = append(os.Environ(), asProgram+"=1", runLog+"="+filepath.Join(e.folder, "log"), runGate+"="+filepath.Join(e.folder, "gate"))
	e.flags = append([]string{"sweep", filepath.Join(local.folder, "m.yaml"), "--store", e.store(), "--csv", e.csv(), "--quiet", "--runs-per-task", "3"}, flags...)
	require.NoError(t, os.WriteFile(filepath.Join(e.folder, "gate"), nil, 0o600))
	return e
}

func (e *elsewhere) store() string { return filepath.Join(e.folder, "m.sqlite") }

func (e *elsewhere) csv() string { return filepath.Join(e.folder, "m.csv") }

// open opens the gate.
func (e *elsewhere) open() { require.NoError(e.t, os.Remove(filepath.Join(e.folder, "gate"))) }

// waiter is a process that waits for a sweep.
type waiter struct {
	*exec.Cmd
	stderr bytes.Buffer
}

// start begins a process that waits.
func (e *elsewhere) start(more ...string) *waiter {
	w := &waiter{Cmd: exec.Command(os.Args[0], append(e.flags, more...)...)}
	w.Env, w.Stderr = e.environment, &w.stderr
	require.NoError(e.t, w.Start())
	e.t.Cleanup(func() { _ = w.Process.Kill() })
	return w
}

// record is the record of the sweep; nothing is written before the first process does it.
func (e *elsewhere) record() (file string, written os.FileInfo) {
	files, _ := filepath.Glob(filepath.Join(e.store()+".spool", "sweeps", "*", "record.json"))
	if len(files) != 1 {
		return "", nil
	}
	written, _ = os.Stat(files[0])
	return files[0], written
}

// startAgain begins another process that waits, and returns once it has found the jobs of
// those before: it then writes the record anew.
func (e *elsewhere) startAgain() *waiter {
	e.t.Helper()
	_, before := e.record()
	w := e.start()
	require.Eventually(e.t, func() bool {
		_, now := e.record()
		return now != nil && now.ModTime().After(before.ModTime())
	}, 2*time.Minute, 20*time.Millisecond)
	return w
}

// collected is what --collect says, and its exit status.
func (e *elsewhere) collected() (string, int) {
	w := e.start("--collect")
	_ = w.Wait()
	return w.stderr.String(), w.ProcessState.ExitCode()
}

// begun lists the begun runs: the process that began each, and its description.
func (e *elsewhere) begun() (parents []int, runs []string) {
	text, err := os.ReadFile(filepath.Join(e.folder, "log"))
	if err != nil {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		parent, run, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(parent)
		parents, runs = append(parents, n), append(runs, run)
	}
	return parents, runs
}

// untilBegun waits until some runs have been begun.
func (e *elsewhere) untilBegun(n int) {
	require.Eventually(e.t, func() bool { _, runs := e.begun(); return len(runs) >= n }, 2*time.Minute, 20*time.Millisecond)
}

// requireWhole requires that the sweep equals the local one, that nothing is left, and that
// each run was begun once, except for a number of runs that were begun twice.
func (e *elsewhere) requireWhole(twice int) {
	e.t.Helper()
	assert.Equal(e.t, local.csv, read(e.t, e.csv()))
	_, runs := e.begun()
	times := map[string]int{}
	for _, run := range runs {
		times[run]++
	}
	assert.Len(e.t, times, 30)
	assert.Len(e.t, runs, 30+twice, "begun")
	for run, n := range times {
		assert.LessOrEqual(e.t, n, 2, run)
	}
	assert.NoDirExists(e.t, filepath.Join(e.store()+".spool", "sweeps"))
}

func (w *waiter) requireDone(t *testing.T) {
	t.Helper()
	require.NoError(t, w.Wait(), w.stderr.String())
}

// killUntilDone kills the waiting process at any moment, again and again, until a process
// ends by itself.
func (e *elsewhere) killUntilDone() {
	e.t.Helper()
	kills := 0
	for {
		w := e.start()
		timer := time.AfterFunc(time.Duration(rand.IntN(700))*time.Millisecond, func() { _ = w.Process.Kill() })
		err := w.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		require.Equal(e.t, -1, w.ProcessState.ExitCode(), w.stderr.String())
		kills++
	}
	e.t.Logf("killed %d times", kills)
	e.requireWhole(0)
}

// smallGPU is a preset with one SM, smallApp a profile that it runs in a moment.
const (
	smallGPU = "extends: plain16\nsms: 1\n"
	smallApp = `name: small
kernels:
  - name: small
    tbs: 4
    demands: [{threads: 64, registers_per_thread: 16}]
    instructions: 50
    phases:
      - mix: {int: 0.5, fp32: 0.5}
`
)

// writeSweep writes a matrix of 3 policies x 4 mixes x 2 windows, and what it takes.
// With the applications alone that is 30 runs, 6 of them alone.
func writeSweep(t testing.TB, folder string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
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
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
