package protocol

import (
	"cotenant/components/occupancy"
	"cotenant/tenant"
	"cotenant/workload"
)

// PlaceTB puts a thread block on the SM, which must have room for it. From SM
// driver to SM, or from the preemption engine if the thread block continues from a
// context.
type PlaceTB struct {
	Msg
	TB     *workload.TB
	Demand occupancy.Demand
	// Account is the tenant's for this kernel.
	Account tenant.Account
	// Launch numbers the tenant's kernel launches; the SM drops the tenant's L1 lines
	// when it sees the first thread block of a new launch.
	Launch uint64
	// Code numbers the kernels of all tenants by their instructions: launches of a
	// tenant's kernels of one name share a number, which no other kernel has.
	Code uint32
	// Serial is the placement's own number.
	Serial uint64
	// Context is the state to continue from; nil if the thread block is new.
	Context *Context
}

// TBBlocked with On says that all unended warps of a thread block wait for page
// faults or at barriers, at least one for a fault, and nothing of it is in flight.
// Without On it says that this is over: a fault has been served, the last fault if
// the thread block has left the SM meanwhile. From SM to SM driver.
type TBBlocked struct {
	Msg
	Serial uint64 // of the placement
	On     bool
}

// TBFinished says that every warp of a thread block has ended and all its
// memory accesses have been performed. From SM to SM driver.
type TBFinished struct {
	Msg
	TB     *workload.TB
	SM     int
	Tenant tenant.ID
	Serial uint64 // of the placement
}
