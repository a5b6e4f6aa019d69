package pager

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts the pager's work for one tenant. A service counts when it begins,
// its time as it passes.
type TenantStats struct {
	Migrates  uint64 // services that moved data
	Allocates uint64 // services that did not
	Bytes     uint64 // moved
	// BusyCycles is the time that services held link and CPU, WaitCycles the time that they
	// waited for both.
	BusyCycles uint64 `percycle:"1"`
	WaitCycles uint64
}

// Stats counts the pager's work.
type Stats struct{ Tenants [tenant.Max]TenantStats }

// Listener observes a pager. A nil function is not called.
type Listener struct {
	// InService: a service begins, at one core cycle, and ends, for the SMs, at
	// another. The fault is only valid during the call.
	InService func(f *protocol.RegionFault, start, end uint64)
}
