package pcie

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts one process' copies. A copy counts when it starts, its cycles when
// it has ended.
type TenantStats struct {
	Copies        uint64
	BytesToDevice uint64
	BytesToHost   uint64
	Bursts        uint64
	BusyCycles    uint64 `percycle:"2"` // of the bus, taken by its bursts; on a duplex bus two can be in a cycle
	TurnCycles    uint64 // of the bus, in which a copy under way waited for bursts of others
	WaitCycles    uint64 // of the bus, from the arrival of its copies to their start
}

// Stats counts the engines' work.
type Stats struct{ Tenants [tenant.Max]TenantStats }

// Listener observes the engines. A nil function is not called.
type Listener struct {
	// Copied: a copy has been carried out. It is only valid during the call.
	// Start and end are cycles of the bus.
	Copied func(c *protocol.Copy, start, end uint64)
}
