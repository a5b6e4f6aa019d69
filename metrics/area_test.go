package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// CCBP 6.4 with the paper's N = 8 and its 16 SMs; other N by hand.
func TestRateControlCostIsThatOfThePaper(t *testing.T) {
	for _, want := range []RateControl{
		{SubQueues: 8, SMs: 16, WireSets: 23, Multiplexers: 7, PartitionBits: 24, CreditBits: 64, RFMonitorBits: 512, DFMonitorBits: 512, SMBits: 1112, Bytes: 2224},
		{SubQueues: 1, SMs: 1, WireSets: 2, Multiplexers: 0, PartitionBits: 0, CreditBits: 8, RFMonitorBits: 64, DFMonitorBits: 64, SMBits: 136, Bytes: 17},
		{SubQueues: 4, SMs: 15, WireSets: 11, Multiplexers: 3, PartitionBits: 8, CreditBits: 32, RFMonitorBits: 256, DFMonitorBits: 256, SMBits: 552, Bytes: 1035},
		// Numbers 0 to 4 take three bits; 695 bits are 87 bytes.
		{SubQueues: 5, SMs: 1, WireSets: 14, Multiplexers: 4, PartitionBits: 15, CreditBits: 40, RFMonitorBits: 320, DFMonitorBits: 320, SMBits: 695, Bytes: 87},
	} {
		got, err := RateControlCost(want.SubQueues, want.SMs)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestRateControlCostRefusesWhatIsNotThere(t *testing.T) {
	_, err := RateControlCost(0, 16)
	assert.EqualError(t, err, "sub-queues are 0: must be at least 1")
	_, err = RateControlCost(8, -1)
	assert.EqualError(t, err, "SMs are -1: must be at least 1")
}
