package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// Runner carries out plans.
type Runner struct {
	// Store keeps the results.
	Store *store.Store
	// Command is the program, and arguments before those of the run command.
	Command []string
	// Flags are further flags of the run command, which make no difference to
	// results.
	Flags []string
	// Parallel is the number of runs at a time; 0: one for each processor.
	Parallel int
	// Progress is told how far the plan is: at the start, after every run, and
	// every second. It may be nil. It is called from one goroutine at a time, as
	// are Failed and Damaged.
	Progress func(Progress)
	// Failed is told of a run that failed; the others go on. It may be nil.
	Failed func(*Job, error)
	// Damaged is told of a run that is made again, because the one in the store is
	// damaged. It may be nil.
	Damaged func(*Job)
}

// Progress says how far a plan is.
type Progress struct {
	Total  int // different runs
	Stored int // of them, those that were there already
	Run    int // made now
	Failed int // that gave no result
	// Left is about how long the rest will take; 0 if nothing is known of that.
	Left time.Duration
}

// Done is the number of runs that need no more work.
func (p Progress) Done() int { return p.Stored + p.Run + p.Failed }

// Do makes the runs that the store does not have. A run that fails is counted;
// the error is that of ctx, or of the store.
func (r *Runner) Do(ctx context.Context, plan *Plan) (Progress, error) {
	w := &work{Runner: r, plan: plan, alone: map[*Job]experiment.Isolated{}, progress: Progress{Total: plan.Len()}}
	w.estimate = newEstimate(plan, w.parallel())
	missing, err := w.missing(ctx)
	if err != nil {
		return w.progress, err
	}
	w.report()
	stop := w.everySecond()
	for _, jobs := range missing {
		if err = w.phase(ctx, jobs); err != nil {
			break
		}
	}
	stop()
	return w.progress, err
}

// everySecond reports while runs go on, until the function that it returns has
// returned.
func (w *work) everySecond() (stop func()) {
	ticker, ended, stopped := time.NewTicker(time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticker.C:
				w.report()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
		<-stopped
	}
}

// work is one Do.
type work struct {
	*Runner
	plan *Plan

	mu        sync.Mutex
	progress  Progress
	estimate  *estimate
	estimated time.Time                    // when progress.Left was
	alone     map[*Job]experiment.Isolated // of the single applications that have run
}

// missing looks up which runs the store has.
func (w *work) missing(ctx context.Context) (missing [2][]*Job, err error) {
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
func (w *work) take(j *Job) (bool, error) {
	text, err := w.Store.Get(j.Key)
	if isDamaged(err) {
		return false, w.drop(j)
	}
	if err != nil || text == nil {
		return false, err
	}
	return true, w.note(j, text)
}

// drop removes a damaged result.
func (w *work) drop(j *Job) error {
	if err := w.Store.Drop(j.Key); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Damaged != nil {
		w.Damaged(j)
	}
	return nil
}

func isDamaged(err error) bool {
	damaged := (*store.DamagedError)(nil)
	return errors.As(err, &damaged)
}

// note remembers what a single application reached alone.
func (w *work) note(j *Job, text json.RawMessage) error {
	if len(j.Apps) > 1 {
		return nil
	}
	result, err := decode(text)
	if err != nil {
		return fmt.Errorf("stored result of %s: %w", j, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	k := &result.Kernels[0]
	if _, known := w.estimate.began[j]; !known {
		w.estimate.took[j] = time.Duration(result.WallSeconds * float64(time.Second))
	}
	alone := experiment.Isolated{IPC: k.IPC, Instructions: k.RunInstructions()}
	if k.IsolatedTurnaroundCycles.Defined() {
		alone.Turnaround = float64(k.IsolatedTurnaroundCycles)
	}
	if k.IsolatedWIPC.Defined() {
		alone.WIPC = float64(k.IsolatedWIPC)
	}
	w.alone[j] = alone
	return nil
}

func (w *work) phase(ctx context.Context, jobs []*Job) error {
	group, ctx := errgroup.WithContext(ctx) // ends with the first error
	group.SetLimit(w.parallel())
	for _, j := range jobs {
		group.Go(func() error { return w.do(ctx, j) })
	}
	return group.Wait()
}

func (w *work) parallel() int {
	if w.Parallel > 0 {
		return w.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// do makes one run. Its error ends the sweep; a run that fails does not.
func (w *work) do(ctx context.Context, j *Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Another sweep may have made it meanwhile.
	if has, err := w.take(j); has || err != nil {
		if err == nil {
			w.count(j, &w.progress.Stored)
		}
		return err
	}
	w.mu.Lock()
	w.estimate.begin(j, time.Now())
	w.mu.Unlock()
	text, fault := w.simulate(ctx, j)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault != nil:
		w.mu.Lock()
		if w.Failed != nil {
			w.Failed(j, fault)
		}
		w.mu.Unlock()
		w.count(j, &w.progress.Failed)
		return nil
	}
	if err := w.note(j, text); err != nil {
		return err
	}
	identity, err := json.Marshal(j.identity)
	if err != nil {
		return err
	}
	if err := w.Store.Put(store.Entry{Key: j.Key, Identity: identity, Result: text}); err != nil {
		return err
	}
	w.count(j, &w.progress.Run)
	return nil
}

// simulate makes a run in a process of its own, and returns its result.
func (w *work) simulate(ctx context.Context, j *Job) (json.RawMessage, error) {
	isolated, err := w.isolated(j)
	if err != nil {
		return nil, err
	}
	text, err := child(ctx, slices.Concat(w.Command, j.ArgumentsWith(isolated), w.Flags, []string{"--json", "-", "--quiet"}))
	if err != nil {
		return nil, err
	}
	result, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("the run wrote no result: %w", err)
	}
	if result.ConfigHash != j.hash {
		return nil, fmt.Errorf("the file of GPU %s has changed since the sweep began; start the sweep again", j.GPU)
	}
	for _, file := range j.files {
		if err := w.plan.inputs.unchanged(file); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// isolated returns what each application of a mix achieves alone.
func (w *work) isolated(j *Job) (list []experiment.Isolated, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, alone := range j.isolated {
		x, ok := w.alone[alone]
		if !ok {
			return nil, fmt.Errorf("%s has no isolated IPC: its run alone failed", alone.Apps[0])
		}
		if whole := j.whole[i]; x.Instructions == 0 && whole != nil {
			if x.Instructions = w.alone[whole].Instructions; x.Instructions == 0 {
				return nil, fmt.Errorf("%s has no goal in time: its run to the end alone failed", alone.Apps[0])
			}
		}
		list = append(list, x)
	}
	return list, nil
}

// count notes how a run has ended.
func (w *work) count(j *Job, n *int) {
	w.mu.Lock()
	*n++
	w.estimate.end(j, time.Now(), n == &w.progress.Run)
	w.mu.Unlock()
	w.report()
}

func (w *work) report() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Progress == nil {
		return
	}
	// A plan may have many runs to look at.
	switch now := time.Now(); {
	case w.progress.Done() == w.progress.Total:
		w.progress.Left = 0
	case now.Sub(w.estimated) >= time.Second/2:
		w.estimated, w.progress.Left = now, w.estimate.left(now)
	}
	w.Progress(w.progress)
}

// Stored says of each of a plan's runs, in the order of Plan.All, whether a store
// has it, and how many it has.
func Stored(s *store.Store, plan *Plan) (has []bool, n int, err error) {
	for _, j := range plan.All() {
		text, err := s.Get(j.Key)
		if err != nil && !isDamaged(err) { // which is made again
			return nil, 0, err
		}
		if has = append(has, text != nil); text != nil {
			n++
		}
	}
	return has, n, nil
}

// Results reads the results of a plan's runs from a store, in the order of
// Plan.Jobs; nil for one that is not there. One that is damaged is an error.
func Results(s *store.Store, plan *Plan) ([]*experiment.Result, error) {
	results := make([]*experiment.Result, len(plan.Jobs))
	for i, j := range plan.Jobs {
		text, err := s.Get(j.Key)
		if isDamaged(err) {
			return nil, fmt.Errorf("%w (%s); the same command makes the run again", err, j)
		}
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		if results[i], err = decode(text); err != nil {
			return nil, fmt.Errorf("stored result of %s: %w", j, err)
		}
	}
	return results, nil
}

// decode reads a result of this program.
func decode(text json.RawMessage) (*experiment.Result, error) {
	r := &experiment.Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Schema != experiment.Schema || len(r.Kernels) == 0 {
		return nil, errors.New("it is not the result of a run")
	}
	return r, nil
}
