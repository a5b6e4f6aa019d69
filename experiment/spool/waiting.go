package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cotenant/experiment/sweep"
)

// calm is how long to gather runs to be tried again, stumble how long to wait after a
// failed submission while tasks go on.
const (
	calm    = 10 * time.Second
	stumble = time.Minute
)

// waiting is one Executor.Do.
type waiting struct {
	*Executor
	work   *sweep.Work
	at     *places
	record *record

	runs     map[string]*run // that the store does not have, by key
	order    []*run
	tasks    map[TaskID]*task // submitted, and not known to have ended
	failures int

	submittedAt, notBefore time.Time // the last submission; the next, after a failed one
	mute                   bool      // the queue has not answered, and Tell knows
}

// run is a run that the store lacks at first.
type run struct {
	job       *sweep.Job
	order     *sweep.Order
	over      bool   // stored or failed
	lost      bool   // failed
	flying    bool   // in a task that is not known to have ended
	submitted bool   // at least once
	tries     int    // without a result
	complaint string // of the last try
}

// task is a submitted task.
type task struct {
	job  *Job
	runs []*run
	gone bool // it had ended when it was last looked at
}

// wait submits runs and takes their results until none is left.
func (s *waiting) wait(ctx context.Context) error {
	began := time.Now()
	for {
		for _, t := range s.tasks {
			if t.gone {
				seen(s.at.results())
				seen(s.at.failures())
				break
			}
		}
		if err := s.merge(); err != nil {
			return err
		}
		s.look(ctx)
		if err := s.submit(ctx); err != nil {
			return err
		}
		if s.left() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause(time.Since(began))):
		}
	}
}

// left is the number of runs without a result that have not failed.
func (s *waiting) left() (n int) {
	for _, r := range s.order {
		if !r.over {
			n++
		}
	}
	return n
}

// attach finds the submissions of earlier processes.
func (s *waiting) attach(ctx context.Context) error {
	known := s.record.Jobs[:0]
	for _, j := range s.record.Jobs {
		if j.ID == "" {
			id, err := s.Queue.Find(ctx, s.described(&j))
			if err != nil {
				return err
			}
			if id == "" {
				continue
			}
			j.ID = id
		}
		known = append(known, j)
	}
	s.record.Jobs = known
	latest := map[*run]TaskID{}
	for i := range known {
		j := s.described(&known[i])
		for index, keys := range known[i].Runs {
			t := &task{job: j}
			id := TaskID{j.ID, index}
			for _, key := range keys {
				r := s.runs[key]
				if r == nil {
					continue
				}
				if r.submitted {
					r.tries++
					before := s.tasks[latest[r]]
					before.runs = slices.DeleteFunc(before.runs, func(other *run) bool { return other == r })
				}
				r.submitted, r.flying, latest[r] = true, true, id
				t.runs = append(t.runs, r)
			}
			s.tasks[id] = t
		}
	}
	for id, t := range s.tasks {
		if len(t.runs) == 0 {
			delete(s.tasks, id)
		}
	}
	return nil
}

// merge takes the results that are there into the store.
func (s *waiting) merge() error {
	folder, err := os.Open(s.at.results())
	if errors.Is(err, os.ErrNotExist) && s.Collect {
		return nil
	}
	if err != nil {
		return s.failed(err)
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return s.failed(err)
	}
	for _, key := range names {
		r := s.runs[key]
		if r == nil || r.over {
			continue
		}
		head, text, err := readResult(s.at.result(key), key)
		if errors.Is(err, errDamaged) {
			_ = os.Remove(s.at.result(key)) // to make it again
			continue
		}
		if err != nil {
			continue // until the next look
		}
		r.over = true
		s.work.Took(r.job, time.Duration(head.Seconds*float64(time.Second)))
		if err := s.work.Made(r.job, text); err != nil {
			return err
		}
	}
	return nil
}

// flying lists the jobs with tasks that are not known to have ended.
func (s *waiting) flying() (jobs []*Job) {
	for _, t := range s.tasks {
		if !slices.Contains(jobs, t.job) && slices.ContainsFunc(t.runs, func(r *run) bool { return !r.over }) {
			jobs = append(jobs, t.job)
		}
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Or(len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID)) })
	return jobs
}

// look asks the queue for the states of the tasks. A task that has ended counts at the
// second look, when a network's file system shows its results.
func (s *waiting) look(ctx context.Context) {
	for id, t := range s.tasks {
		if !slices.ContainsFunc(t.runs, func(r *run) bool { return !r.over }) {
			delete(s.tasks, id)
		}
	}
	if len(s.tasks) == 0 {
		s.work.Tasks(0, 0)
		return
	}
	states, err := s.Queue.States(ctx, s.flying())
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if !s.mute {
			s.Tell(fmt.Sprintf("%v; it is asked again until it answers", err))
		}
		s.mute = true
		return
	}
	s.mute = false
	running, waiting := 0, 0
	for id, t := range s.tasks {
		state, known := states[id]
		switch {
		case known && state.Running:
			running++
			t.gone = false
		case known && !state.Ended:
			waiting++
			t.gone = false
		case !t.gone:
			t.gone = true
		default:
			s.ended(id, t, state)
			delete(s.tasks, id)
		}
	}
	s.work.Tasks(running, waiting)
}

// ended fails or frees the runs without a result of a task that has ended.
func (s *waiting) ended(id TaskID, t *task, state State) {
	for _, r := range t.runs {
		if r.over {
			continue
		}
		r.flying = false
		if !s.ready(r) {
			continue // it still waits for its needs
		}
		r.tries++
		before := r.complaint
		text, err := os.ReadFile(s.at.failure(r.job.Key))
		if r.complaint = string(text); err != nil || len(text) == 0 {
			r.complaint = fmt.Sprintf("its task %s_%d ended without a result (%s); its log: %s", id.Job, id.Index,
				cmp.Or(state.Reason, "it is not known how"), filepath.Join(t.job.Folder, fmt.Sprintf("%d.log", id.Index)))
		}
		if state.Cancelled || r.tries > s.Retries || r.complaint == before {
			s.fail(r, errors.New(r.complaint))
		}
	}
}

func (s *waiting) fail(r *run, fault error) {
	r.over, r.lost = true, true
	s.failures++
	s.work.Fail(r.job, fault)
}

// ready reports whether what a run needs is known.
func (s *waiting) ready(r *run) bool {
	_, err := r.order.Isolated(s.work.Alone)
	return err == nil
}
