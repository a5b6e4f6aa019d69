package protocol

import "cotenant/tenant"

// DRAMRequest is one access of an L2 slice to DRAM, of at most one line. The
// slice takes it from the simulation's pool and pushes it into its port of the
// controller. A read comes back through that port, the same DRAMRequest, and the
// slice puts it back in the pool. A write is the controller's from then on,
// which puts it in the pool itself.
//
// The controller keeps reads behind writes of the same sectors, but not writes
// behind reads: a slice must not write back a line that it has not got yet.
type DRAMRequest struct {
	Msg
	Addr    uint64 // line address in bytes, tenant included
	Row     uint64 // where the line lies, as mem.AddressMap.Locate has it
	Bank    uint8  // of the channel
	Sectors uint8  // sectors to transfer, at least one, bit 0 the lowest
	Write   bool
	Context bool // it belongs to the context of a preempted thread block
	Account tenant.Account
	Slice   uint16 // the slice's own; comes back unchanged
	Tag     uint32 // the slice's own; comes back unchanged
}
