package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// batch is a set of runs that are submitted together.
type batch struct {
	runs  []*run
	alone bool // each is a task of its own
}

// submit submits new runs at once, with the mixes that wait for runs under way. It gathers
// runs to be tried again for a while. An error ends the sweep, unless tasks are under way:
// then it is told, and the submission tried again.
func (s *waiting) submit(ctx context.Context) error {
	if time.Now().Before(s.notBefore) {
		return nil
	}
	err := s.begin(ctx)
	if err == nil || len(s.tasks) == 0 || ctx.Err() != nil {
		return err
	}
	s.Tell(fmt.Sprintf("%v; it is tried again", err))
	s.notBefore = time.Now().Add(stumble)
	return nil
}

func (s *waiting) begin(ctx context.Context) error {
	var single, mixes, early, again batch
	again.alone = true
	for _, r := range s.order {
		if r.over || r.flying {
			continue
		}
		ready := s.ready(r)
		switch {
		case !ready && s.bereft(r):
			continue
		case !ready && !r.submitted && s.comes(r):
			early.runs = append(early.runs, r)
		case !ready:
		case r.tries > 0:
			again.runs = append(again.runs, r)
		case len(r.job.Needed()) == 0:
			single.runs = append(single.runs, r)
		default:
			mixes.runs = append(mixes.runs, r)
		}
	}
	if len(s.tasks) > 0 && time.Since(s.submittedAt) < calm {
		again.runs = nil
	}
	for _, b := range []batch{single, again, mixes, early} {
		if err := s.submitBatch(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// bereft ends a run that needs a failed one.
func (s *waiting) bereft(r *run) bool {
	if !slices.ContainsFunc(r.job.Needed(), func(j *sweep.Job) bool { need := s.runs[j.Key]; return need != nil && need.lost }) {
		return false
	}
	_, err := r.order.Isolated(s.work.Alone)
	s.fail(r, err)
	return true
}

// comes reports whether the needs of a run are there, under way, or begun in this round,
// so that a dependency lets it wait. Runs tried again begin later.
func (s *waiting) comes(r *run) bool {
	for _, j := range r.job.Needed() {
		need := s.runs[j.Key]
		if _, known := s.work.Alone(j.Key); !known && (need == nil || !need.flying && need.submitted) {
			return false
		}
	}
	return true
}

// submitBatch submits some runs.
func (s *waiting) submitBatch(ctx context.Context, b batch) error {
	if len(b.runs) == 0 {
		return nil
	}
	limit, err := s.Queue.Limit(ctx)
	if err != nil {
		return err
	}
	var jobs []*sweep.Job
	for _, r := range b.runs {
		jobs = append(jobs, r.job)
	}
	n := s.RunsPerTask
	if b.alone {
		n = 1
	}
	var after []string
	for _, t := range s.tasks {
		for _, r := range b.runs {
			if !slices.Contains(after, t.job.ID) && slices.ContainsFunc(r.job.Needed(), func(j *sweep.Job) bool { return slices.Contains(t.runs, s.runs[j.Key]) }) {
				after = append(after, t.job.ID)
			}
		}
	}
	slices.Sort(after)
	for _, tasks := range chunks(pack(jobs, n, s.work.Predict()), limit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.submitJob(ctx, tasks, after); err != nil {
			return err
		}
	}
	return nil
}

// submitJob submits tasks. The record has the job before and after, so that the next
// process finds it, whenever this one is killed.
func (s *waiting) submitJob(ctx context.Context, tasks [][]*sweep.Job, after []string) error {
	var program string
	if err := s.at.exclusively(ctx, func() (err error) {
		program, err = s.at.copyProgram(s.Program, s.Hash)
		return err
	}); err != nil {
		return s.failed(err)
	}
	entry := job{Name: fmt.Sprintf("%s-%d", s.prefix(), s.record.Next), After: after}
	folder := s.at.job(entry.Name)
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return s.failed(err)
	}
	for i, runs := range tasks {
		keys, err := s.writeTask(folder, i, runs)
		if err != nil {
			return s.failed(err)
		}
		entry.Runs = append(entry.Runs, keys)
	}
	s.record.Next++
	s.record.Jobs = append(s.record.Jobs, entry)
	if err := s.at.save(s.record); err != nil {
		s.record.Jobs = s.record.Jobs[:len(s.record.Jobs)-1]
		return s.failed(err)
	}
	last := &s.record.Jobs[len(s.record.Jobs)-1]
	j := s.described(last)
	j.Program = program
	var err error
	if j.ID, err = s.Queue.Submit(ctx, j); err != nil {
		s.record.Jobs = s.record.Jobs[:len(s.record.Jobs)-1]
		return errors.Join(err, s.failed(s.at.save(s.record)))
	}
	last.ID = j.ID
	s.submittedAt = time.Now()
	for i, runs := range tasks {
		t := &task{job: j}
		for _, of := range runs {
			r := s.runs[of.Key]
			r.submitted, r.flying = true, true
			t.runs = append(t.runs, r)
		}
		s.tasks[TaskID{j.ID, i}] = t
	}
	return s.failed(s.at.save(s.record))
}

// writeTask writes the file of a task, and returns the keys of its runs.
func (s *waiting) writeTask(folder string, index int, runs []*sweep.Job) (keys []string, err error) {
	t := &Task{Form: form, Program: s.Hash, Flags: s.Flags, Alone: map[string]experiment.Isolated{}}
	if t.Folder, err = os.Getwd(); err != nil {
		return nil, err
	}
	for _, j := range runs {
		_ = os.Remove(s.at.failure(j.Key)) // of the try before
		t.Runs, keys = append(t.Runs, s.runs[j.Key].order), append(keys, j.Key)
		for _, need := range j.Needed() {
			if x, known := s.work.Alone(need.Key); known {
				t.Alone[need.Key] = x
			}
		}
	}
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return keys, staging.Write(taskFile(folder, index), data, false)
}
