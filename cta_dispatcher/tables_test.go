package dispatcher

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestPreemptedThreadBlocksWaitInOrderWithTheirContexts(t *testing.T) {
	k := kernelStatus{kernel: &workload.Kernel{Grid: workload.Dim3{X: 10, Y: 1, Z: 1}}, issued: 4}
	first, second := &workload.TB{ID: 3}, &workload.TB{ID: 1}
	k.preempted.push(preemptedTB{tb: first, slot: 7})
	k.preempted.push(preemptedTB{tb: second, slot: 2})
	require.Equal(t, 6+2, k.waiting(), "those not issued yet and those preempted")
	require.Equal(t, preemptedTB{tb: first, slot: 7}, k.preempted.pop())
	require.Equal(t, preemptedTB{tb: second, slot: 2}, k.preempted.pop())
	require.Zero(t, k.preempted.len())
}
