package protocol

import "cotenant/tenant"

// Walk asks for a walk through the page table, and comes back answered. From L2
// TLB to fill unit, which turns the same message round.
type Walk struct {
	Msg
	Page    uint64 // address of the page's first byte, tenant included
	Account tenant.Account
	Tag     uint32 // the L2 TLB's own; comes back unchanged
	// Read and Written answer accesses that read and that write: requests of both kinds
	// may wait for one walk. Region and Local are as in Translation.
	Read, Written Fault
	Region        uint64
	Local         bool
}

// Fault is the answer to an access.
func (m *Walk) Fault(write bool) Fault {
	if write {
		return m.Written
	}
	return m.Read
}

// RegionFault asks the CPU for a region, and comes back once it is served. From
// fill unit to pager, which turns the same message round.
type RegionFault struct {
	Msg
	Region  uint64 // address of its first byte, tenant included
	Account tenant.Account
	Class   Fault  // Migrate or Allocate
	Bytes   uint64 // that move
}
