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

// Any number of sweeps share a spool, and each removes results when it ends. So the
// record of a sweep names the runs that it wants, from when the sweep enters the spool
// until it leaves; a sweep that leaves removes only results that no other record
// names. Entering, leaving and copying the program hold the lock of the whole spool.

// lockRetry is the time between two tries to lock the spool. Locks last as long as it
// takes to copy a program.
const lockRetry = 20 * time.Millisecond

// exclusively calls do while no other process enters or leaves the spool, which it
// makes if it is not there.
func (p *places) exclusively(ctx context.Context, do func() error) error {
	for {
		unlock, err := p.lockSpool()
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

func (p *places) lockSpool() (unlock func(), err error) {
	if err := os.MkdirAll(p.spool, 0o777); err != nil {
		return nil, err
	}
	return lockFile(p.spoolLock())
}

// lockFile locks a file, and makes it if it is not there.
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

// enter makes a sweep's folders and locks the sweep. The error is staging.ErrTaken if
// another process waits for it.
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
	r.Wants = nil
	for _, j := range plan.All() {
		r.Wants = append(r.Wants, j.Key)
	}
	return p.exclusively(ctx, func() error { return p.save(r) })
}

// forget removes the results of a sweep's runs that no other sweep wants, and what
// the sweep has submitted from its record. Logs stay.
func (p *places) forget(ctx context.Context, r *record, plan *sweep.Plan) error {
	return p.exclusively(ctx, func() error {
		p.removeResults(plan)
		r.Wants, r.Jobs = nil, nil
		return p.save(r)
	})
}

// remove removes a sweep that is done, and with the last one all else that was put
// into the spool.
func (p *places) remove(ctx context.Context, plan *sweep.Plan) error {
	return p.exclusively(ctx, func() error {
		p.removeResults(plan)
		if err := removeAll(p.sweep); err != nil {
			return err
		}
		if os.Remove(filepath.Dir(p.sweep)) != nil {
			return nil // other sweeps are there
		}
		programs, err := filepath.Glob(filepath.Join(p.spool, "program-*"))
		if err != nil {
			return err
		}
		for _, path := range append(programs, p.results(), p.spoolLock()) {
			err = errors.Join(err, removeAll(path))
		}
		os.Remove(p.spool) // which may have been there before
		if err != nil {
			return fmt.Errorf("what the sweep leaves behind: %w", err)
		}
		return nil
	})
}

// removeAll removes a folder. A task that nothing waits for any more may still write
// into it; what it writes then stays.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err != nil && !errors.Is(err, os.ErrExist) { // or not empty
		return err
	}
	return nil
}

// removeResults removes those results of a plan's runs that no other sweep wants.
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

// wantedByOthers are the keys of the runs that other sweeps name; all says that
// a record cannot be read, so that any may be among them.
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
