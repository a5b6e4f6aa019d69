package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// Runner carries out plans.
type Runner struct {
	// Store keeps the results.
	Store *store.Store
	Local
	// Executor carries out the runs that the store lacks; nil: Local.
	Executor Executor
	// Look leaves the store as it is, for an Executor that only shows its plan. The
	// store may be nil.
	Look bool
	// Progress is told how far the plan is: at the start, after every run, and
	// every second. It may be nil. It is called from one goroutine at a time, as
	// are Failed and Damaged.
	Progress func(Progress)
	// Failed is told of a run that failed. The plan goes on. It may be nil.
	Failed func(*Job, error)
	// Damaged is told of a run that is made again because its stored result is damaged.
	// It may be nil.
	Damaged func(*Job)
}

// Progress says how far a plan is.
type Progress struct {
	Total  int // different runs
	Stored int // found in the store
	Run    int // made now
	Failed int // without a result
	// Running and Waiting count the tasks of an Executor elsewhere; 0 with Local.
	Running, Waiting int
	// Left is about the time for the rest; 0 if unknown.
	Left time.Duration
}

// Done is the number of runs that need no more work.
func (p Progress) Done() int { return p.Stored + p.Run + p.Failed }

// Do makes the runs that the store lacks, and counts failures. It returns errors of ctx
// and of the store.
func (r *Runner) Do(ctx context.Context, plan *Plan) (Progress, error) {
	executor := r.Executor
	if executor == nil {
		executor = &r.Local
	}
	w := &Work{runner: r, plan: plan, alone: map[string]experiment.Isolated{}, progress: Progress{Total: plan.Len()}}
	w.estimate = newEstimate(plan, experiment.AtATime(r.Parallel))
	missing, err := w.missing(ctx)
	if err != nil {
		return w.progress, err
	}
	w.report()
	stop := w.everySecond()
	err = executor.Do(ctx, w, missing)
	stop()
	return w.progress, err
}

// Stored reports for each of a plan's runs, in the order of Plan.All, whether a store has
// it; n counts them.
func Stored(s *store.Store, plan *Plan) (has []bool, n int, err error) {
	for _, j := range plan.All() {
		text, err := s.Get(j.Key)
		if err != nil && !isDamaged(err) { // a damaged run is made again
			return nil, 0, err
		}
		if has = append(has, text != nil); text != nil {
			n++
		}
	}
	return has, n, nil
}

// Results reads the results of a plan's runs from a store, in the order of Plan.Jobs; nil
// for a missing one. A damaged result is an error.
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
