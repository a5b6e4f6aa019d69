package store

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
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
	e, err := reader.Entry("key2")
	require.NoError(t, err)
	assert.Equal(t, entry(2), *e)
	e, err = reader.Entry("none")
	require.NoError(t, err)
	assert.Nil(t, e)
	assert.Error(t, reader.Put(entry(3)), "it writes nothing")
}

func TestReaderHandsOutNothingDamaged(t *testing.T) {
	s, path := filled(t, 2)
	_, err := s.db.Exec("UPDATE runs SET result = '{}' WHERE key = 'key1'")
	require.NoError(t, err)
	reader, err := OpenToRead(path)
	require.NoError(t, err)
	defer reader.Close()
	_, err = reader.Entry("key1")
	var damaged *DamagedError
	require.ErrorAs(t, err, &damaged)
	assert.Equal(t, "key1", damaged.Key)
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	folder := t.TempDir()
	_, err := OpenToRead(filepath.Join(folder, "none.sqlite"))
	assert.ErrorContains(t, err, "none.sqlite: no such file or directory; give the path of a result store")
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
