package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tebeka/atexit"
	"golang.org/x/sync/errgroup"
)

func entry(n int) Entry {
	return Entry{Key: fmt.Sprint("key", n), Identity: json.RawMessage(`{}`), Result: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))}
}

// runs counts what is stored.
func runs(t *testing.T, s *Store) (n int) {
	t.Helper()
	require.NoError(t, s.db.QueryRow("SELECT count(*) FROM runs").Scan(&n))
	return n
}

// inTransaction has the test program end while it writes to the store that it
// names.
const inTransaction = "STORE_TEST_IN_TRANSACTION"

func TestMain(m *testing.M) {
	if path := os.Getenv(inTransaction); path != "" {
		endInTransaction(path)
	}
	os.Exit(m.Run())
}

func endInTransaction(path string) {
	s, err := Open(path)
	if err != nil {
		panic(err)
	}
	tx, err := s.db.Begin()
	if err != nil {
		panic(err)
	}
	if _, err := tx.Exec("INSERT INTO runs VALUES ('key', '{}', '{}', '')"); err != nil {
		panic(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = tx.Commit() })
	atexit.Exit(0)
}

func TestProgramThatEndsFinishesItsTransaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	program, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(program)
	c.Env = append(os.Environ(), inTransaction+"="+path)
	require.NoError(t, c.Run())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1, "and no journal")
	s, err := Open(path)
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, 1, runs(t, s))
}

func TestResultIsThereAfterTheStoreIsOpenedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41.sqlite")
	s, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, s.Put(entry(1)))
	require.NoError(t, s.Close())
	require.FileExists(t, path)

	s, err = OpenExisting(path)
	require.NoError(t, err)
	got, err := s.Get("key1")
	require.NoError(t, err)
	assert.JSONEq(t, `{"n":1}`, string(got))
	got, err = s.Get("key2")
	require.NoError(t, err)
	assert.Nil(t, got)
	require.NoError(t, s.Close())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1, "one file is the whole store")
}

func TestFirstResultOfAKeyStays(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Put(entry(1)))
	other := entry(1)
	other.Result = json.RawMessage(`{"n":2}`)
	require.NoError(t, s.Put(other))
	got, err := s.Get("key1")
	require.NoError(t, err)
	assert.JSONEq(t, `{"n":1}`, string(got))
	assert.Equal(t, 1, runs(t, s))
}

// As on a disk that has lost a bit, in any column: what is left may be JSON.
func TestRunThatWasChangedIsNotHandedOut(t *testing.T) {
	for _, change := range []string{
		`UPDATE runs SET result = '{"n":2}' WHERE key = 'key1'`,
		`UPDATE runs SET result = '{"n":1} ' WHERE key = 'key1'`,
		`UPDATE runs SET identity = '{ }' WHERE key = 'key1'`,
		`UPDATE runs SET identity = '{}{', result = substr(result, 2) WHERE key = 'key1'`, // the same bytes in a row
		`UPDATE runs SET key = 'key0' WHERE key = 'key1'; UPDATE runs SET key = 'key1' WHERE key = 'key2'`,
		`UPDATE runs SET sum = NULL WHERE key = 'key1'`,
		`UPDATE runs SET sum = (SELECT sum FROM runs WHERE key = 'key2') WHERE key = 'key1'`,
	} {
		path := filepath.Join(t.TempDir(), "s")
		s, err := Open(path)
		require.NoError(t, err)
		defer s.Close()
		require.NoError(t, s.Put(entry(1)))
		require.NoError(t, s.Put(entry(2)))
		_, err = s.db.Exec(change)
		require.NoError(t, err)
		_, err = s.Get("key1")
		assert.EqualError(t, err, "store "+path+": the run of key key1 is damaged: its checksum does not match its contents", change)

		require.NoError(t, s.Put(entry(1)))
		_, err = s.Get("key1")
		assert.Error(t, err, "it is still there")
		require.NoError(t, s.Drop("key1"))
		got, err := s.Get("key1")
		assert.NoError(t, err)
		assert.Nil(t, got)
		require.NoError(t, s.Put(entry(1)))
		got, err = s.Get("key1")
		assert.NoError(t, err)
		assert.JSONEq(t, `{"n":1}`, string(got))
	}
}

func TestOnlyADamagedRunIsDropped(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Put(entry(1)))
	require.NoError(t, s.Drop("key1"))
	require.NoError(t, s.Drop("key2"))
	assert.Equal(t, 1, runs(t, s))
}

func TestStoreWithoutChecksumsGetsThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec(fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = 1;
		CREATE TABLE runs (key TEXT PRIMARY KEY, identity TEXT NOT NULL, result TEXT NOT NULL) WITHOUT ROWID;
		INSERT INTO runs VALUES ('key1', '{}', '{"n":1}')`, applicationID))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for range 2 {
		s, err := Open(path)
		require.NoError(t, err)
		_, err = s.Get("key1")
		assert.ErrorContains(t, err, "is damaged")
		require.NoError(t, s.Put(entry(2)))
		got, err := s.Get("key2")
		assert.NoError(t, err)
		assert.JSONEq(t, `{"n":2}`, string(got))
		assert.Equal(t, 2, runs(t, s), "what an older program made is kept")
		require.NoError(t, s.Close())
	}
}

func TestDamagedFileSaysWhatToDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s, err := Open(path)
	require.NoError(t, err)
	for n := range 500 {
		require.NoError(t, s.Put(entry(n)))
	}
	require.NoError(t, s.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	const page = 4096
	clear(data[2*page:])
	require.NoError(t, os.WriteFile(path, data, 0o600))
	s, err = Open(path)
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Get("key1")
	assert.EqualError(t, err, "store "+path+": database disk image is malformed (11); the file is damaged: move it away, and the same command makes its runs again")
}

func TestStoreThatIsNotThereIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s, err := OpenExisting(path)
	assert.NoError(t, err)
	assert.Nil(t, s)
	assert.NoFileExists(t, path)
}

// The first opener makes the tables; every opener waits for the rest.
func TestManyCanOpenAndWriteAtATime(t *testing.T) {
	const openers, each = 8, 25
	path := filepath.Join(t.TempDir(), "s")
	var group errgroup.Group
	for i := range openers {
		group.Go(func() error {
			s, err := Open(path)
			if err != nil {
				return err
			}
			defer s.Close()
			for n := range each {
				if err := s.Put(entry(i*each/2 + n)); err != nil { // half of them twice
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	s, err := Open(path)
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, (openers-1)*each/2+each, runs(t, s))
	var check string
	require.NoError(t, s.db.QueryRow("PRAGMA integrity_check").Scan(&check))
	assert.Equal(t, "ok", check)
}

func TestFileThatIsNoStoreIsRefusedAndLeftAlone(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(text, []byte("not a database, but longer than the header of one would be: it has a hundred bytes, and some more to be sure"), 0o600))
	foreign := filepath.Join(folder, "foreign")
	db, err := sql.Open("sqlite", foreign)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE t (x)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	newer, older := filepath.Join(folder, "newer"), filepath.Join(folder, "older")
	for path, version := range map[string]int{newer: 3, older: 0} {
		s, err := Open(path)
		require.NoError(t, err)
		_, err = s.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}

	for path, why := range map[string]string{
		text: "file is not a database", foreign: "an SQLite file of another program", folder: "it is not a regular file",
		newer:                              "its form is version 3, this program knows version 2",
		older:                              "its form is version 0, this program knows version 2",
		filepath.Join(folder, "no", "dir"): "there is no folder " + filepath.Join(folder, "no"),
		filepath.Join(text, "file"):        "there is no folder " + text,
	} {
		before, _ := os.ReadFile(path)
		_, err := Open(path)
		require.Error(t, err, path)
		assert.Contains(t, err.Error(), "store "+path+": ")
		assert.Contains(t, err.Error(), why)
		assert.Equal(t, path == text || path == foreign, Foreign(err), path)
		after, _ := os.ReadFile(path)
		assert.Equal(t, before, after)
	}
}
