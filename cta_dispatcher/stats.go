package dispatcher

import "cotenant/tenant"

// LaunchRecord is one kernel launch of a tenant's first run.
type LaunchRecord struct {
	Kernel     string
	Stream     int // CUDA stream
	TBs        int
	Start, End uint64 // core cycles: activation and report of the last TB; End is 0 while the launch runs
}

// TenantStats counts the SM driver's work for one tenant.
type TenantStats struct {
	LaunchesStarted   uint64
	LaunchesCompleted uint64
	// TBsPlaced counts a TB again when the TB comes back after a preemption.
	TBsPlaced    uint64
	TBsCompleted uint64
	// Preemptions counts orders to a TB to leave its SM for good, even if the TB finished
	// first. Relocations counts orders to leave and to come back.
	Preemptions uint64
	Relocations uint64
	// ContextBytes have been saved and RestoredBytes loaded. RelocationBytes is the part
	// of ContextBytes that relocations saved.
	ContextBytes    uint64
	RestoredBytes   uint64
	RelocationBytes uint64
	// BlockSwitches counts orders to a TB to leave its SM because of page faults.
	BlockSwitches uint64
	// Launches records the first run, launch by launch.
	Launches []LaunchRecord `json:"-"`
}

// Stats counts the SM driver's work.
type Stats struct {
	Tenants [tenant.Max]TenantStats
	// PolicyCalls counts calls of the policy's Decide.
	PolicyCalls uint64
	// SMPreemptions counts preemptions of a whole SM.
	SMPreemptions uint64
	// OffChipMax is the largest number of thread blocks of one kernel that one SM had off
	// the chip at a time because of page faults.
	OffChipMax uint64
	// Epochs counts the windows of a periodic policy that have ended.
	Epochs uint64
}
