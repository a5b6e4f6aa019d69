package sweep

import (
	"context"

	"cotenant/experiment"
)

// Executor carries out the runs of a plan that the store lacks: first single
// applications, then the mixes, which need their figures. It ends each run by Work.Made,
// Work.Stored or Work.Fail. Do returns errors of ctx, of the store and of the executor
// itself; a run that fails is none.
type Executor interface {
	Do(ctx context.Context, w *Work, missing [2][]*Job) error
}

// Local makes runs on this machine, each in a process of its own.
type Local struct {
	// Command is the program, with arguments that precede run.
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
		if err := experiment.InParallel(ctx, l.Parallel, jobs, func(ctx context.Context, j *Job) error { return l.make(ctx, w, j) }); err != nil {
			return err
		}
	}
	return nil
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
