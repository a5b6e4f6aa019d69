package metrics

import (
	"fmt"
	"math/bits"
)

// RateControlSource says where RateControlCost has its formulas from.
const RateControlSource = "Lin et al., CCBP, ACM TACO 2019, section 6.4"

// Widths of CCBP 6.4.
const (
	creditBits     = 8  // an entry of the issue rate credit vector: at most 200 requests an interval
	counterBits    = 32 // a counter of a monitor
	countersOfRate = 2  // of a kernel in the rf monitor, and as many in the df monitor
)

// RateControl is the hardware that issue-rate controllers add to a GPU (CCBP 6.4). Wires,
// multiplexers and bits are per SM. The sub-queues are the entries of the L1's miss queue,
// which exists without them.
type RateControl struct {
	SubQueues    int `json:"sub_queues"` // N, the most kernels in an SM
	SMs          int `json:"sms"`
	WireSets     int `json:"wire_sets"`    // 3N - 1
	Multiplexers int `json:"multiplexers"` // N - 1
	// PartitionBits is the size of the virtual queue partitioning vector: for each kernel the
	// number of its last sub-queue. If N is no power of two, a case that the paper leaves out,
	// that number takes the next whole bit.
	PartitionBits int `json:"partition_bits"`
	CreditBits    int `json:"credit_bits"`     // of the issue rate credit vector
	RFMonitorBits int `json:"rf_monitor_bits"` // two counters of each kernel
	DFMonitorBits int `json:"df_monitor_bits"` // two counters of each kernel
	SMBits        int `json:"sm_bits"`         // the sum of the four
	// Bytes are the bits of all SMs, as whole bytes. The paper gives no sums.
	Bytes int `json:"bytes"`
}

// RateControlCost is the cost of issue-rate controllers of n sub-queues in a number
// of SMs. Both must be at least 1.
func RateControlCost(n, sms int) (RateControl, error) {
	if n < 1 {
		return RateControl{}, fmt.Errorf("sub-queues are %d: must be at least 1", n)
	}
	if sms < 1 {
		return RateControl{}, fmt.Errorf("SMs are %d: must be at least 1", sms)
	}
	c := RateControl{
		SubQueues:     n,
		SMs:           sms,
		WireSets:      3*n - 1,
		Multiplexers:  n - 1,
		PartitionBits: n * bits.Len(uint(n-1)),
		CreditBits:    creditBits * n,
		RFMonitorBits: countersOfRate * counterBits * n,
		DFMonitorBits: countersOfRate * counterBits * n,
	}
	c.SMBits = c.PartitionBits + c.CreditBits + c.RFMonitorBits + c.DFMonitorBits
	c.Bytes = (c.SMBits*sms + 7) / 8
	return c, nil
}
