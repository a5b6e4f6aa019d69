package sweep

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Executor carries out the runs of a plan that the store does not have: those of
// single applications, and then those of mixes, which need what the former found.
// It ends each by Work.Made, Work.Stored or Work.Fail. An error of Do is that of
// ctx, of the store, or of what the Executor needs; a run that fails is none.
type Executor interface {
	Do(ctx context.Context, w *Work, missing [2][]*Job) error
}

// Local makes runs on this machine, each in a process of its own.
type Local struct {
	// Command is the program, and arguments before those of the run command.
	Command []string
	// Flags are further flags of the run command, which make no difference to
	// results.
	Flags []string
	// Parallel is the number of runs at a time; 0: one for each processor.
	Parallel int
}

// Do implements Executor.
func (l *Local) Do(ctx context.Context, w *Work, missing [2][]*Job) error {
	for _, jobs := range missing {
		group, ctx := errgroup.WithContext(ctx) // ends with the first error
		group.SetLimit(parallel(l.Parallel))
		for _, j := range jobs {
			group.Go(func() error { return l.make(ctx, w, j) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// parallel is how many runs go on at a time, if n is asked for.
func parallel(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// make makes one run. Its error ends the sweep; a run that fails does not.
func (l *Local) make(ctx context.Context, w *Work, j *Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if has, err := w.Stored(j); has || err != nil {
		return err
	}
	w.Begin(j)
	order := w.plan.Order(j)
	isolated, fault := order.Isolated(w.Alone)
	if fault == nil {
		text, err := order.Make(ctx, l.Command, l.Flags, isolated, File.Untouched)
		if err == nil {
			return w.Made(j, text)
		}
		fault = err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.Fail(j, fault)
	return nil
}
