package dispatcher

import "cotenant/mem"

// LaunchRecord is one kernel launch of a tenant's first run.
type LaunchRecord struct {
	Kernel     string
	TBs        int
	Start, End uint64 // core cycles: made active, last TB reported; End is 0 while it runs
}

// TenantStats counts what the SM driver did for one tenant.
type TenantStats struct {
	LaunchesStarted   uint64
	LaunchesCompleted uint64
	TBsPlaced         uint64
	TBsCompleted      uint64
	// Completions is the number of times that the application ran to its end.
	Completions uint64
	// FirstCompletion is the number of cycles until it first had; 0 if it has
	// not.
	FirstCompletion uint64
	// Launches records the first run, launch by launch.
	Launches []LaunchRecord
}

// Stats counts the SM driver's work.
type Stats struct {
	Tenants [mem.MaxTenants]TenantStats
	// PolicyCalls is the number of events that the policy was asked about.
	PolicyCalls uint64
}
