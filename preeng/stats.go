package preeng

import "cotenant/tenant"

// TenantStats counts an engine's work for one tenant.
type TenantStats struct {
	Saves       uint64 // contexts saved, with or without a transfer
	Loads       uint64 // contexts loaded, with or without a transfer
	SavedBytes  uint64 // sent, in whole sectors
	LoadedBytes uint64 // asked for, in whole sectors
	// SaveCycles sums over saves the core cycles from when a save is the next to send its
	// stores until the last store has left; LoadCycles sums over loads the cycles from the
	// first request to the last answer.
	SaveCycles uint64 `percycle:"1"`
	LoadCycles uint64
}

// Stats counts an engine's work.
type Stats struct {
	Tenants  [tenant.Max]TenantStats
	Finished uint64 // thread blocks that finished before they could be saved
	Dropped  uint64 // thread blocks flushed
}
