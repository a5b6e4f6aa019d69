package spool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/platform/presets"
)

// queue makes the runs of its tasks at once, unless its fields say something else.
type queue struct {
	vanish    int    // number of tasks that vanish first
	cancel    bool   // tasks are cancelled
	lose      bool   // Submit does what it does and does not return
	deaf      int    // States fails so often
	after     func() // is called when a job has been submitted; may be nil
	submitted []*Job
	tasks     []*Task        // that have been made
	made      map[string]int // how often, by key
}

var errLost = errors.New("no answer")

func (q *queue) Limit(context.Context) (int, error) { return 100, nil }

func (q *queue) Submit(_ context.Context, j *Job) (string, error) {
	j.ID = strconv.Itoa(len(q.submitted) + 1)
	q.submitted = append(q.submitted, j)
	for i := range j.Tasks {
		if q.cancel {
			continue
		}
		if q.vanish > 0 {
			q.vanish--
			continue
		}
		data, err := os.ReadFile(taskFile(j.Folder, i))
		if err != nil {
			return "", err
		}
		task := &Task{}
		if err := json.Unmarshal(data, task); err != nil {
			return "", err
		}
		q.tasks = append(q.tasks, task)
		at := &places{spool: filepath.Dir(filepath.Dir(filepath.Dir(j.Folder)))}
		for _, o := range task.Runs {
			q.made[o.Key]++
			if err := writeResult(at.result(o.Key), o.Key, 1, json.RawMessage(resultText)); err != nil {
				return "", err
			}
		}
	}
	if q.lose {
		panic(errLost)
	}
	if q.after != nil {
		q.after()
	}
	return j.ID, nil
}

func (q *queue) Find(_ context.Context, j *Job) (string, error) {
	for _, known := range q.submitted {
		if known.Name == j.Name {
			return known.ID, nil
		}
	}
	return "", nil
}

func (q *queue) States(_ context.Context, jobs []*Job) (map[TaskID]State, error) {
	if q.deaf > 0 {
		q.deaf--
		return nil, errLost
	}
	states := map[TaskID]State{}
	if q.cancel {
		for _, j := range jobs {
			for i := range j.Tasks {
				states[TaskID{j.ID, i}] = State{Ended: true, Reason: "CANCELLED", Cancelled: true}
			}
		}
	}
	return states, nil
}

func (q *queue) Show(io.Writer, *Job) error { return nil }
func (q *queue) GoesOn(jobs []*Job) string  { return strconv.Itoa(len(jobs)) + " jobs" }

// test is a sweep of two applications and their mix.
type test struct {
	queue  *queue
	runner *sweep.Runner
	spool  *Executor
	plan   *sweep.Plan
	failed []string
	told   []string
}

func newTest(t *testing.T) *test {
	t.Helper()
	folder := t.TempDir()
	s, err := store.Open(filepath.Join(folder, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	program := filepath.Join(folder, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!"), 0o700))
	hash, err := sweep.HashFile(program)
	require.NoError(t, err)
	x := &test{queue: &queue{made: map[string]int{}}, plan: sweep.NewPlan(sweep.NewInputs(presets.Load), hash)}
	x.spool = &Executor{Queue: x.queue, Spool: filepath.Join(folder, "spool"), Store: filepath.Join(folder, "s"), Program: program, Hash: hash,
		Retries: 2, Tell: func(text string) { x.told = append(x.told, text) }}
	x.runner = &sweep.Runner{Store: s, Executor: x.spool, Failed: func(_ *sweep.Job, err error) { x.failed = append(x.failed, err.Error()) }}
	require.NoError(t, x.plan.Add(experiment.Spec{GPU: "gtx980", Policy: "spart", Apps: []string{"profile:lbm", "profile:sad"}, Cycles: 1000, Seed: 1}))
	return x
}

func (x *test) requireMade(t *testing.T, want sweep.Progress) {
	t.Helper()
	got, err := x.runner.Do(t.Context(), x.plan)
	require.NoError(t, err)
	got.Left = 0
	assert.Equal(t, want, got)
	for key, n := range x.queue.made {
		assert.Equal(t, 1, n, key)
	}
	if want.Failed == 0 {
		assert.NoDirExists(t, x.spool.Spool)
	}
}

func TestMixesDependOnTheirSingleRuns(t *testing.T) {
	x := newTest(t)
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	require.Len(t, x.queue.submitted, 2)
	assert.Empty(t, x.queue.submitted[0].After)
	assert.Equal(t, []string{"1"}, x.queue.submitted[1].After)
	x.requireMade(t, sweep.Progress{Total: 3, Stored: 3})
	assert.Len(t, x.queue.submitted, 2)
}

// A task that is nowhere, and has left nothing, has ended.
func TestWhatVanishesIsSubmittedAgain(t *testing.T) {
	x := newTest(t)
	x.spool.RunsPerTask = 1
	x.queue.vanish = 3 // both alone, and the mix
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	last := x.queue.submitted[len(x.queue.submitted)-1]
	assert.Equal(t, 1, last.Tasks)
}

func TestWhatVanishesForEverFails(t *testing.T) {
	x := newTest(t)
	x.spool.RunsPerTask = 1
	x.queue.vanish = 100
	x.requireMade(t, sweep.Progress{Total: 3, Failed: 3})
	assert.Contains(t, x.failed[0], "ended without a result (it is not known how); its log: ")
	assert.Contains(t, x.failed[2], "has no isolated IPC: its run alone failed")
	tasks := 0
	for _, j := range x.queue.submitted {
		tasks += j.Tasks
	}
	assert.Equal(t, 2*3+1, tasks, "two runs three times, and the mix with them")
	x.queue.vanish, x.failed = 0, nil
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
}

func TestWhatIsCancelledIsNotSubmittedAgain(t *testing.T) {
	x := newTest(t)
	x.queue.cancel = true
	x.requireMade(t, sweep.Progress{Total: 3, Failed: 3})
	assert.Len(t, x.queue.submitted, 2)
}

// A process that is killed while it submits does not know whether it has.
func TestSubmissionThatWasKilledIsFoundByItsName(t *testing.T) {
	x := newTest(t)
	x.queue.lose = true
	assert.PanicsWithValue(t, errLost, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
	require.Len(t, x.queue.submitted, 1)
	x.queue.lose = false
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	assert.Len(t, x.queue.submitted, 2, "the single runs once")
}

func TestQueueThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	x := newTest(t)
	x.spool.RunsPerTask = 1
	x.queue.vanish, x.queue.deaf = 1, 3
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	assert.Equal(t, []string{"no answer; it is asked again until it answers"}, x.told)
}

func TestCollectWaitsForNothing(t *testing.T) {
	x := newTest(t)
	x.spool.Collect = true
	_, err := x.runner.Do(t.Context(), x.plan)
	assert.EqualError(t, err, "3 of 3 runs have no result yet, and nothing of them has been submitted; without --collect the same command does that")
	assert.NoDirExists(t, x.spool.Spool)
	x.queue.lose, x.spool.Collect = true, false
	assert.Panics(t, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
	x.queue.lose, x.spool.Collect = false, true
	progress, err := x.runner.Do(t.Context(), x.plan)
	assert.ErrorContains(t, err, "1 of 3 runs have no result yet")
	assert.Equal(t, 2, progress.Run)
	x.spool.Collect = false
	x.requireMade(t, sweep.Progress{Total: 3, Stored: 2, Run: 1})
}
