package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStoreKeepsTheLastAttemptOfEachCommand(t *testing.T) {
	s, path := filled(t, 1)
	reader, err := OpenToRead(path)
	require.NoError(t, err)
	defer reader.Close()
	none, err := reader.Attempts(t.Context())
	require.NoError(t, err)
	assert.Empty(t, none, "and no table is needed")

	at := time.Unix(1000, 0)
	first := Attempt{Command: "a", Began: at, Beat: at.Add(7 * time.Second), State: Running, Made: 3, Left: 90 * time.Second,
		Failures: []Failure{{"cotenant run x", "too large"}, {"cotenant run y", "too small"}}}
	other := Attempt{Command: "b", Began: at, Beat: at, State: Aborted, Message: "the disk is full"}
	require.NoError(t, s.PutAttempt(first))
	require.NoError(t, s.PutAttempt(other))
	got, err := reader.Attempts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]*Attempt{"a": &first, "b": &other}, got)

	again := Attempt{Command: "a", Began: at.Add(time.Minute), Beat: at.Add(time.Minute), State: Ended, Failures: []Failure{{"cotenant run z", "odd"}}}
	require.NoError(t, s.PutAttempt(again))
	got, err = reader.Attempts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]*Attempt{"a": &again, "b": &other}, got, "the failures of the first attempt go")
}
