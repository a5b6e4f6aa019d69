package preeng

import "cotenant/tenant"

// TenantStats counts an engine's work for one tenant.
type TenantStats struct {
	Saves       uint64 // contexts saved, those without transfer included
	Loads       uint64 // contexts loaded, those without transfer included
	SavedBytes  uint64 // sent, in whole sectors
	LoadedBytes uint64 // asked for, in whole sectors
	// SaveCycles is the sum over saves of the core cycles in which their stores
	// were the next to go out; LoadCycles that over loads from the first request
	// to the last answer.
	SaveCycles uint64 `percycle:"1"`
	LoadCycles uint64
}

// Stats counts an engine's work.
type Stats struct {
	Tenants  [tenant.Max]TenantStats
	Finished uint64 // thread blocks that finished before they could be saved
	Dropped  uint64 // thread blocks flushed
}
