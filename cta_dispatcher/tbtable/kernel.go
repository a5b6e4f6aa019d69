package tbtable

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// Kernel is an entry of the kernel status table (KSRT): an active kernel.
type Kernel struct {
	policy.Kernel // the part that policies see
	Shape         *workload.Kernel
	Opened        workload.Launch
	Tag           uint32 // the host's
	Account       tenant.Account
	Done          int // thread blocks finished
	// Record is the launch's place in the driver's list of launches, -1 without one.
	Record int
	// Next says that the tenant's thread blocks are placed from this kernel.
	Next bool
	// preempted is the queue of preempted thread blocks (PTBQ), which go before new ones:
	// first preempted, first placed again.
	preempted []*Entry
	contexts  contextMemory
	// vacant counts, by SM, the slots to which thread blocks off the chip can come back. The
	// policy gave the kernel the slot, and a thread block left it vacant when it finished or
	// was switched.
	vacant []int
}

// contextMemory is the memory for the contexts of a kernel's preempted thread blocks,
// with a slot for every thread block that can be on the GPU at once.
type contextMemory struct {
	base, slotBytes uint64
	free            []int32 // slots that have been used and are free again
	used            int     // slots that have been used at least once
}

// contextRegion is the part of a tenant's memory that holds contexts. It lies above
// global and local memory, which both stay below bit 54 of their parts.
const contextRegion = uint64(3) << 54

// contextEntryShift is the lowest address bit that tells the active kernels of a
// tenant apart. Each has 128 TB for its contexts.
const contextEntryShift = 47

func newContextMemory(a tenant.Account, bytes int) contextMemory {
	lines := uint64(bytes+protocol.LineBytes-1) / protocol.LineBytes
	return contextMemory{base: a.Base() | contextRegion | uint64(a.Entry())<<contextEntryShift, slotBytes: lines * protocol.LineBytes}
}

// take gives out a slot.
func (m *contextMemory) take() int32 {
	if last := len(m.free) - 1; last >= 0 {
		slot := m.free[last]
		m.free = m.free[:last]
		return slot
	}
	m.used++
	return int32(m.used - 1)
}

func (m *contextMemory) put(slot int32) { m.free = append(m.free, slot) }

func (m *contextMemory) address(slot int32) uint64 { return m.base + uint64(slot)*m.slotBytes }
