package sm

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// hitToUse is the time from a load of sectors 0 and 3 of different lines, which
// are in the L1, to its use.
func hitToUse(t *testing.T, banks, bankBytes int) uint64 {
	spec := oneScheduler()
	spec.L1.Banks, spec.L1.BankBytes = banks, bankBytes
	both := load(1, 0)
	both.Active, both.Lanes = 0b11, &[workload.WarpSize]uint64{0, 2*128 + 96}
	_, at := ran(t, spec, both, use(1), both, use(1))
	return at[3] - at[2]
}

func TestTwoBanksAreLookedUpInOneCycle(t *testing.T) {
	require.Equal(t, uint64(31), hitToUse(t, 1, 32))
	require.Equal(t, uint64(30), hitToUse(t, 2, 32))
	require.Equal(t, uint64(31), hitToUse(t, 2, 128), "both lines are even")
}
