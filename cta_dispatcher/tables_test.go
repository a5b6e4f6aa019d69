package dispatcher

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestPreemptedThreadBlocksWaitInOrderWithTheirContexts(t *testing.T) {
	var q preemptedQueue
	first, second := &workload.TB{ID: 3}, &workload.TB{ID: 1}
	q.push(preemptedTB{tb: first, slot: 7})
	q.push(preemptedTB{tb: second, slot: 2})
	require.Equal(t, preemptedTB{tb: first, slot: 7}, q.pop())
	require.Equal(t, preemptedTB{tb: second, slot: 2}, q.pop())
	require.Zero(t, q.len())
}
