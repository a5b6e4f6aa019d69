package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/spool"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
)

// defaultStore is the default of --store.
const defaultStore = "cotenant.sqlite"

// batch makes many runs, each in a process of its own, and keeps their results
// in a store.
type batch struct {
	executorFlags
	store    outputFlag
	cache    string
	parallel uint64
	quiet    bool

	program string // path of this program
	hash    string // of its contents
	cached  bool   // the cache has been looked at
}

// bind makes the flags.
func (b *batch) bind(c *cobra.Command) {
	b.store.path = defaultStore
	bindOutput(c, &b.store, keptFile, "store", "keep results in the SQLite `FILE`, and make only the runs that it lacks")
	bindCache(c, &b.cache)
	bindCount(c, &b.parallel, "parallel", 1, maxParallel, "runs at a time, or tasks of another executor; by default one for each processor, with slurm as many as Slurm admits")
	c.Flags().BoolVar(&b.quiet, "quiet", false, "show no progress")
	b.executorFlags.bind(c)
}

// open enters the files of the command.
func (b *batch) open(c *cobra.Command) (*files, error) {
	if err := b.check(c); err != nil {
		return nil, err
	}
	if b.executor.kind != "local" && !b.spool.given() {
		b.spool.path = b.store.path + ".spool"
	}
	return openFiles(c)
}

// runFlags are flags of each run: this command's cache, and no files of dump steps, which
// several runs would write.
func (b *batch) runFlags() []string {
	flags := []string{"--no-dumps"}
	if b.cache != "" {
		flags = append(flags, "--cache", b.cache)
	}
	return flags
}

// plan returns an empty plan for this program, and a function that enters the inputs of
// its runs.
func (b *batch) plan(paths *files) (p *sweep.Plan, enter func() error, err error) {
	path, hash, err := executable()
	if err != nil {
		return nil, nil, fmt.Errorf("this program's own file: %w", err)
	}
	b.program, b.hash = path, hash
	read := map[string][]string{}
	p = sweep.NewPlan(sweep.NewInputs(func(ref string) (gpu *wiring.Config, err error) {
		gpu, read["GPU "+ref], err = presets.LoadWithFiles(ref)
		return gpu, err
	}), hash)
	return p, func() error {
		for _, j := range p.All() {
			by := strings.Join(j.Apps, " + ")
			for _, file := range j.Files() {
				if !slices.Contains(read[by], file) {
					read[by] = append(read[by], file)
				}
			}
		}
		for _, by := range slices.Sorted(maps.Keys(read)) {
			if err := paths.reads(by, read[by]...); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// do makes the runs of a plan that the store lacks. It returns all results in the plan's
// order, nil for a failed run.
func (b *batch) do(c *cobra.Command, paths *files, plan *sweep.Plan) (results []*experiment.Result, progress sweep.Progress, err error) {
	if !b.cached {
		if _, err := paths.cache(b.cache); err != nil { // or every run would complain of it
			return nil, sweep.Progress{}, err
		}
		b.cached = true
	}
	s, err := store.Open(b.store.path)
	if err != nil {
		return nil, sweep.Progress{}, err
	}
	defer s.Close()
	began := time.Now()
	if err := s.PutSweep(store.Sweep{Command: asked(c), Began: began, Keys: plan.Keys()}); err != nil {
		return nil, sweep.Progress{}, err
	}
	heart, err := sweep.NewHeartbeat(s, asked(c), began)
	if err != nil {
		return nil, sweep.Progress{}, err
	}
	defer func() { heart.End(ending(err)) }()
	shown := newRunsProgress(c.ErrOrStderr(), b.quiet)
	defer shown.clear()
	runner := sweep.Runner{Store: s, Local: sweep.Local{Command: []string{b.program}, Flags: b.runFlags(), Parallel: int(b.parallel)},
		Progress: func(p sweep.Progress) {
			shown.updateRuns(p)
			heart.Progress(p)
		},
		Failed: func(j *sweep.Job, err error) {
			heart.Failed(j, err)
			shown.clear()
			fmt.Fprintf(c.ErrOrStderr(), "failed: cotenant %s: %s\n", j.Command(), oneLine(err.Error()))
		},
		Damaged: func(j *sweep.Job) {
			shown.clear()
			fmt.Fprintf(c.ErrOrStderr(), "damaged in %s, and made again: cotenant %s\n", b.store.path, j.Command())
		}}
	spooled := b.spooled(c.ErrOrStderr(), shown)
	if spooled != nil {
		runner.Executor = spooled
	}
	progress, err = runner.Do(c.Context(), plan)
	if notYet := (*spool.NotYetError)(nil); errors.As(err, &notYet) {
		var fault error
		results, fault = sweep.Results(s, plan)
		return results, progress, errors.Join(fault, err)
	}
	if errors.Is(err, context.Canceled) {
		_, n, fault := sweep.Stored(s, plan)
		if fault != nil {
			return nil, progress, fault
		}
		on := "the same command goes on from there"
		if spooled != nil && spooled.GoesOn() != "" {
			on = spooled.GoesOn()
		}
		err = fmt.Errorf("interrupted; %s has %d of %s, and %s: %w", b.store.path, n, workload.Count(progress.Total, "run"), on, context.Canceled)
	} else if err != nil && spooled != nil && spooled.GoesOn() != "" {
		err = fmt.Errorf("%w; %s", err, spooled.GoesOn())
	}
	if err != nil {
		return nil, progress, err
	}
	results, err = sweep.Results(s, plan)
	return results, progress, err
}

// ending says how a sweep ended with an error or nil, and why.
func ending(err error) (state store.State, message string) {
	notYet := (*spool.NotYetError)(nil)
	switch {
	case err == nil:
		return store.Ended, ""
	case errors.Is(err, context.Canceled), errors.As(err, &notYet):
		return store.Interrupted, strings.TrimSuffix(oneLine(err.Error()), ": "+context.Canceled.Error())
	}
	return store.Aborted, oneLine(err.Error())
}

// asked is the command line of a command for a shell, without the flags that change no
// result.
func asked(c *cobra.Command) string {
	return strings.TrimSpace("cotenant " + commandLine(c) + " " + quoted(c.Flags().Args()))
}
