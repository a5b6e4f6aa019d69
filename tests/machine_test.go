package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// CCBP Table 1: crossbars of 614 GB/s, a DRAM of 319 GB/s; 5.1: 200 cycles, which are
// of the crossbars' 1200 MHz.
func TestPoliciesKnowTheMachineOfTable1(t *testing.T) {
	m := looked(t, preset(t, "ccbp16")).machine
	require.InEpsilon(t, 614.4e9, m.ReplyBytesPerSecond, 1e-9)
	require.InEpsilon(t, 319e9, m.DRAMBytesPerSecond, 1e-4)
	require.InEpsilon(t, 200/1.2e9, m.RateIntervalSeconds, 1e-9)
	require.Equal(t, []int{32, 128, 128}, []int{m.FlitBytes, m.L1LineBytes, m.L2LineBytes})
}
