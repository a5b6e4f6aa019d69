package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// OpenToRead opens an existing store, and never writes to it, while other processes may. A
// store of a writer killed within a transaction must be opened for writing first, to undo
// the transaction.
func OpenToRead(path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			err = p.Err // the message has the path already
		}
		return nil, (&Store{path: path, reading: true}).failed(err)
	}
	return open(path, "ro")
}

// readable refuses files that this program cannot read.
func (s *Store) readable() error {
	var id, found int
	for query, value := range map[string]*int{"PRAGMA application_id": &id, "PRAGMA user_version": &found} {
		if err := s.db.QueryRow(query).Scan(value); err != nil {
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
	err = s.each(ctx, func(row *sql.Rows) error {
		var key string
		err := row.Scan(&key)
		keys = append(keys, key)
		return err
	}, "SELECT key FROM runs ORDER BY key")
	return keys, s.failed(err)
}

// together bounds the runs that Each reads at a time. Other processes may write in
// between.
const together = 64

// Each passes all runs to f in the order of their keys, without the keys that skip takes.
// f gets a *DamagedError and the key alone for a damaged run. Rows are read in order,
// because SQLite reads several whole rows to find one.
func (s *Store) Each(ctx context.Context, skip func(key string) bool, f func(*Entry, error)) error {
	keys, err := s.Keys(ctx)
	if err != nil {
		return err
	}
	for from := 0; from < len(keys); {
		if skip(keys[from]) {
			from++
			continue
		}
		to := from + 1
		for to < len(keys) && to-from < together && !skip(keys[to]) {
			to++
		}
		if err := s.between(ctx, keys[from], keys[to-1], f); err != nil {
			return s.failed(err)
		}
		from = to
	}
	return nil
}

// between passes the runs from one key to another to f, with runs stored since the keys
// were listed.
func (s *Store) between(ctx context.Context, first, last string, f func(*Entry, error)) error {
	return s.each(ctx, func(row *sql.Rows) error {
		e := &Entry{}
		var sum sql.NullString
		if err := row.Scan(&e.Key, (*[]byte)(&e.Identity), (*[]byte)(&e.Result), &sum); err != nil {
			return err
		}
		if sum.String == e.sum() {
			f(e, nil)
		} else {
			f(&Entry{Key: e.Key}, &DamagedError{s.path, e.Key})
		}
		return nil
	}, "SELECT key, identity, result, sum FROM runs WHERE key >= ? AND key <= ? ORDER BY key", first, last)
}

// get reads the result of a key, nil if there is none.
func (s *Store) get(from interface {
	QueryRow(query string, args ...any) *sql.Row
}, key string) (json.RawMessage, error) {
	e := &Entry{Key: key}
	var sum sql.NullString
	err := from.QueryRow("SELECT identity, result, sum FROM runs WHERE key = ?", key).Scan((*[]byte)(&e.Identity), (*[]byte)(&e.Result), &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case sum.String != e.sum():
		return nil, &DamagedError{s.path, key}
	}
	return e.Result, nil
}
