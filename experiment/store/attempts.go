package store

import (
	"context"
	"database/sql"
	"time"
)

// BeatEvery is the time between two signs of life of a running sweep.
const BeatEvery = 5 * time.Second

// Patience is how long a running sweep may give no sign of life before readers take it
// for dead: it was killed or stopped, or its machine is off. It outlasts several beats and
// another process's transaction. It compares the clocks of the two machines.
const Patience = 6 * BeatEvery

// State says how an Attempt stands.
type State string

// The states of an Attempt. A killed sweep stays Running.
const (
	Running     State = "running"
	Ended       State = "ended" // every run was tried
	Interrupted State = "interrupted"
	Aborted     State = "aborted" // by an error of the sweep itself
)

// Attempt is the last time that a command carried out its Sweep.
type Attempt struct {
	Command string    // of the Sweep
	Began   time.Time // to the second
	Beat    time.Time // the last sign of life, to the second
	State   State
	Message string // the error of Interrupted and Aborted
	Made    int    // runs made by this attempt
	// Left is about the time for the rest at Beat, to the second; 0 if unknown.
	Left     time.Duration
	Failures []Failure // in the order in which the runs failed
}

// Failure is a run without a result.
type Failure struct {
	Run     string // the command line that repeats it
	Message string // why it failed, in one line
}

// attemptsTables are made by the first attempt. Stores without them have the same version,
// as with sweepsTable.
const attemptsTables = `CREATE TABLE IF NOT EXISTS attempts (command TEXT PRIMARY KEY, began INTEGER NOT NULL, beat INTEGER NOT NULL,
	state TEXT NOT NULL, message TEXT NOT NULL, made INTEGER NOT NULL, left_seconds INTEGER NOT NULL) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS failures (command TEXT NOT NULL, number INTEGER NOT NULL, run TEXT NOT NULL, message TEXT NOT NULL,
	PRIMARY KEY (command, number)) WITHOUT ROWID`

// PutAttempt notes how an attempt stands, and replaces what the store knew of its command.
func (s *Store) PutAttempt(a Attempt) error {
	return s.failed(s.change(func(tx *sql.Tx) error {
		if _, err := tx.Exec(attemptsTables); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT OR REPLACE INTO attempts (command, began, beat, state, message, made, left_seconds) VALUES (?, ?, ?, ?, ?, ?, ?)",
			a.Command, a.Began.Unix(), a.Beat.Unix(), string(a.State), a.Message, a.Made, int64(a.Left.Seconds())); err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM failures WHERE command = ? AND number >= ?", a.Command, len(a.Failures)); err != nil {
			return err
		}
		for i, f := range a.Failures {
			if _, err := tx.Exec("INSERT OR REPLACE INTO failures (command, number, run, message) VALUES (?, ?, ?, ?)", a.Command, i, f.Run, f.Message); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Attempts returns the last attempt of each command that has one, by the command.
func (s *Store) Attempts(ctx context.Context) (map[string]*Attempt, error) {
	var tables int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'attempts'").Scan(&tables); err != nil || tables == 0 {
		return nil, s.failed(err)
	}
	attempts := map[string]*Attempt{}
	err := s.each(ctx, func(row *sql.Rows) error {
		var a Attempt
		var began, beat, left int64
		err := row.Scan(&a.Command, &began, &beat, (*string)(&a.State), &a.Message, &a.Made, &left)
		a.Began, a.Beat, a.Left = time.Unix(began, 0), time.Unix(beat, 0), time.Duration(left)*time.Second
		attempts[a.Command] = &a
		return err
	}, "SELECT command, began, beat, state, message, made, left_seconds FROM attempts")
	if err != nil {
		return nil, s.failed(err)
	}
	err = s.each(ctx, func(row *sql.Rows) error {
		var command string
		var f Failure
		err := row.Scan(&command, &f.Run, &f.Message)
		if a := attempts[command]; a != nil {
			a.Failures = append(a.Failures, f)
		}
		return err
	}, "SELECT command, run, message FROM failures ORDER BY command, number")
	return attempts, s.failed(err)
}
