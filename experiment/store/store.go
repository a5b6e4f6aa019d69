// Package store keeps the results of runs in an SQLite file, so that a repeated or
// interrupted sweep makes only the missing runs.
//
// A result has a key, the hash of everything that determines it, and never changes: of two
// processes that store the same run, the first wins. A checksum guards each result. Every
// Put is a transaction of its own. SQLite's rollback journal makes it atomic, so a process
// may be killed at any moment, and several processes may use one file: each waits for the
// other's transaction.
package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/tebeka/atexit"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks an SQLite file as a result store ("coTn"). version counts the forms
// of its tables; version 1 has no checksums.
const (
	applicationID = 0x636f546e
	version       = 2
)

// patience is how long a process waits for another's transaction, in
// milliseconds. A transaction takes some milliseconds.
const patience = 60_000

// farewell is how long a program that ends waits for its own transaction.
const farewell = time.Second

// Store is an open result store. It is safe for concurrent use.
type Store struct {
	path    string
	reading bool // only
	db      *sql.DB
	handler atexit.HandlerID
}

// Entry is one stored run.
type Entry struct {
	Key string // hash of Identity
	// Identity is an experiment.Identity as JSON.
	Identity json.RawMessage
	// Result is the run's experiment.Result as JSON.
	Result json.RawMessage
}

// sum is the checksum of a run: the SHA-256 hash of all its columns, each after
// its length.
func (e *Entry) sum() string {
	h := sha256.New()
	for _, column := range [][]byte{[]byte(e.Key), e.Identity, e.Result} {
		fmt.Fprintf(h, "%d ", len(column)) // a hash takes all
		h.Write(column)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// DamagedError names a stored run with a wrong checksum.
type DamagedError struct{ Path, Key string }

// Error names the store and the key.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("store %s: the run of key %s is damaged: its checksum does not match its contents", e.Path, e.Key)
}

// Open opens the store at a path, and makes a missing one.
func Open(path string) (*Store, error) { return open(path, "rwc") }

// OpenExisting opens an existing store. It returns nil and no error for a missing one, and
// leaves no file.
func OpenExisting(path string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return open(path, "rw")
}

func open(path, mode string) (*Store, error) {
	s := &Store{path: path, reading: mode == "ro"}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, s.failed(err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, s.failed(errors.New("it is not a regular file"))
	}
	if info, err := os.Stat(filepath.Dir(absolute)); err != nil || !info.IsDir() { // SQLite says that it is out of memory
		return nil, s.failed(fmt.Errorf("there is no folder %s", filepath.Dir(path)))
	}
	lock := "immediate"
	if mode == "ro" {
		lock = "deferred"
	}
	name := fmt.Sprintf("file:%s?mode=%s&_txlock=%s&_pragma=busy_timeout(%d)", (&url.URL{Path: absolute}).EscapedPath(), mode, lock, patience)
	if s.db, err = sql.Open("sqlite", name); err != nil {
		return nil, s.failed(err)
	}
	s.db.SetMaxOpenConns(1)
	prepare := s.prepare
	if mode == "ro" {
		prepare = s.readable
	}
	if err := prepare(); err != nil {
		s.db.Close()
		return nil, s.failed(err)
	}
	s.handler = atexit.Register(s.atExit)
	return s, nil
}

var errNotAStore = errors.New("it is an SQLite file of another program")

// prepare makes the tables of a new file, completes an older one, and refuses any other
// file. A run without a checksum counts as damaged; an older program made it, so no key of
// this program leads to it.
func (s *Store) prepare() error {
	return s.change(func(tx *sql.Tx) error {
		var id, found, tables int
		for query, value := range map[string]*int{"PRAGMA application_id": &id, "PRAGMA user_version": &found, "SELECT count(*) FROM sqlite_master": &tables} {
			if err := tx.QueryRow(query).Scan(value); err != nil {
				return err
			}
		}
		var err error
		switch {
		case tables == 0 && id == 0:
			_, err = tx.Exec(fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d;
			CREATE TABLE runs (key TEXT PRIMARY KEY, identity TEXT NOT NULL, result TEXT NOT NULL, sum TEXT) WITHOUT ROWID`, applicationID, version))
		case id != applicationID:
			err = errNotAStore
		case found == 1:
			_, err = tx.Exec(fmt.Sprintf("PRAGMA user_version = %d; ALTER TABLE runs ADD COLUMN sum TEXT", version))
		case found != version:
			err = fmt.Errorf("its form is version %d, this program knows version %d", found, version)
		}
		return err
	})
}

// change carries out a transaction.
func (s *Store) change(do func(*sql.Tx) error) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// each passes the rows of a query to scan.
func (s *Store) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Get returns the result of a key, nil if there is none. The error is a *DamagedError if
// the result is damaged.
func (s *Store) Get(key string) (json.RawMessage, error) {
	result, err := s.get(s.db, key)
	if damaged := (*DamagedError)(nil); !errors.As(err, &damaged) {
		err = s.failed(err)
	}
	return result, err
}

// Put stores a result, unless its key has one.
func (s *Store) Put(e Entry) error {
	_, err := s.db.Exec("INSERT OR IGNORE INTO runs (key, identity, result, sum) VALUES (?, ?, ?, ?)", e.Key, string(e.Identity), string(e.Result), e.sum())
	return s.failed(err)
}

// Drop removes a damaged run, so that it can be stored anew.
func (s *Store) Drop(key string) error {
	return s.failed(s.change(func(tx *sql.Tx) error {
		_, err := s.get(tx, key)
		if damaged := (*DamagedError)(nil); errors.As(err, &damaged) { // still
			_, err = tx.Exec("DELETE FROM runs WHERE key = ?", key)
		}
		return err
	}))
}

// Close closes the store.
func (s *Store) Close() error {
	_ = s.handler.Cancel() // an error means that it was cancelled already
	return s.db.Close()
}

// atExit closes the store when the program ends, so that no journal stays beside the file.
// It lets a transaction under way end, unless that waits for another process.
func (s *Store) atExit() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if last, err := s.db.Conn(ctx); err == nil { // there is one connection
		defer last.Close()
	}
	_ = s.db.Close()
}

// Foreign reports whether an error of opening a store says that the file is no store.
func Foreign(err error) bool {
	fault := (*sqlite.Error)(nil)
	return errors.Is(err, errNotAStore) || errors.As(err, &fault) && fault.Code()&0xff == sqlite3.SQLITE_NOTADB
}

// failed completes an error, if it is one.
func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	remedy := "give the path of a result store, or of a new file in a folder that can be written to"
	if s.reading {
		remedy = "give the path of a result store, as sweep and reproduce write it"
	}
	if fault := (*sqlite.Error)(nil); errors.As(err, &fault) {
		switch {
		case fault.Code()&0xff == sqlite3.SQLITE_CORRUPT:
			remedy = "the file is damaged: move it away, and the same command makes its runs again"
		case fault.Code() == sqlite3.SQLITE_READONLY_ROLLBACK:
			remedy = "a program was killed while it wrote to it: any sweep with this store undoes what it had begun"
		}
	}
	return fmt.Errorf("store %s: %w; %s", s.path, err, remedy)
}
