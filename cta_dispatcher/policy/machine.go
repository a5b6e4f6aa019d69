package policy

import "cotenant/components/occupancy"

// Machine is what a policy may know of the GPU beside its SMs, by its configuration.
// The zero value is a GPU of which nothing is known.
type Machine struct {
	// ReplyBytesPerSecond is the peak bandwidth of the reply crossbar: what its ports
	// on the side that has fewer, L2 slices or SMs, carry together.
	ReplyBytesPerSecond float64
	// DRAMBytesPerSecond is the peak bandwidth of all DRAM channels together.
	DRAMBytesPerSecond float64
	// RateIntervalSeconds is the length of an interval of the SMs' issue-rate
	// controllers (CCBP 5.1: 200 cycles, of the crossbars), in seconds.
	RateIntervalSeconds float64
	// BaseSM is what an SM of the base kind offers, from which the others differ; the
	// GPU may have none.
	BaseSM      occupancy.Capacity
	FlitBytes   int // a flit of the reply crossbar, which a reply's header takes
	L1LineBytes int // a reply with data carries one
	L2LineBytes int // an access of the DRAM moves one
}
