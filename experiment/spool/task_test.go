package spool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

const resultText = `{"schema":2,"kernels":[{"ipc":2.5,"name":"<&>"}],"config_hash":"h"}`

func TestResultIsReadBackByteForByteOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	require.NoError(t, writeResult(path, "k", 1.5, json.RawMessage(resultText)))
	head, text, err := readResult(path, "k")
	require.NoError(t, err)
	assert.Equal(t, []any{1.5, resultText}, []any{head.Seconds, string(text)})
	_, _, err = readResult(path, "other")
	assert.ErrorIs(t, err, errDamaged)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range []string{"", string(whole[:len(whole)-1]), string(whole) + " ", strings.Replace(string(whole), "2.5", "2.6", 1)} {
		require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
		_, _, err = readResult(path, "k")
		assert.ErrorIs(t, err, errDamaged, damaged)
	}
	_, _, err = readResult(path+"x", "k")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// newTask writes a task into a new spool, and returns the folders of task and results.
func newTask(t *testing.T, task *Task) (folder, results string) {
	t.Helper()
	at := &places{spool: t.TempDir()}
	at.sweep = filepath.Join(at.spool, "sweeps", "s")
	unlock, err := at.enter(t.Context())
	require.NoError(t, err)
	unlock()
	folder = at.job("j")
	require.NoError(t, os.Mkdir(folder, 0o700))
	task.Form, task.Program, task.Folder = form, "p", t.TempDir()
	data, err := json.Marshal(task)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(taskFile(folder, 3), data, 0o600))
	t.Chdir(t.TempDir()) // a task changes the folder
	return folder, at.results()
}

// maker makes runs by a script, which reads the run from standard input.
func maker(script string) (*Maker, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return &Maker{Command: []string{"sh", "-c", script, "sh"}, Program: "p", Log: log}, log
}

func order(key string, needs ...sweep.Need) *sweep.Order {
	return &sweep.Order{Key: key, Run: experiment.Spec{GPU: "g", Policy: "p", Apps: []string{key}, Cycles: 5}, ConfigHash: "h", Needs: needs}
}

func TestTaskMakesWhatHasNoResult(t *testing.T) {
	mix := order("mix", sweep.Need{App: "a", Alone: "a"}, sweep.Need{App: "b", Alone: "b"})
	lonely := order("lonely", sweep.Need{App: "c", Alone: "c"})
	folder, results := newTask(t, &Task{Flags: []string{"--flag"}, Runs: []*sweep.Order{order("there"), order("a"), order("bad"), mix, lonely},
		Alone: map[string]experiment.Isolated{"b": {IPC: 0.1, Turnaround: 7}}})
	require.NoError(t, writeResult(filepath.Join(results, "there"), "there", 1, json.RawMessage(resultText)))
	require.NoError(t, os.WriteFile(filepath.Join(results, "a"), []byte("damaged"), 0o600))
	begun := filepath.Join(t.TempDir(), "begun")
	m, log := maker(`run=$(cat); echo "$* $run" >>` + begun + `; case "$run" in *bad*) echo cotenant: why not >&2; exit 1;; esac; echo '` + resultText + `'`)
	line := func(app, isolated string) string {
		return `run --stdin --flag --json - --quiet {"gpu":"g","policy":"p","apps":["` + app + `"],"cycles":5,"seed":0` + isolated + "}\n"
	}
	assert.EqualError(t, m.Do(t.Context(), folder, 3), "2 of 5 runs failed")
	text, err := os.ReadFile(begun)
	require.NoError(t, err)
	assert.Equal(t, line("a", "")+line("bad", "")+line("mix", `,"isolated":[{"IPC":2.5,"Turnaround":0,"WIPC":0,"Instructions":0},{"IPC":0.1,"Turnaround":7,"WIPC":0,"Instructions":0}]`), string(text))
	for _, key := range []string{"there", "a", "mix"} {
		_, _, err := readResult(filepath.Join(results, key), key)
		assert.NoError(t, err)
	}
	for key, want := range map[string]string{"bad": "why not", "lonely": "c has no isolated IPC: its run alone failed"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(folder), "failed", key))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	assert.Contains(t, log.String(), "there already: run --gpu g --policy p --app there --cycles 5 --seed 0\nbegun: run --gpu g --policy p --app a --cycles 5 --seed 0\nmade in ")
	assert.Contains(t, log.String(), "begun: run --gpu g --policy p --app bad --cycles 5 --seed 0\nfailed: why not\n")
	entries, err := os.ReadDir(results)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing that is not whole")
}

func TestTaskThatIsNotOfThisProgramIsRefused(t *testing.T) {
	folder, _ := newTask(t, &Task{Runs: []*sweep.Order{order("a")}})
	m, _ := maker("echo '" + resultText + "'")
	m.Program = "q"
	assert.ErrorContains(t, m.Do(t.Context(), folder, 3), "3.json is a task of another build of the program; valid: ")
	assert.ErrorIs(t, m.Do(t.Context(), folder, 4), os.ErrNotExist)
	require.NoError(t, os.WriteFile(taskFile(folder, 4), []byte("{}"), 0o600))
	assert.ErrorContains(t, m.Do(t.Context(), folder, 4), "4.json is not a task of this program")
}

// As by a time limit or scancel: it says nothing of the run, which has not failed.
func TestTaskThatIsEndedDoesNotComplainOfItsRun(t *testing.T) {
	folder, _ := newTask(t, &Task{Runs: []*sweep.Order{order("a"), order("b")}})
	ctx, cancel := context.WithCancel(t.Context())
	begun := filepath.Join(t.TempDir(), "begun")
	m, _ := maker("echo >>" + begun + "; exec sleep 60")
	go func() {
		for _, err := os.Stat(begun); err != nil; _, err = os.Stat(begun) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	assert.ErrorIs(t, m.Do(ctx, folder, 3), context.Canceled)
	failures, err := os.ReadDir(filepath.Join(filepath.Dir(folder), "failed"))
	require.NoError(t, err)
	assert.Empty(t, failures)
	text, err := os.ReadFile(begun)
	require.NoError(t, err)
	assert.Len(t, text, 1, "b is not begun")
}

func TestResultIsHeldUntilItCanBeWritten(t *testing.T) {
	folder, results := newTask(t, &Task{Runs: []*sweep.Order{order("a"), order("b")}})
	require.NoError(t, os.Remove(results))
	begun := filepath.Join(t.TempDir(), "begun")
	m, log := maker("echo >>" + begun + "; echo '" + resultText + "'")
	assert.ErrorContains(t, m.Do(t.Context(), folder, 3), "the result of a: ", "no patience, and b is not begun in vain")
	m.Patience = time.Minute
	time.AfterFunc(300*time.Millisecond, func() { _ = os.Mkdir(results, 0o700) })
	require.NoError(t, m.Do(t.Context(), folder, 3))
	assert.Equal(t, 1, strings.Count(log.String(), "held until it can be written: "), log.String())
	text, err := os.ReadFile(begun)
	require.NoError(t, err)
	assert.Len(t, text, 3, "begun")
}

// Other tasks have made the runs of this one, and the sweep has removed it.
func TestTaskOfASweepThatHasEndedEnds(t *testing.T) {
	folder, results := newTask(t, &Task{Runs: []*sweep.Order{order("a"), order("b")}})
	begun := filepath.Join(t.TempDir(), "begun")
	m, _ := maker("echo >>" + begun + "; rm -r " + folder + " " + results + "; echo '" + resultText + "'")
	m.Patience = time.Hour
	assert.ErrorIs(t, m.Do(t.Context(), folder, 3), errUnwanted, "a is not held")
	folder, _ = newTask(t, &Task{Runs: []*sweep.Order{order("a"), order("b")}})
	m.Command[2] = "echo >>" + begun + "; rm -r " + folder + "; echo '" + resultText + "'"
	assert.ErrorIs(t, m.Do(t.Context(), folder, 3), errUnwanted)
	text, err := os.ReadFile(begun)
	require.NoError(t, err)
	assert.Len(t, text, 2, "b is not begun")
}

func TestRunsAreDividedIntoTasksOfTwoMinutes(t *testing.T) {
	list := func(cycles ...uint64) (jobs []*sweep.Job) {
		for _, n := range cycles {
			jobs = append(jobs, &sweep.Job{Spec: experiment.Spec{Cycles: n}})
		}
		return jobs
	}
	unknown := func(*sweep.Job) time.Duration { return 0 }
	for _, c := range []struct {
		jobs    []*sweep.Job
		n       int
		predict func(*sweep.Job) time.Duration
		want    string
	}{
		{nil, 0, unknown, "[]"},
		{list(1, 1, 1, 1, 1), 2, unknown, "[2 2 1]"},
		{list(3_000_000, 3_000_000, 3_000_000, 6_000_000, 1), 0, unknown, "[2 2 1]"},
		{list(0, 0, 0), 0, unknown, "[2 1]"},
		{list(1, 1, 1, 1), 0, func(*sweep.Job) time.Duration { return 40 * time.Second }, "[3 1]"},
	} {
		sizes := []int{}
		for _, task := range pack(c.jobs, c.n, c.predict) {
			sizes = append(sizes, len(task))
		}
		assert.Equal(t, c.want, fmt.Sprint(sizes))
	}
	assert.Equal(t, "[2 2 1]", fmt.Sprint(func() (sizes []int) {
		for _, chunk := range chunks(pack(list(1, 1, 1, 1, 1), 1, unknown), 2) {
			sizes = append(sizes, len(chunk))
		}
		return sizes
	}()))
}
