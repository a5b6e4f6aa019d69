package l2

import (
	"cotenant/components/stats"
	"cotenant/tenant"
)

// TenantStats counts one tenant's work in a slice. A lookup counts each request once by
// kind (Reads, Writes, Atomics) and once by outcome (Hits, Misses, SectorMisses, Merges).
type TenantStats struct {
	Reads   uint64
	Writes  uint64
	Atomics uint64
	// ReadSectors and WrittenSectors are the sectors of 32 bytes that reads and writes touch.
	ReadSectors    uint64
	WrittenSectors uint64

	Hits uint64 // performed at once, in a line that was there
	// Misses found no line. A read or atomic fetches; a write takes a line, and
	// fetches only as FetchOnWrite says.
	Misses uint64
	// SectorMisses found the line, but had to fetch sectors of it.
	SectorMisses uint64
	// Merges had to wait for what earlier requests fetch, and fetch nothing
	// themselves.
	Merges uint64

	// ReservationStalls is the number of cycles that the tenant's requests, at
	// the head of the slice, waited for an MSHR, room in one, or a line that is
	// not pinned. QueueStalls is the same for room in the DRAM queue or the
	// reply queue. A wait is counted when it ends, as what it began with.
	ReservationStalls uint64 `percycle:"1"`
	QueueStalls       uint64 `percycle:"1"`

	// DRAMAccesses is the number of fetches and write-backs that the tenant's
	// requests caused: the sum of what the replies say. A dirty victim counts
	// for the tenant that displaced it, while Writebacks and WritebackBytes
	// count it for its owner.
	DRAMAccesses   uint64
	Fills          uint64 // fetches that have come back
	FillBytes      uint64
	Writebacks     uint64 // dirty lines sent to the DRAM
	WritebackBytes uint64
	ReplyBytes     uint64 // data in replies, without headers
	// ContextSaves and ContextLoads are requests for the contexts of preempted
	// thread blocks, which pass the cache by and are counted nowhere else.
	ContextSaves uint64
	ContextLoads uint64
}

// Accesses is the number of requests looked up.
func (k *TenantStats) Accesses() uint64 { return k.Reads + k.Writes + k.Atomics }

// Stats counts a slice's work.
type Stats struct {
	Accounts tenant.PerAccount[TenantStats]
}

// Total is the sum over accounts.
func (s *Stats) Total() TenantStats { return stats.Sum(s.Accounts) }

// Tenant is the sum over a tenant's accounts.
func (s *Stats) Tenant(number int) TenantStats {
	return stats.Each(s.Accounts.From(number), tenant.Max)
}

// CopyTenantStats counts one tenant's requests for lines with another home in a slice
// near to the SM. A read that misses the copy is also a request of the home.
type CopyTenantStats struct {
	Reads   uint64 // looked up in the copies
	Hits    uint64 // performed on a copy
	Passed  uint64 // writes, atomics and contexts, which the home performs
	Dropped uint64 // copies dropped because the home's line was written or displaced
}

// CopyStats counts the work of Copies.
type CopyStats struct {
	Accounts tenant.PerAccount[CopyTenantStats]
}
