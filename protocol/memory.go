package protocol

import (
	"cotenant/tenant"
	"cotenant/workload"
)

const (
	// LineBytes is the size of a cache line in L1D and L2.
	LineBytes = 128
	// SectorBytes is the smallest part of a line that is fetched or written.
	SectorBytes = 32
	// SectorsPerLine is the number of sectors of a line.
	SectorsPerLine = LineBytes / SectorBytes
	// AllSectors is the sector mask of a whole line.
	AllSectors = 1<<SectorsPerLine - 1
)

// Kind tells a packet's request or answer.
type Kind uint8

// The kinds. The answer replaces the request in place: Read becomes ReadReply,
// Write WriteAck, Atomic AtomicReply, ContextSave ContextSaved, ContextLoad
// ContextLoaded. The contexts of preempted thread blocks bypass the L2: they go
// straight to the memory controllers (SMK 5.1).
const (
	Read Kind = iota
	Write
	Atomic
	ReadReply
	WriteAck
	AtomicReply
	ContextSave
	ContextLoad
	ContextSaved
	ContextLoaded
	// Drop tells a slice that its copy of a line has become old. Nothing answers it.
	Drop
)

// Packet is one memory transaction, of at most one line. The SM takes it from the
// simulation's pool, the L2 slice turns the same packet round to answer it, and the
// SM returns it to the pool.
type Packet struct {
	Msg
	Addr    uint64 // line address in bytes, tenant in the bits from tenant.AddressShift
	Sectors uint8  // sectors read or touched, bit 0 the lowest
	Kind    Kind
	Account tenant.Account
	// DRAMAccesses is the number of DRAM accesses that the request caused: 0
	// for an L2 hit, 1 for a miss, 2 for a miss that evicted a dirty victim
	// (CCBP 5.2: a 2-bit field of the reply's header).
	DRAMAccesses uint8
	// WrittenBytes is the payload of a Write, Atomic or ContextSave.
	WrittenBytes uint8
	// Lanes is the number of lanes with atomic operations in the packet; the L2
	// performs operations on one sector one after another.
	Lanes uint8
	SM    uint16 // requester, the reply crossbar's output
	Slice uint16 // L2 slice, the request crossbar's output
	Tag   uint32 // the requester's own; comes back unchanged
	// Queued is the core cycle at which the packet came into the queue of the SM's
	// issue-rate controller, if there is one; comes back unchanged.
	Queued uint64
	// FullSectors is the part of Sectors that a Write covers wholly, so that
	// the L2 need not fetch them.
	FullSectors uint8
	// Priority is that of the line in the L2 from the access on.
	Priority workload.Priority
	// Copy says that a slice asks for a line of another slice, for a copy of its own. SM
	// is then that slice's number.
	Copy bool
	// Trace is the number of the journey of the load that asks, 0 if it is not followed.
	Trace uint16
	// Sent is the core cycle at which an SM made the request, and on the way back the cycle of
	// the L2 at which the slice answered it.
	Sent uint64
	// Line is the number of the program's line that asks, where lines are counted.
	Line uint32
}

// Tenant is the tenant that the packet is accounted to.
func (p *Packet) Tenant() tenant.ID { return p.Account.Tenant() }

// Route returns a crossbar's output port and the payload in bytes, without header:
// written data on the way to the L2, the sectors read on the way back.
func (p *Packet) Route() (output, dataBytes int) {
	switch p.Kind {
	case Read, ContextLoad:
		return int(p.Slice), 0
	case Write, Atomic, ContextSave:
		return int(p.Slice), int(p.WrittenBytes)
	case ReadReply, ContextLoaded:
		return int(p.SM), SectorBytes * sectorCount[p.Sectors&AllSectors]
	case AtomicReply:
		return int(p.SM), SectorBytes
	default:
		return int(p.SM), 0
	}
}

var sectorCount = [1 << SectorsPerLine]int{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}

// SectorCount is the number of sectors in a mask.
func SectorCount(mask uint8) int { return sectorCount[mask&AllSectors] }
