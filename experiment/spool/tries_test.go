package spool

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/platform/presets"
)

// scripted is a queue with tasks and answers from a test.
type scripted struct {
	*queue
	// killAt ends the process behind the submission of this number, killBefore ahead of it.
	killAt, killBefore int
	// made are the numbers of the submissions with tasks that make their runs; tasks of
	// further submissions make nothing.
	made  []int
	asked int
	// answer is what States says when it is asked for the n-th time, from 1 on.
	answer func(n int) map[TaskID]State
}

func (s *scripted) Submit(ctx context.Context, j *Job) (string, error) {
	n := len(s.submitted) + 1
	if n == s.killBefore {
		s.killBefore = 0
		panic(errLost)
	}
	s.vanish = j.Tasks
	if slices.Contains(s.made, n) {
		s.vanish = 0
	}
	s.lose = n == s.killAt
	return s.queue.Submit(ctx, j)
}

func (s *scripted) States(context.Context, []*Job) (map[TaskID]State, error) {
	s.asked++
	if s.answer == nil {
		return nil, nil
	}
	return s.answer(s.asked), nil
}

// scripts has the test's queue be scripted.
func (x *test) scripts() *scripted {
	s := &scripted{queue: x.queue}
	x.spool.Queue = s
	return s
}

// single has the test's sweep be of one application alone, and its queue be scripted.
func (x *test) single(t *testing.T) *scripted {
	x.plan = sweep.NewPlan(sweep.NewInputs(presets.Load), x.spool.Hash)
	require.NoError(t, x.plan.Add(experiment.Spec{GPU: "gtx980", Policy: "spart", Apps: []string{"profile:lbm"}, Cycles: 1000, Seed: 1}))
	return x.scripts()
}

// Two tries are allowed, and a process is killed as it submits the n-th time. The same
// command finds the tries before, and makes no more than what is left of them.
func TestTriesCountAcrossRestarts(t *testing.T) {
	t.Parallel()
	for killAt := 1; killAt <= 3; killAt++ {
		t.Run(fmt.Sprintf("killed at submission %d", killAt), func(t *testing.T) {
			t.Parallel()
			x := newTest(t)
			x.spool.Retries = 2
			s := x.single(t)
			s.killAt = killAt
			require.PanicsWithValue(t, errLost, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
			x.requireMade(t, sweep.Progress{Total: 1, Failed: 1})
			assert.Len(t, s.submitted, 3)
			require.Len(t, x.failed, 1)
			assert.Contains(t, x.failed[0], "its task 3_0 ended without a result")
		})
	}
}

// What a run complained of counts for the try that it ends, also where a process before has
// seen nothing of it.
func TestSameComplaintTwiceEndsTheTries(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.spool.Retries = 10
	s := x.single(t)
	at, err := placesOf(x.spool.Spool, x.spool.Store, x.plan)
	require.NoError(t, err)
	s.answer = func(int) map[TaskID]State { // each task complains as it ends
		require.NoError(t, os.WriteFile(at.failure(x.plan.All()[0].Key), []byte("too large"), 0o600))
		return nil
	}
	x.requireMade(t, sweep.Progress{Total: 1, Failed: 1})
	assert.Equal(t, []string{"too large"}, x.failed)
	assert.Len(t, s.submitted, 2)
}

// The first try says why it has failed, and the second ends without a word: what the first has
// said is not said again.
func TestComplaintIsThatOfTheLastTry(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.spool.Retries = 10
	s := x.single(t)
	s.made = []int{3}
	at, err := placesOf(x.spool.Spool, x.spool.Store, x.plan)
	require.NoError(t, err)
	s.answer = func(n int) map[TaskID]State {
		if n == 1 {
			require.NoError(t, os.WriteFile(at.failure(x.plan.All()[0].Key), []byte("the disk is full"), 0o600))
		}
		return nil
	}
	x.requireMade(t, sweep.Progress{Total: 1, Run: 1})
	assert.Len(t, s.submitted, 3)
}

// The process is killed when it has noted a submission and not begun it: no task has tried.
func TestSubmissionThatNeverWasIsNoTry(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.spool.Retries = 0
	s := x.single(t)
	s.killBefore, s.made = 1, []int{1}
	require.PanicsWithValue(t, errLost, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
	require.Empty(t, s.submitted)
	x.requireMade(t, sweep.Progress{Total: 1, Run: 1})
	assert.Len(t, s.submitted, 1)
}

// One try is allowed beside the first. The applications alone vanish, and so does the mix
// that waits for them, which has not been tried by that; they are tried again, each in a task
// of its own, and then the mix twice.
func TestMixThatHasMissedItsSingleRunsHasAllItsTries(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.spool.Retries = 1
	s := x.scripts()
	s.made = []int{3, 5}
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	var tasks []int
	for _, j := range s.submitted {
		tasks = append(tasks, j.Tasks)
	}
	assert.Equal(t, []int{1, 1, 2, 1, 1}, tasks)
}

// The process is killed behind the submission of the applications alone. As it comes back
// they run, and the mix is submitted at once, to wait for them.
func TestMixIsSubmittedWhileItsSingleRunsAreUnderWay(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	s := x.scripts()
	s.killAt = 1
	s.answer = func(n int) map[TaskID]State {
		if n < 3 {
			return map[TaskID]State{{"1", 0}: {Running: true}}
		}
		for _, j := range x.plan.All() {
			require.NoError(t, writeResult(filepath.Join(x.spool.Spool, "results", j.Key), j.Key, 1, json.RawMessage(resultText)))
		}
		return nil
	}
	require.PanicsWithValue(t, errLost, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	require.Len(t, s.submitted, 2)
	assert.Equal(t, []string{"1"}, s.submitted[1].After)
}

// What the store knows of applications alone is in the tasks: the spool may have their results
// no longer.
func TestTaskSaysWhatItsApplicationsAchieveAlone(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	for _, j := range x.plan.All()[:2] {
		require.NoError(t, x.runner.Store.Put(store.Entry{Key: j.Key, Identity: json.RawMessage("{}"), Result: json.RawMessage(resultText)}))
	}
	x.requireMade(t, sweep.Progress{Total: 3, Stored: 2, Run: 1})
	want := map[string]experiment.Isolated{}
	for _, j := range x.plan.All()[:2] {
		want[j.Key] = experiment.Isolated{IPC: 2.5}
	}
	require.Len(t, x.queue.tasks, 1)
	assert.Equal(t, want, x.queue.tasks[0].Alone)
}

func TestDamagedResultIsRemovedWhereItIsFound(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.single(t)
	key := x.plan.All()[0].Key
	damaged := filepath.Join(x.spool.Spool, "results", key)
	require.NoError(t, os.MkdirAll(filepath.Dir(damaged), 0o700))
	require.NoError(t, os.WriteFile(damaged, []byte("half"), 0o600))
	x.spool.Collect = true
	_, err := x.runner.Do(t.Context(), x.plan)
	assert.ErrorContains(t, err, "1 of 1 runs have no result yet")
	assert.NoFileExists(t, damaged)
}

// As long as another sweep has a folder in the spool, results and programs stay there.
func TestLastSweepAloneEmptiesTheSpool(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	s := x.single(t)
	s.made = []int{1}
	other := filepath.Join(x.spool.Spool, "sweeps", "other")
	result := filepath.Join(x.spool.Spool, "results", "of another")
	for _, folder := range []string{other, filepath.Dir(result)} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
	}
	require.NoError(t, os.WriteFile(result, nil, 0o600))
	_, err := x.runner.Do(t.Context(), x.plan)
	require.NoError(t, err)
	assert.DirExists(t, other)
	assert.FileExists(t, result)
	programs, err := filepath.Glob(filepath.Join(x.spool.Spool, "program-*"))
	require.NoError(t, err)
	assert.Len(t, programs, 1)
}

// A result can be there later than the queue says that its task has ended. A task that the
// queue has not known for once, as between two beginnings, has not been looked at before.
func TestResultsOfATaskThatHasEndedAreLookedAtTwice(t *testing.T) {
	t.Parallel()
	running := map[TaskID]State{{"1", 0}: {Running: true}}
	waits := map[TaskID]State{{"1", 0}: {}}
	ended := map[TaskID]State{{"1", 0}: {Ended: true, Reason: "COMPLETED"}}
	for name, answers := range map[string][]map[TaskID]State{
		"unknown": {nil}, "ended": {ended}, "running again": {running, nil, running, nil}, "requeued": {ended, waits, ended},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTest(t)
			s := x.single(t)
			key := x.plan.All()[0].Key
			s.answer = func(n int) map[TaskID]State {
				if n == len(answers) { // behind the look for results
					require.NoError(t, writeResult(filepath.Join(x.spool.Spool, "results", key), key, 1, json.RawMessage(resultText)))
				}
				return answers[n-1]
			}
			x.requireMade(t, sweep.Progress{Total: 1, Run: 1})
			assert.Len(t, s.submitted, 1)
			assert.Equal(t, len(answers), s.asked)
		})
	}
}

// What is only shown changes neither the store nor the spool, damaged as both may be.
func TestShowingWhatWouldBeSubmittedRemovesNothing(t *testing.T) {
	t.Parallel()
	x := newTest(t)
	x.single(t)
	key := x.plan.All()[0].Key
	require.NoError(t, x.runner.Store.Put(store.Entry{Key: key, Identity: json.RawMessage("{}"), Result: json.RawMessage(resultText)}))
	db, err := sql.Open("sqlite", x.spool.Store)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE runs SET result = '{}'")
	require.NoError(t, err)
	damaged := filepath.Join(x.spool.Spool, "results", key)
	require.NoError(t, os.MkdirAll(filepath.Dir(damaged), 0o700))
	require.NoError(t, os.WriteFile(damaged, []byte("half"), 0o600))

	shown := &bytes.Buffer{}
	x.spool.Show, x.runner.Look = shown, true
	x.runner.Damaged = func(*sweep.Job) { t.Error("nothing is made again") }
	got, err := x.runner.Do(t.Context(), x.plan)
	require.NoError(t, err)
	assert.Equal(t, sweep.Progress{Total: 1}, got)
	assert.Contains(t, shown.String(), "1 runs in 1 tasks")
	text, err := os.ReadFile(damaged)
	require.NoError(t, err)
	assert.Equal(t, "half", string(text))
	entries, err := os.ReadDir(x.spool.Spool)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the folder of results alone")
	_, err = x.runner.Store.Get(key)
	assert.ErrorAs(t, err, new(*store.DamagedError), "it is there as it was")
	assert.Empty(t, x.queue.submitted)
}
