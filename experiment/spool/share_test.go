package spool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"cotenant/experiment/sweep"
)

// sharing is a second sweep of the same runs into another store, by the first one's
// spool.
func sharing(t *testing.T, x *test) *test {
	t.Helper()
	y := newTest(t)
	y.spool.Spool, y.spool.Retries, x.spool.Retries = x.spool.Spool, 0, 0
	return y
}

// The first sweep has submitted its tasks, and has not looked at their results yet,
// when the second ends.
func TestSweepThatEndsLeavesResultsThatAnotherWants(t *testing.T) {
	x := newTest(t)
	y := sharing(t, x)
	x.queue.after = func() {
		got, err := y.runner.Do(t.Context(), y.plan)
		require.NoError(t, err)
		assert.Zero(t, got.Failed)
		assert.DirExists(t, x.spool.Spool)
	}
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	assert.Empty(t, x.failed)
}

// A sweep that was killed wants its results even if its record names none, as
// another build's does.
func TestSweepThatEndsLeavesResultsOfARecordsTasks(t *testing.T) {
	x := newTest(t)
	x.queue.lose = true
	assert.Panics(t, func() { _, _ = x.runner.Do(t.Context(), x.plan) })
	at, err := placesOf(x.spool.Spool, x.spool.Store, x.plan)
	require.NoError(t, err)
	r, err := at.load()
	require.NoError(t, err)
	assert.Len(t, r.Wants, 3)
	r.Wants = nil
	require.NoError(t, at.save(r))
	y := sharing(t, x)
	_, err = y.runner.Do(t.Context(), y.plan)
	require.NoError(t, err)
	names, err := os.ReadDir(at.results())
	require.NoError(t, err)
	assert.Len(t, names, 2, "the applications alone, which were submitted")
	require.NoError(t, os.WriteFile(at.record(), []byte("{"), 0o600))
	_, err = y.runner.Do(t.Context(), y.plan) // nothing is left to do
	require.NoError(t, err)
	at.removeResultsAs(t, y)
	names, err = os.ReadDir(at.results())
	require.NoError(t, err)
	assert.Len(t, names, 2, "a record that cannot be read may name any")
}

// removeResultsAs removes results as another sweep that leaves the spool does.
func (p *places) removeResultsAs(t *testing.T, y *test) {
	t.Helper()
	other, err := placesOf(y.spool.Spool, y.spool.Store, y.plan)
	require.NoError(t, err)
	other.removeResults(y.plan)
}

// A sweep with failed runs stays in the spool for its logs, and wants no result.
func TestSweepThatHasFailedWantsNothing(t *testing.T) {
	x := newTest(t)
	y := sharing(t, x)
	x.queue.cancel = true
	x.requireMade(t, sweep.Progress{Total: 3, Failed: 3})
	_, err := y.runner.Do(t.Context(), y.plan)
	require.NoError(t, err)
	names, err := os.ReadDir(filepath.Join(x.spool.Spool, "results"))
	require.NoError(t, err)
	assert.Empty(t, names)
}

// Sweeps that enter and leave at the same time find what they have put there.
func TestSweepsEnterAndLeaveTogether(t *testing.T) {
	x := newTest(t)
	var group errgroup.Group
	for i := range 8 {
		store := filepath.Join(t.TempDir(), string(rune('a'+i)))
		group.Go(func() error {
			at, err := placesOf(x.spool.Spool, store, x.plan)
			if err != nil {
				return err
			}
			for range 10 {
				unlock, err := at.enter(t.Context())
				if err != nil {
					return err
				}
				r := &record{Form: form}
				if err := at.want(t.Context(), r, x.plan); err != nil {
					return err
				}
				key := x.plan.Jobs[0].Key
				if err := writeResult(at.result(key), key, 1, []byte(resultText)); err != nil {
					return err
				}
				if _, _, err := readResult(at.result(key), key); err != nil {
					return err
				}
				if err := at.remove(t.Context(), x.plan); err != nil {
					return err
				}
				unlock()
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	assert.NoDirExists(t, x.spool.Spool)
}

// A process that is killed while it removes the finished sweep leaves a part of the spool,
// here what each step finds. The next process, which has nothing to make, removes it.
func TestSweepWhoseRemovalWasCutShortIsRemovedByTheNext(t *testing.T) {
	x := newTest(t)
	x.requireMade(t, sweep.Progress{Total: 3, Run: 3})
	require.NoDirExists(t, x.spool.Spool)
	at, err := placesOf(x.spool.Spool, x.spool.Store, x.plan)
	require.NoError(t, err)
	sweeps, program := filepath.Dir(at.sweep), at.program("0123456789abcdef")
	again := func() {
		t.Helper()
		_, err := x.runner.Do(t.Context(), x.plan)
		require.NoError(t, err)
	}
	lock := func() { require.NoError(t, os.WriteFile(at.spoolLock(), nil, 0o600)) }
	for _, left := range [][]string{{sweeps, at.results(), program}, {at.results(), program}, {at.results()}, {at.spool}} {
		for _, folder := range left {
			require.NoError(t, os.MkdirAll(folder, 0o777))
		}
		lock()
		again()
		assert.NoDirExists(t, at.spool, left)
	}
	require.NoError(t, os.MkdirAll(at.results(), 0o777))
	again()
	assert.DirExists(t, at.results(), "of a folder that is no spool")
	lock()
	other := filepath.Join(sweeps, "other")
	require.NoError(t, os.MkdirAll(other, 0o777))
	again()
	assert.DirExists(t, other, "another sweep's")
}
