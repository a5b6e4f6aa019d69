package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// Executor makes runs by the tasks of a queue. It implements sweep.Executor.
type Executor struct {
	Queue Queue
	// Spool is the folder of tasks and results, Store the path of the results' store.
	Spool, Store string
	// Program is the path of this program, Hash that of its contents.
	Program, Hash string
	// Flags are further flags of the run command that change no result.
	Flags []string
	// RunsPerTask is the number of runs of a task; 0: as many as take some minutes.
	RunsPerTask int
	// Retries is how often a run is repeated after a failure, or after the early end of
	// its task.
	Retries int
	// Collect takes the results that are there, and waits for nothing.
	Collect bool
	// Show, if it is not nil, gets the submissions, and nothing is submitted.
	Show io.Writer
	// Tell is told, in a line, of a fault that may pass.
	Tell func(string)

	goesOn string
}

// GoesOn is a line on the tasks that go on after Do; "" if none does.
func (e *Executor) GoesOn() string { return e.goesOn }

// NotYetError says that a collected sweep lacks results.
type NotYetError struct {
	Missing, Total int
	GoesOn         string // as Executor.GoesOn
}

// Error counts them.
func (e *NotYetError) Error() string {
	text := fmt.Sprintf("%d of %d runs have no result yet", e.Missing, e.Total)
	if e.GoesOn == "" {
		return text + ", and nothing of them has been submitted; without --collect the same command does that"
	}
	return text + "; " + e.GoesOn
}

// Do implements sweep.Executor.
func (e *Executor) Do(ctx context.Context, w *sweep.Work, missing [2][]*sweep.Job) error {
	at, err := placesOf(e.Spool, e.Store, w.Plan())
	if err != nil {
		return err
	}
	s := &waiting{Executor: e, work: w, at: at, runs: map[string]*run{}, tasks: map[TaskID]*task{}}
	for _, jobs := range missing {
		for _, j := range jobs {
			r := &run{job: j, order: w.Plan().Order(j)}
			s.runs[j.Key], s.order = r, append(s.order, r)
		}
	}
	if e.Show != nil {
		return s.show(ctx)
	}
	if _, err := os.Stat(at.sweep); errors.Is(err, os.ErrNotExist) {
		if len(s.order) == 0 {
			at.sweepUp(ctx, w.Plan())
			return nil
		}
		if e.Collect { // another sweep's tasks may have made the runs
			s.record = &record{}
			return s.collect(ctx, false)
		}
	}
	unlock, err := at.enter(ctx)
	taken := errors.Is(err, staging.ErrTaken)
	switch {
	case taken && !e.Collect:
		return fmt.Errorf("another process waits for the runs of this sweep (%s); valid: with --collect, or after it has ended", at.sweep)
	case err != nil && !taken:
		return e.failed(err)
	case err == nil:
		defer unlock()
	}
	if s.record, err = at.load(); err != nil {
		return err
	}
	if e.Collect {
		return s.collect(ctx, !taken)
	}
	if err := s.attach(ctx); err != nil {
		return err
	}
	defer func() {
		if jobs := s.flying(); len(jobs) > 0 {
			e.goesOn = s.Queue.GoesOn(jobs)
		}
	}()
	if err := at.want(ctx, s.record, w.Plan()); err != nil {
		return e.failed(err)
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if s.failures > 0 { // their logs may be wanted
		return e.failed(at.forget(ctx, s.record, w.Plan()))
	}
	return e.failed(at.remove(ctx, w.Plan()))
}

// failed completes an error of the spool.
func (e *Executor) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("spool %s: %w; the same command goes on once the folder can be written", e.Spool, err)
}

// collect takes the results that are there into the store.
func (s *waiting) collect(ctx context.Context, locked bool) error {
	seen(s.at.results())
	if err := s.merge(); err != nil {
		return err
	}
	left := s.left()
	switch {
	case left == 0 && locked:
		return s.failed(s.at.remove(ctx, s.work.Plan()))
	case left == 0:
		return nil
	}
	err := &NotYetError{Missing: left, Total: s.work.Plan().Len()}
	if jobs := s.submitted(); len(jobs) > 0 {
		err.GoesOn = s.Queue.GoesOn(jobs)
	}
	return err
}

// submitted lists the jobs of the record that the queue knows.
func (s *waiting) submitted() (jobs []*Job) {
	for i := range s.record.Jobs {
		if j := &s.record.Jobs[i]; j.ID != "" {
			jobs = append(jobs, s.described(j))
		}
	}
	return jobs
}

// described makes the queue's Job of a job of the record.
func (s *waiting) described(j *job) *Job {
	return &Job{Name: j.Name, ID: j.ID, Folder: s.at.job(j.Name), Tasks: len(j.Runs), Program: s.at.program(s.Hash), After: j.After}
}

// show shows what would be submitted first.
func (s *waiting) show(ctx context.Context) error {
	limit, err := s.Queue.Limit(ctx)
	if err != nil {
		limit = 0 // showing needs no queue
	}
	var phases [2][]*sweep.Job
	for _, r := range s.order {
		phase := min(1, len(r.job.Needed()))
		phases[phase] = append(phases[phase], r.job)
	}
	var before []string
	n := 0
	for _, phase := range phases {
		var ids []string
		for _, tasks := range chunks(pack(phase, s.RunsPerTask, s.work.Predict()), limit) {
			name := fmt.Sprintf("%s-%d", s.prefix(), n)
			n++
			j := &Job{Name: name, Folder: s.at.job(name), Tasks: len(tasks), Program: s.at.program(s.Hash), After: before}
			if _, err := fmt.Fprintf(s.Show, "\n%s: %d runs in %d tasks\n", name, count(tasks), len(tasks)); err != nil {
				return err
			}
			if err := s.Queue.Show(s.Show, j); err != nil {
				return err
			}
			ids = append(ids, "ID-OF-"+name)
		}
		before = ids
	}
	return nil
}

// prefix begins the names of the sweep's jobs.
func (s *waiting) prefix() string { return "cotenant-" + filepath.Base(s.at.sweep)[:8] }

func count(tasks [][]*sweep.Job) (n int) {
	for _, t := range tasks {
		n += len(t)
	}
	return n
}

// chunks divides tasks into jobs of at most limit; 0 has no limit.
func chunks(tasks [][]*sweep.Job, limit int) (list [][][]*sweep.Job) {
	for limit > 0 && len(tasks) > limit {
		list, tasks = append(list, tasks[:limit]), tasks[limit:]
	}
	if len(tasks) > 0 {
		list = append(list, tasks)
	}
	return list
}

// pause is the time to the next look after some time of waiting.
func pause(waited time.Duration) time.Duration {
	return min(max(waited/20, time.Second/5), 10*time.Second)
}
