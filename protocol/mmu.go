package protocol

import "cotenant/tenant"

// Fault is the reason why a page cannot be accessed.
type Fault uint8

// The faults. Migrate and Allocate are served and the access succeeds later; Invalid
// and ReadOnly end the kernel.
const (
	// NoFault: the page is there.
	NoFault Fault = iota
	// Migrate: the data are in the CPU's memory.
	Migrate
	// Allocate: no data move, but the page needs physical memory of the GPU.
	Allocate
	// Invalid: there is no memory at the address.
	Invalid
	// ReadOnly: the page must not be written.
	ReadOnly
)

// Aborts reports whether the fault ends its kernel.
func (f Fault) Aborts() bool { return f > Allocate }

// String names the fault as messages and results do.
func (f Fault) String() string {
	return [...]string{"no fault", "migrate", "allocate", "invalid address", "write to a read-only page"}[f]
}

// Translation asks for a page, and comes back answered. From SM to L2 TLB, which
// turns the same message round.
type Translation struct {
	Msg
	Page    uint64 // address of the page's first byte, tenant included
	Account tenant.Account
	SM      uint16 // that asks
	Write   bool   // the access writes
	// ReadOnly is part of an answer without a fault: the page must not be written.
	ReadOnly bool
	// Fault is the answer. Region is the address of the aligned region that will be
	// served as a whole, if the fault can be served.
	Fault  Fault
	Region uint64
	// Local says that only a handler on an SM will serve the fault: the first
	// RegionHandled of the region counts.
	Local bool
}

// RegionServed says that all pages of a region can be accessed. From the fill unit
// to every SM, a cycle after its message to the L2 TLB, so that no SM sees it before
// the fault of an earlier walk.
type RegionServed struct {
	Msg
	Region uint64 // address of its first byte, tenant included
}

// RegionHandled says that a handler on the SM has given a region physical memory.
// From SM to the fill unit, which answers every SM with RegionServed.
type RegionHandled struct {
	Msg
	Region uint64
}
