package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// Sweeps share a spool, and each removes results when it ends. So the record of a sweep
// names the runs that it wants while it is in the spool; a sweep that leaves removes only
// results that no other record names. Entering, leaving and copying the program hold the
// lock of the whole spool.

// lockRetry is the time between two tries to lock the spool. A lock may last as long as
// copying a program.
const lockRetry = 20 * time.Millisecond

// exclusively calls do while no other process enters or leaves the spool, and makes a
// missing spool.
func (p *places) exclusively(ctx context.Context, do func() error) error {
	for {
		var unlock func()
		err := os.MkdirAll(p.spool, 0o777)
		if err == nil {
			unlock, err = lockFile(p.spoolLock())
		}
		if err == nil {
			defer unlock()
			return do() // its ErrTaken is not the spool's
		}
		// The last sweep to leave may have removed the folder or the file meanwhile.
		if !errors.Is(err, staging.ErrTaken) && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockRetry):
		}
	}
}

// lockFile locks a file, and makes a missing one.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return staging.Lock(path)
}

// enter makes a sweep's folders and locks the sweep. The error is staging.ErrTaken while
// another process waits for the sweep.
func (p *places) enter(ctx context.Context) (unlock func(), err error) {
	err = p.exclusively(ctx, func() error {
		for _, folder := range []string{p.results(), p.failures()} {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
		}
		unlock, err = lockFile(p.lock())
		return err
	})
	return unlock, err
}

// want names the runs of a sweep's plan in its record.
func (p *places) want(ctx context.Context, r *record, plan *sweep.Plan) error {
	r.Wants = plan.Keys()
	return p.exclusively(ctx, func() error { return p.save(r) })
}

// forget removes a sweep's submissions from its record, and the results that no other
// sweep wants. Logs stay.
func (p *places) forget(ctx context.Context, r *record, plan *sweep.Plan) error {
	return p.exclusively(ctx, func() error {
		p.removeResults(plan)
		r.Wants, r.Jobs = nil, nil
		return p.save(r)
	})
}

// remove removes a finished sweep, and with the last sweep the rest of the spool.
func (p *places) remove(ctx context.Context, plan *sweep.Plan) error {
	return p.exclusively(ctx, func() error {
		p.removeResults(plan)
		if err := removeAll(p.sweep); err != nil {
			return err
		}
		if err := os.Remove(filepath.Dir(p.sweep)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil // other sweeps are there
		}
		programs, err := filepath.Glob(filepath.Join(p.spool, "program-*"))
		if err != nil {
			return err
		}
		for _, path := range append(programs, p.results(), p.spoolLock()) {
			err = errors.Join(err, removeAll(path))
		}
		os.Remove(p.spool) // unless it has files of the user
		if err != nil {
			return fmt.Errorf("removing the sweep's files: %w", err)
		}
		return nil
	})
}

// sweepUp removes what a process that was killed while it removed a finished sweep has
// left, as far as that is possible: the sweep needs none of it. Of a spool the lock goes last; a
// folder without it may be the user's.
func (p *places) sweepUp(ctx context.Context, plan *sweep.Plan) {
	if _, err := os.Stat(p.spoolLock()); err == nil {
		_ = p.remove(ctx, plan)
	}
}

// removeAll removes a folder. A task of a finished sweep may still write into it; its
// files then stay.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err != nil && !errors.Is(err, os.ErrExist) { // or not empty
		return err
	}
	return nil
}

// removeResults removes the results of a plan that no other sweep wants.
func (p *places) removeResults(plan *sweep.Plan) {
	wanted, all := p.wantedByOthers()
	if all {
		return
	}
	for _, j := range plan.All() {
		if !wanted[j.Key] {
			os.Remove(p.result(j.Key))
		}
	}
}

// wantedByOthers has the keys of the runs that other sweeps name. all says that a record
// cannot be read, so that any key may be wanted.
func (p *places) wantedByOthers() (wanted map[string]bool, all bool) {
	wanted = map[string]bool{}
	folders, err := os.ReadDir(filepath.Dir(p.sweep))
	if err != nil {
		return nil, true
	}
	for _, folder := range folders {
		other := &places{spool: p.spool, sweep: filepath.Join(filepath.Dir(p.sweep), folder.Name())}
		if other.sweep == p.sweep {
			continue
		}
		r, err := other.load()
		if err != nil {
			return nil, true
		}
		for _, key := range r.Wants {
			wanted[key] = true
		}
		for _, j := range r.Jobs {
			for _, keys := range j.Runs {
				for _, key := range keys {
					wanted[key] = true
				}
			}
		}
	}
	return wanted, false
}
