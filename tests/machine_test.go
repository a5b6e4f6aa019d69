package tests

import (
	"errors"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/build"

	"github.com/stretchr/testify/require"
)

// curious is a policy that looks at the machine and refuses it.
type curious struct{ seen *policy.Machine }

func (curious) Decide(*policy.View, policy.Actions) {}

func (c curious) Check(v *policy.View) error {
	*c.seen = v.Machine
	return errCurious
}

var errCurious = errors.New("seen")

// CCBP Table 1: crossbars of 614 GB/s, a DRAM of 319 GB/s; 5.1: 200 cycles, which are
// of the crossbars' 1200 MHz.
func TestPoliciesKnowTheMachineOfTable1(t *testing.T) {
	var m policy.Machine
	_, err := build.New(*preset(t, "ccbp16"), curious{&m}, []host.Process{{App: opened(t, "profile:spmv")}})
	require.ErrorIs(t, err, errCurious)
	require.InEpsilon(t, 614.4e9, m.ReplyBytesPerSecond, 1e-9)
	require.InEpsilon(t, 319e9, m.DRAMBytesPerSecond, 1e-4)
	require.InEpsilon(t, 200/1.2e9, m.RateIntervalSeconds, 1e-9)
	require.Equal(t, []int{32, 128, 128}, []int{m.FlitBytes, m.L1LineBytes, m.L2LineBytes})
}
