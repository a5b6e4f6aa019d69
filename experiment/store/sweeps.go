package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Sweep lists the runs that a command asked for, stored or not.
type Sweep struct {
	// Command is the command line for a shell. A store keeps the last Sweep of each
	// command.
	Command string
	Began   time.Time // to the second
	Keys    []string  // of all runs, with single applications
}

// sweepsTable is made by the first sweep. Stores without it have the same version: older
// programs leave the table alone.
const sweepsTable = "CREATE TABLE IF NOT EXISTS sweeps (command TEXT PRIMARY KEY, began INTEGER NOT NULL, keys TEXT NOT NULL) WITHOUT ROWID"

// PutSweep notes the runs that a command begins, so that serve can show its progress.
func (s *Store) PutSweep(w Sweep) error {
	return s.failed(s.change(func(tx *sql.Tx) error {
		if _, err := tx.Exec(sweepsTable); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT OR REPLACE INTO sweeps (command, began, keys) VALUES (?, ?, ?)", w.Command, w.Began.Unix(), strings.Join(w.Keys, "\n"))
		return err
	}))
}

// Sweeps lists the sweeps of all commands, the last first.
func (s *Store) Sweeps() (list []Sweep, err error) {
	var tables int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_master WHERE name = 'sweeps'").Scan(&tables); err != nil || tables == 0 {
		return nil, s.failed(err)
	}
	err = s.each(context.Background(), func(row *sql.Rows) error {
		var w Sweep
		var began int64
		var keys string
		err := row.Scan(&w.Command, &began, &keys)
		w.Began, w.Keys = time.Unix(began, 0), strings.Fields(keys)
		list = append(list, w)
		return err
	}, "SELECT command, began, keys FROM sweeps ORDER BY began DESC, command")
	return list, s.failed(err)
}
