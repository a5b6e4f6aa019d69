package protocol

import (
	"cotenant/components/occupancy"
	"cotenant/tenant"
	"cotenant/workload"
)

// SaveTB takes a thread block off the SM and saves its context. From SM driver
// to preemption engine.
type SaveTB struct {
	Msg
	Serial  uint64 // of the placement
	Account tenant.Account
	Demand  occupancy.Demand
	Addr    uint64 // destination of the context, tenant included
	// Halt stops the whole SM from now until the context is saved.
	Halt bool
	// Free leaves out the transfer: an ideal switch, or a flush.
	Free bool
	// Drop gives the context up: a flush.
	Drop bool
}

// LoadTB loads a saved context; then the SM continues the thread block. From SM
// driver to preemption engine.
type LoadTB struct {
	Msg
	Serial  uint64 // of the new placement
	TB      *workload.TB
	Account tenant.Account
	Launch  uint64
	Code    uint32 // as in PlaceTB
	Demand  occupancy.Demand
	Context *Context
	Addr    uint64 // source of the context, tenant included
	// Halt stops the whole SM until the context is loaded.
	Halt bool
	// Free leaves out the transfer: an ideal switch.
	Free bool
}

// TBPreempted says that the last part of a thread block's context is on its way to
// memory: its room on the SM is free. From preemption engine to SM driver.
type TBPreempted struct {
	Msg
	SM      int
	Serial  uint64 // of the placement
	Context *Context
	// Dropped is true if the thread block was flushed: there is no Context.
	Dropped bool
	Bytes   int // of context
}

// TBSaved says that all of a thread block's context is in memory: it can
// be placed again. From preemption engine to SM driver.
type TBSaved struct {
	Msg
	SM     int
	Serial uint64 // of the placement that it has left
}

// TBRestored says that a thread block's context has been loaded: it runs. From
// preemption engine to SM driver.
type TBRestored struct {
	Msg
	SM     int
	Serial uint64
	Bytes  int // of context
}
