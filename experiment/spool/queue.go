package spool

import (
	"context"
	"io"
)

// Queue carries out tasks, somewhere and some time.
type Queue interface {
	// Limit is the greatest number of tasks of a job.
	Limit(ctx context.Context) (int, error)
	// Submit begins a job's tasks once the tasks of the jobs in After have ended, in
	// whatever way, and returns the job's ID. ctx does not end it half way.
	Submit(ctx context.Context, j *Job) (id string, err error)
	// Find returns the ID of a job that may have been submitted; "" if it was not, or
	// if the queue has forgotten it.
	Find(ctx context.Context, j *Job) (id string, err error)
	// States returns the states of tasks of submitted jobs. A task without a state has
	// ended in an unknown way. An error says that nothing is known at the moment.
	States(ctx context.Context, jobs []*Job) (map[TaskID]State, error)
	// Show writes the submission of a job.
	Show(w io.Writer, j *Job) error
	// GoesOn is a line on the jobs that go on without a waiting process, and how to end
	// them. There is at least one job.
	GoesOn(jobs []*Job) string
}

// Job is a set of tasks that are submitted together.
type Job struct {
	Name    string
	ID      string // from the queue; "" before
	Folder  string // absolute, of the tasks
	Tasks   int    // their numbers are 0 to Tasks-1
	Program string // absolute path of the program; its task command carries them out
	// After lists the IDs of the jobs that it waits for.
	After []string
}

// TaskID names a task by its job's ID.
type TaskID struct {
	Job   string
	Index int
}

// State is the state of a task. The zero value waits.
type State struct {
	Running, Ended bool
	// Reason is the queue's word for its end; "" if unknown.
	Reason string
	// Cancelled says that a user ended it.
	Cancelled bool
}
