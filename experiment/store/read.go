package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// OpenToRead opens a store that is there, and never writes to it: other processes
// may do so meanwhile. A store whose last writer was killed within a transaction
// has to be opened to write first, which undoes that.
func OpenToRead(path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			err = p.Err // the message has the path already
		}
		return nil, (&Store{path: path}).failed(err)
	}
	return open(path, "ro")
}

// readable refuses what this program cannot read.
func (s *Store) readable() error {
	var id, found int
	for query, value := range map[string]*int{"PRAGMA application_id": &id, "PRAGMA user_version": &found} {
		if err := s.db.QueryRow(query).Scan(value); err != nil {
			if fault := (*sqlite.Error)(nil); errors.As(err, &fault) && fault.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
				return fmt.Errorf("a program that wrote to it was killed, and left a journal: any sweep with this store repairs it: %w", err)
			}
			return err
		}
	}
	switch {
	case id != applicationID:
		return errNotAStore
	case found == 1:
		return errors.New("its runs have no checksums; any sweep with this store adds them")
	case found != version:
		return fmt.Errorf("its form is version %d, this program knows version %d", found, version)
	}
	return nil
}

// Path is that of the store's file.
func (s *Store) Path() string { return s.path }

// Keys lists the keys of all runs, in alphabetical order.
func (s *Store) Keys(ctx context.Context) (keys []string, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT key FROM runs ORDER BY key")
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, s.failed(err)
		}
		keys = append(keys, key)
	}
	if err := rows.Err(); err != nil {
		return nil, s.failed(err)
	}
	return keys, nil
}

// Entry returns the run of a key whole, nil if there is none. The error is a
// *DamagedError if it is not what was stored.
func (s *Store) Entry(key string) (*Entry, error) {
	e, err := entryOf(s.path, s.db, key)
	if damaged := (*DamagedError)(nil); err != nil && !errors.As(err, &damaged) {
		err = s.failed(err)
	}
	return e, err
}

// entryOf reads the run of a key; nil if there is none.
func entryOf(path string, from interface {
	QueryRow(query string, args ...any) *sql.Row
}, key string) (*Entry, error) {
	e := &Entry{Key: key}
	var sum sql.NullString
	err := from.QueryRow("SELECT identity, result, sum FROM runs WHERE key = ?", key).Scan((*[]byte)(&e.Identity), (*[]byte)(&e.Result), &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case sum.String != e.sum():
		return nil, &DamagedError{path, key}
	}
	return e, nil
}

func (s *Store) get(from interface {
	QueryRow(query string, args ...any) *sql.Row
}, key string) (json.RawMessage, error) {
	e, err := entryOf(s.path, from, key)
	if e == nil {
		return nil, err
	}
	return e.Result, nil
}
