package dispatcher

import "cotenant/tenant"

// LaunchRecord is one kernel launch of a tenant's first run.
type LaunchRecord struct {
	Kernel     string
	Stream     int // CUDA stream
	TBs        int
	Start, End uint64 // core cycles: made active, last TB reported; End is 0 while it runs
}

// TenantStats counts what the SM driver did for one tenant.
type TenantStats struct {
	LaunchesStarted   uint64
	LaunchesCompleted uint64
	// TBsPlaced counts a TB again when it comes back after a preemption.
	TBsPlaced    uint64
	TBsCompleted uint64
	// Preemptions is the number of TBs that were told to leave their SM for
	// good, those that finished before they could included; Relocations the
	// number of those that were to come back to it, each time that one was told so.
	Preemptions uint64
	Relocations uint64
	// ContextBytes have been saved and RestoredBytes loaded; RelocationBytes are
	// those of ContextBytes that were of relocations.
	ContextBytes    uint64
	RestoredBytes   uint64
	RelocationBytes uint64
	// BlockSwitches is the number of TBs that were switched on page faults.
	BlockSwitches uint64
	// Launches records the first run, launch by launch.
	Launches []LaunchRecord `json:"-"`
}

// Stats counts the SM driver's work.
type Stats struct {
	Tenants [tenant.Max]TenantStats
	// PolicyCalls is the number of events that the policy was asked about.
	PolicyCalls uint64
	// SMPreemptions is the number of times that a whole SM was preempted.
	SMPreemptions uint64
	// OffChipMax is the largest number of thread blocks that one SM had off the chip for
	// one kernel because of page faults.
	OffChipMax uint64
	// Epochs is the number of windows of a periodic policy that have ended.
	Epochs uint64
}
