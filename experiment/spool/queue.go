package spool

import (
	"context"
	"io"
)

// Queue has tasks carried out, somewhere and some time.
type Queue interface {
	// Limit is the greatest number of tasks of a job.
	Limit(ctx context.Context) (int, error)
	// Submit has a job's tasks begun, once those of the jobs that it waits for have
	// ended, however they ended, and returns the job's ID. It is not ended by ctx
	// half way.
	Submit(ctx context.Context, j *Job) (id string, err error)
	// Find returns the ID of a job that somebody may have submitted; "" if nobody
	// has, or it is too long ago to be known.
	Find(ctx context.Context, j *Job) (id string, err error)
	// States tells of tasks of jobs that have been submitted. One that it does not tell
	// of has ended, nobody knows how. An error says that nothing is known at the
	// moment.
	States(ctx context.Context, jobs []*Job) (map[TaskID]State, error)
	// Show writes what Submit would do with the tasks of a job, and what they would be
	// submitted as.
	Show(w io.Writer, j *Job) error
	// GoesOn says, in a line, what goes on without a process that waits, and how to end
	// it. The jobs are not empty.
	GoesOn(jobs []*Job) string
}

// Job is some tasks that are submitted together.
type Job struct {
	Name    string
	ID      string // that the queue has given it; "" before
	Folder  string // absolute, of the tasks
	Tasks   int    // their numbers are 0 to Tasks-1
	Program string // absolute path of the program whose task command carries them out
	// After are the jobs that it waits for.
	After []string
}

// TaskID is a task of a job, by the ID that the queue has given that.
type TaskID struct {
	Job   string
	Index int
}

// State is where a task is. The zero value waits.
type State struct {
	Running, Ended bool
	// Reason is how it has ended, in the words of the queue; "" if nobody knows.
	Reason string
	// Cancelled says that somebody did not want it any more.
	Cancelled bool
}
