package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// Work is the task of one Runner.Do, as its Executor sees it. It is safe for concurrent
// use.
type Work struct {
	runner *Runner
	plan   *Plan

	mu        sync.Mutex
	progress  Progress
	estimate  *estimate
	estimated time.Time                      // of progress.Left
	alone     map[string]experiment.Isolated // of single applications, by the key of the run
}

// Plan is the sweep's whole plan, with the stored runs.
func (w *Work) Plan() *Plan { return w.plan }

// everySecond reports each second until stop returns.
func (w *Work) everySecond() (stop func()) {
	ctx, end := context.WithCancel(context.Background())
	var reporting sync.WaitGroup
	reporting.Go(func() {
		for {
			select {
			case <-time.After(time.Second):
				w.report()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		end()
		reporting.Wait()
	}
}

// missing looks up the runs that the store lacks.
func (w *Work) missing(ctx context.Context) (missing [2][]*Job, err error) {
	for phase, jobs := range w.plan.phases {
		for _, j := range jobs {
			if err := ctx.Err(); err != nil {
				return missing, err
			}
			has, err := w.take(j)
			if err != nil {
				return missing, err
			}
			if has {
				w.progress.Stored++
				w.estimate.end(j, time.Time{}, false)
			} else {
				missing[phase] = append(missing[phase], j)
			}
		}
	}
	return missing, nil
}

// take looks for a job's result in the store.
func (w *Work) take(j *Job) (bool, error) {
	if w.runner.Store == nil {
		return false, nil
	}
	text, err := w.runner.Store.Get(j.Key)
	if isDamaged(err) {
		return false, w.drop(j)
	}
	if err != nil || text == nil {
		return false, err
	}
	return true, w.note(j, text)
}

// drop removes a damaged result.
func (w *Work) drop(j *Job) error {
	if w.runner.Look {
		return nil
	}
	if err := w.runner.Store.Drop(j.Key); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runner.Damaged != nil {
		w.runner.Damaged(j)
	}
	return nil
}

func isDamaged(err error) bool {
	damaged := (*store.DamagedError)(nil)
	return errors.As(err, &damaged)
}

// note remembers the figures of a single application.
func (w *Work) note(j *Job, text json.RawMessage) error {
	if len(j.Apps) > 1 {
		return nil
	}
	result, err := decode(text)
	if err != nil {
		return fmt.Errorf("stored result of %s: %w", j, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.estimate.began[j]; !known {
		w.estimate.took[j] = time.Duration(result.WallSeconds * float64(time.Second))
	}
	w.alone[j.Key] = alone(result)
	return nil
}

// Stored reports whether the store has a run by now, and counts it. Another sweep may
// have made it meanwhile.
func (w *Work) Stored(j *Job) (bool, error) {
	has, err := w.take(j)
	if has && err == nil {
		w.count(j, &w.progress.Stored)
	}
	return has, err
}

// Begin notes that a run begins.
func (w *Work) Begin(j *Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.estimate.begin(j, time.Now())
}

// Took notes the time of a run that began elsewhere.
func (w *Work) Took(j *Job, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.estimate.took[j] = took
}

// Made stores the result of a run.
func (w *Work) Made(j *Job, text json.RawMessage) error {
	if err := w.note(j, text); err != nil {
		return err
	}
	identity, err := json.Marshal(j.identity)
	if err != nil {
		return err
	}
	if err := w.runner.Store.Put(store.Entry{Key: j.Key, Identity: identity, Result: text}); err != nil {
		return err
	}
	w.count(j, &w.progress.Run)
	return nil
}

// Fail notes a run without a result, and the reason.
func (w *Work) Fail(j *Job, fault error) {
	w.mu.Lock()
	if w.runner.Failed != nil {
		w.runner.Failed(j, fault)
	}
	w.mu.Unlock()
	w.count(j, &w.progress.Failed)
}

// Tasks notes how many tasks run and wait elsewhere.
func (w *Work) Tasks(running, waiting int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress.Running, w.progress.Waiting = running, waiting
	w.estimate.parallel = max(1, running)
}

// Alone returns the figures of a single application by the key of its run; false before
// its result is there.
func (w *Work) Alone(key string) (experiment.Isolated, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x, ok := w.alone[key]
	return x, ok
}

// Predict predicts the times of runs from the runs made so far; 0 if unknown.
func (w *Work) Predict() func(*Job) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.estimate.speeds().predicted
}

// count counts a run that has ended.
func (w *Work) count(j *Job, n *int) {
	w.mu.Lock()
	*n++
	w.estimate.end(j, time.Now(), n == &w.progress.Run)
	w.mu.Unlock()
	w.report()
}

func (w *Work) report() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runner.Progress == nil {
		return
	}
	// A plan may have many runs to look at.
	switch now := time.Now(); {
	case w.progress.Done() == w.progress.Total:
		w.progress.Left = 0
	case now.Sub(w.estimated) >= time.Second/2:
		w.estimated, w.progress.Left = now, w.estimate.left(now)
	}
	w.runner.Progress(w.progress)
}
