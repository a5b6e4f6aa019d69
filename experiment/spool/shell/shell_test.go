package shell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/spool"
)

// A sweep stops asking about a task once it has seen the results, which may be before
// the line has ended. The line's slot is free even so.
func TestSlotOfALineThatNobodyAsksAboutIsFreeWhenItEnds(t *testing.T) {
	q := &Queue{Line: "# {task}", Parallel: 1}
	first := &spool.Job{Name: "first", ID: "first", Folder: t.TempDir(), Tasks: 1}
	second := &spool.Job{Name: "second", ID: "second", Folder: t.TempDir(), Tasks: 1, After: []string{"first"}}
	states, err := q.States(t.Context(), []*spool.Job{first})
	require.NoError(t, err)
	assert.Equal(t, spool.State{Running: true}, states[spool.TaskID{Job: "first"}])
	assert.Eventually(t, func() bool {
		states, err := q.States(t.Context(), []*spool.Job{second})
		return err == nil && states[spool.TaskID{Job: "second"}] != spool.State{}
	}, time.Minute, 10*time.Millisecond)
}
