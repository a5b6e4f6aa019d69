package dispatcher

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestPreemptedThreadBlocksWaitInOrderWithTheirContexts(t *testing.T) {
	k := kernelStatus{kernel: &workload.Kernel{Grid: workload.Dim3{X: 10, Y: 1, Z: 1}}, issued: 4}
	first, second := &workload.TB{ID: 3}, &workload.TB{ID: 1}
	k.preempted.push(preemptedTB{first, 0x1000})
	k.preempted.push(preemptedTB{second, 0x2000})
	require.Equal(t, 6+2, k.waiting(), "those not issued yet and those preempted")
	require.Equal(t, preemptedTB{first, 0x1000}, k.preempted.pop())
	require.Equal(t, preemptedTB{second, 0x2000}, k.preempted.pop())
	require.Zero(t, k.preempted.len())
}
