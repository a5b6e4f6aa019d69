package store

import (
	"strings"
	"time"
)

// Sweep is what a command asked for: which runs, whether they are stored or not.
type Sweep struct {
	// Command is the command line that asked, as a shell takes it. A store keeps
	// what each asked for last.
	Command string
	Began   time.Time // to the second
	Keys    []string  // of the runs, those of single applications included
}

// sweepsTable is not in a store that nobody has swept into since there are such
// tables, which makes no other version of it: programs that do not know it leave it
// alone.
const sweepsTable = "CREATE TABLE IF NOT EXISTS sweeps (command TEXT PRIMARY KEY, began INTEGER NOT NULL, keys TEXT NOT NULL) WITHOUT ROWID"

// PutSweep notes what a command has begun to make, so that others can tell how far
// it is.
func (s *Store) PutSweep(w Sweep) error {
	tx, err := s.db.Begin()
	if err != nil {
		return s.failed(err)
	}
	defer tx.Rollback()
	if _, err = tx.Exec(sweepsTable); err == nil {
		_, err = tx.Exec("INSERT OR REPLACE INTO sweeps (command, began, keys) VALUES (?, ?, ?)", w.Command, w.Began.Unix(), strings.Join(w.Keys, "\n"))
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// Sweeps lists what commands have asked for, the last one first.
func (s *Store) Sweeps() (list []Sweep, err error) {
	var tables int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_master WHERE name = 'sweeps'").Scan(&tables); err != nil {
		return nil, s.failed(err)
	}
	if tables == 0 {
		return nil, nil
	}
	rows, err := s.db.Query("SELECT command, began, keys FROM sweeps ORDER BY began DESC, command")
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		var w Sweep
		var began int64
		var keys string
		if err := rows.Scan(&w.Command, &began, &keys); err != nil {
			return nil, s.failed(err)
		}
		w.Began, w.Keys = time.Unix(began, 0), strings.Fields(keys)
		list = append(list, w)
	}
	if err := rows.Err(); err != nil {
		return nil, s.failed(err)
	}
	return list, nil
}
