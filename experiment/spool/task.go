package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// Task is a list of runs that are made one after the other.
type Task struct {
	Form int `json:"form"`
	// Program is the hash of the program that the keys name.
	Program string `json:"program"`
	// Folder is the working folder of the sweep and of the runs.
	Folder string `json:"folder"`
	// Flags are further flags of the run command.
	Flags []string       `json:"flags,omitempty"`
	Runs  []*sweep.Order `json:"runs"`
	// Alone has the known figures of single applications, by the key of their runs.
	Alone map[string]experiment.Isolated `json:"alone,omitempty"`
}

// Maker carries out tasks, in a process of the queue.
type Maker struct {
	// Command is the program, Program its hash.
	Command []string
	Program string
	// Log gets a line for each run begun, made or failed.
	Log io.Writer
	// Patience is how long to hold a result that cannot be written, as on a full disk.
	Patience time.Duration
}

// taskFile is the file of a task in the folder of its job.
func taskFile(folder string, index int) string {
	return filepath.Join(folder, fmt.Sprintf("%d.json", index))
}

// Do makes the runs without a result of a task, by the folder of its job and its number.
// The error counts the failed runs, or comes from ctx, from the task's file or from
// writing a result.
func (m *Maker) Do(ctx context.Context, folder string, index int) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	file := taskFile(folder, index)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t := &Task{}
	if err := json.Unmarshal(data, t); err != nil || t.Form != form {
		return fmt.Errorf("%s is not a task of this program", file)
	}
	if t.Program != m.Program {
		return fmt.Errorf("%s is a task of another build of the program; valid: the program beside it, as sweep submits it", file)
	}
	if err := os.Chdir(t.Folder); err != nil {
		return fmt.Errorf("the folder in which the sweep was begun: %w", err)
	}
	sweeps := filepath.Dir(filepath.Dir(folder))
	at := &places{spool: filepath.Dir(sweeps), sweep: filepath.Dir(folder)}
	failed := 0
	wanted := func() bool { // a finished sweep removes its tasks
		_, err := os.Stat(file)
		return !errors.Is(err, os.ErrNotExist)
	}
	for _, o := range t.Runs {
		if !wanted() {
			return errUnwanted
		}
		fault, err := m.run(ctx, at, t, o, wanted)
		if err != nil {
			return err
		}
		if fault != nil {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, len(t.Runs))
	}
	return nil
}

// errUnwanted says that the sweep of a task is done: other tasks have made its runs.
var errUnwanted = errors.New("the sweep has ended")

// run makes one run, if it has no result. fault is the run's failure; err ends the task.
func (m *Maker) run(ctx context.Context, at *places, t *Task, o *sweep.Order, wanted func() bool) (fault, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, _, err := readResult(at.result(o.Key), o.Key); err == nil {
		fmt.Fprintf(m.Log, "there already: %s\n", o.Run.Command())
		return nil, nil
	}
	fmt.Fprintf(m.Log, "begun: %s\n", o.Run.Command())
	began := time.Now()
	isolated, fault := o.Isolated(func(key string) (experiment.Isolated, bool) {
		if x, ok := t.Alone[key]; ok {
			return x, true
		}
		return aloneIn(at.result(key), key)
	})
	var text json.RawMessage
	if fault == nil {
		text, fault = o.Make(ctx, m.Command, t.Flags, isolated, sweep.File.Unchanged)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // the run may be sound
	case fault != nil:
		fmt.Fprintf(m.Log, "failed: %v\n", fault)
		_ = staging.Write(at.failure(o.Key), []byte(fault.Error()), false) // or the log has it
		return fault, nil
	}
	took := time.Since(began)
	if err := m.hold(ctx, wanted, func() error { return writeResult(at.result(o.Key), o.Key, took.Seconds(), text) }); err != nil {
		return nil, fmt.Errorf("the result of %s: %w", o.Key, err)
	}
	fmt.Fprintf(m.Log, "made in %s\n", took.Round(time.Second/10))
	return nil, nil
}

// hold writes a result until it succeeds, patience ends, or the sweep has ended.
func (m *Maker) hold(ctx context.Context, wanted func() bool, write func() error) error {
	began := time.Now()
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		err := write()
		if err == nil || errors.Is(err, staging.ErrEnding) || time.Since(began)+wait > m.Patience {
			return err
		}
		if !wanted() {
			return errUnwanted
		}
		fmt.Fprintf(m.Log, "held until it can be written: %v\n", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}
