package policy

import "cotenant/components/occupancy"

// Machine describes the GPU beside its SMs, by its configuration. Zero fields are unknown.
type Machine struct {
	// ReplyBytesPerSecond is the peak bandwidth of the reply crossbar: of all ports on the
	// side with fewer ports, L2 slices or SMs.
	ReplyBytesPerSecond float64
	// DRAMBytesPerSecond is the peak bandwidth of all DRAM channels together.
	DRAMBytesPerSecond float64
	// RateIntervalSeconds is the length of an interval of the SMs' issue-rate
	// controllers (CCBP 5.1: 200 cycles, of the crossbars), in seconds.
	RateIntervalSeconds float64
	// BaseSM is the capacity of an SM of the base kind, the measure for other kinds; the GPU
	// may have no such SM.
	BaseSM occupancy.Capacity
	// SMsPerTPC is the number of SMs of a TPC, the least part of the GPU that a process can be
	// limited to.
	SMsPerTPC int
	// ComputeCapability is ten times the major number plus the minor one.
	ComputeCapability int
	// MPSClients is the largest number of processes that share the GPU by MPS.
	MPSClients int
	// TimeSliceCycles is the length of a time slice of the GPU's driver in core cycles.
	TimeSliceCycles uint64
	FlitBytes       int // a flit of the reply crossbar, which a reply's header takes
	L1LineBytes     int // a reply with data carries one
	L2LineBytes     int // an access of the DRAM moves one
}
