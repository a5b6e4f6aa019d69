package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filled is a store with some runs, and its path.
func filled(t *testing.T, n int) (*Store, string) {
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	for i := range n {
		require.NoError(t, s.Put(entry(i)))
	}
	return s, path
}

func TestReaderSeesWhatAnotherWrites(t *testing.T) {
	writer, path := filled(t, 2)
	reader, err := OpenToRead(path)
	require.NoError(t, err)
	defer reader.Close()
	keys, err := reader.Keys(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"key0", "key1"}, keys)
	require.NoError(t, writer.Put(entry(2)))
	keys, err = reader.Keys(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"key0", "key1", "key2"}, keys)
	var read []Entry
	require.NoError(t, reader.Each(t.Context(), func(key string) bool { return key == "key1" }, func(e *Entry, fault error) {
		assert.NoError(t, fault)
		read = append(read, *e)
	}))
	assert.Equal(t, []Entry{entry(0), entry(2)}, read)
	assert.Error(t, reader.Put(entry(3)), "it writes nothing")
}

func TestReaderHandsOutNothingDamaged(t *testing.T) {
	s, path := filled(t, 2)
	_, err := s.db.Exec("UPDATE runs SET result = '{}' WHERE key = 'key1'")
	require.NoError(t, err)
	reader, err := OpenToRead(path)
	require.NoError(t, err)
	defer reader.Close()
	keys := map[string]bool{}
	require.NoError(t, reader.Each(t.Context(), func(string) bool { return false }, func(e *Entry, fault error) {
		var damaged *DamagedError
		keys[e.Key] = errors.As(fault, &damaged)
		assert.Equal(t, e.Key == "key1", e.Result == nil)
	}))
	assert.Equal(t, map[string]bool{"key0": false, "key1": true}, keys)
}

func TestManyRunsAreReadInTheirOrder(t *testing.T) {
	const n = 3*together + 1
	s, _ := filled(t, n)
	var read []string
	require.NoError(t, s.Each(t.Context(), func(key string) bool { return key == "key100" }, func(e *Entry, _ error) { read = append(read, e.Key) }))
	assert.Len(t, read, n-1)
	assert.True(t, slices.IsSorted(read))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Each(ctx, func(string) bool { return false }, func(*Entry, error) {}), context.Canceled)
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	folder := t.TempDir()
	_, err := OpenToRead(filepath.Join(folder, "none.sqlite"))
	assert.ErrorContains(t, err, "none.sqlite: no such file or directory; give the path of a result store, as sweep and reproduce write it")
	assert.NoFileExists(t, filepath.Join(folder, "none.sqlite"))
	for version, want := range map[int]string{1: "its runs have no checksums", 3: "its form is version 3, this program knows version 2"} {
		path := filepath.Join(folder, fmt.Sprint(version))
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		_, err = db.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; CREATE TABLE runs (key TEXT)", applicationID, version))
		require.NoError(t, err)
		require.NoError(t, db.Close())
		_, err = OpenToRead(path)
		assert.ErrorContains(t, err, want)
	}
	other := filepath.Join(folder, "other")
	require.NoError(t, os.WriteFile(other, []byte("no store"), 0o600))
	_, err = OpenToRead(other)
	assert.ErrorContains(t, err, "not a database")
}

func TestSweepsAreWhatCommandsAskedForLast(t *testing.T) {
	s, path := filled(t, 1)
	list, err := s.Sweeps()
	require.NoError(t, err)
	assert.Empty(t, list, "of a store from before there were any")
	at := time.Unix(1_000_000, 0)
	require.NoError(t, s.PutSweep(Sweep{"cotenant sweep a.yaml", at, []string{"key0"}}))
	require.NoError(t, s.PutSweep(Sweep{"cotenant sweep b.yaml", at.Add(time.Second), []string{"key3"}}))
	require.NoError(t, s.PutSweep(Sweep{"cotenant sweep a.yaml", at.Add(2 * time.Second), []string{"key0", "key1"}}))
	reader, err := OpenToRead(path)
	require.NoError(t, err)
	defer reader.Close()
	list, err = reader.Sweeps()
	require.NoError(t, err)
	assert.Equal(t, []Sweep{{"cotenant sweep a.yaml", at.Add(2 * time.Second), []string{"key0", "key1"}}, {"cotenant sweep b.yaml", at.Add(time.Second), []string{"key3"}}}, list)
	again, err := Open(path)
	require.NoError(t, err, "the table makes no other version")
	require.NoError(t, again.Close())
}

// Only a writer can use the journal that a killed program has left.
func TestReaderLeavesAnUnfinishedTransactionAlone(t *testing.T) {
	s, path := filled(t, 1)
	_, err := s.db.Exec("PRAGMA cache_size = 2")
	require.NoError(t, err)
	tx, err := s.db.Begin()
	require.NoError(t, err)
	for i := range 50 {
		_, err := tx.Exec("INSERT INTO runs VALUES (?, ?, '', '')", fmt.Sprint("x", i), strings.Repeat("x", 20_000))
		require.NoError(t, err)
	}
	left := filepath.Join(t.TempDir(), "left.sqlite") // as if the program had been killed now
	for _, suffix := range []string{"", "-journal"} {
		text, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(left+suffix, text, 0o600))
	}
	require.NoError(t, tx.Rollback())
	_, err = OpenToRead(left)
	assert.ErrorContains(t, err, "any sweep with this store undoes what it had begun")
	assert.FileExists(t, left+"-journal")
	writer, err := Open(left)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	reader, err := OpenToRead(left)
	require.NoError(t, err)
	defer reader.Close()
	keys, err := reader.Keys(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"key0"}, keys)
}
