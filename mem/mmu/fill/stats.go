package fill

import (
	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts what the fill unit has done for one tenant.
type TenantStats struct {
	Walks uint64 // that have been answered
	// WalkWaitCycles is the sum of the cycles that walks waited for a walker.
	WalkWaitCycles uint64
	// Migrates and Allocates are walks that found the fault, Locals the part of Allocates
	// that is left to handlers on SMs. Invalids and ReadOnlys are walks of pages where at
	// least a write ends the kernel.
	Migrates, Allocates, Locals uint64
	Invalids, ReadOnlys         uint64
	Merged                      uint64 // walks that found a pending region
	Regions                     uint64 // served
	// HandledLate is the number of RegionHandled that changed nothing.
	HandledLate uint64
	// ServiceCycles is the sum over regions of the cycles from the end of the walk
	// that found the fault until SMs could read that it was served.
	ServiceCycles uint64
}

// Stats counts the fill unit's work.
type Stats struct {
	Accounts tenant.PerAccount[TenantStats]
	// PendingMaximum is the largest number of regions that were being served at a
	// time.
	PendingMaximum uint64
}

// Total is the sum over accounts.
func (s *Stats) Total() TenantStats { return stats.Sum(s.Accounts) }

// count counts a walk by what it has found.
func (k *TenantStats) count(w *protocol.Walk) {
	k.Walks++
	switch w.Written {
	case protocol.Invalid:
		k.Invalids++
	case protocol.ReadOnly:
		k.ReadOnlys++
	}
	switch w.Read {
	case protocol.Migrate:
		k.Migrates++
	case protocol.Allocate:
		k.Allocates++
	}
	if w.Local {
		k.Locals++
	}
}

// Fault is a region that is not there, to a Listener.
type Fault struct {
	Region  uint64         // address of its first byte, tenant included
	Account tenant.Account // of the access that found it first
	Class   protocol.Fault // Migrate or Allocate
	Local   bool           // left to a handler on an SM
	Raised  uint64         // core cycle at which the SM that found it is told
}

// Listener observes the fill unit. A nil function is not called. Cycles are the cycles at
// which SMs can read the news.
type Listener struct {
	// Raised: a walk has found a region that is not there and was not pending.
	Raised func(Fault)
	// Served: it is there, from a core cycle on.
	Served func(f Fault, cycle uint64)
}
