package protocol

import "cotenant/tenant"

// DRAMRequest is one access of an L2 slice to DRAM, of at most one line. The slice
// takes it from the simulation's pool and pushes it into its port of the controller.
// For a read the controller sends the same DRAMRequest back, and the slice returns it
// to the pool. A write stays with the controller, which returns it to the pool.
//
// The controller keeps reads behind writes of the same sectors, but not writes
// behind reads: a slice must not write back a line before its read has come back.
type DRAMRequest struct {
	Msg
	Addr    uint64 // line address in bytes, tenant included
	Row     uint64 // of the line, by mem.AddressMap.Locate
	Bank    uint8  // of the channel
	Sectors uint8  // sectors to transfer, at least one, bit 0 the lowest
	Write   bool
	Context bool // the data are the context of a preempted thread block
	Account tenant.Account
	Trace   uint16 // of a read, see Packet
	Slice   uint16 // the slice's own; comes back unchanged
	Tag     uint32 // the slice's own; comes back unchanged
	Line    uint32 // of the program that a read is for, see Packet
}
