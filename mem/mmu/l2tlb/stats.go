package l2tlb

import (
	"cotenant/components/stats"
	"cotenant/tenant"
)

// TenantStats counts what the L2 TLB has done for one tenant. Every access is one
// of Hits, Misses and Merges.
type TenantStats struct {
	Accesses uint64 // requests looked up
	Hits     uint64 // of pages that were there
	Misses   uint64 // that had their page walked for
	Merges   uint64 // that waited for the walk of another
	Faults   uint64 // requests answered with a fault
	// MSHRStallCycles is the number of cycles that its requests, the oldest of all,
	// waited for an MSHR or for room at the fill unit. A wait is counted when it
	// ends.
	MSHRStallCycles uint64 `json:"mshr_stall_cycles" percycle:"1"`
}

// Stats counts the L2 TLB's work.
type Stats struct {
	Accounts tenant.PerAccount[TenantStats]
}

// Total is the sum over accounts.
func (s *Stats) Total() TenantStats { return stats.Sum(s.Accounts) }
