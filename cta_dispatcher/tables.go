package dispatcher

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/local"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// kernelStatus is an entry of the kernel status table: one active kernel.
type kernelStatus struct {
	policy.Kernel // what policies see of it
	shape         *workload.Kernel
	opened        workload.Launch
	tag           uint32 // the host's
	account       tenant.Account
	done          int // TBs finished
	// record is the launch's place in TenantStats.Launches, -1 if it has none.
	record int
	// preempted TBs go before new ones.
	preempted preemptedQueue
	contexts  contextMemory
}

// contextMemory is the memory set aside for the contexts of a kernel's
// preempted TBs: one slot for every TB that can be on the GPU at once.
type contextMemory struct {
	base, slotBytes uint64
	free            []int32 // slots that have been used and are free again
	used            int     // slots that have been used at least once
}

// contextRegion is where contexts lie in a tenant's memory: above its global
// memory and beside its local memory, which both keep below bit 54 of their
// part.
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

// id is a tenant's number as messages carry it.
func id(n int) tenant.ID { return tenant.ID(n) }

// preemptedTB is a thread block that was taken off its SM, and where its
// context is.
type preemptedTB struct {
	tb      *workload.TB
	context *protocol.Context // nil if the thread block starts anew
	slot    int32             // of the context memory; -1 if there is none
	bytes   int               // of context that are in memory
	// mechanism of the preemption; a whole SM's context switch halts the SM that
	// loads a context too.
	mechanism policy.Mechanism
	halt      bool
	fault     bool // it was because of page faults
}

// preemptedQueue is a kernel's PTBQ: first preempted, first placed again.
type preemptedQueue struct{ list []preemptedTB }

func (q *preemptedQueue) len() int { return len(q.list) }

func (q *preemptedQueue) push(tb preemptedTB) { q.list = append(q.list, tb) }

// pop takes the thread block that has waited longest; there must be one.
func (q *preemptedQueue) pop() preemptedTB {
	first := q.list[0]
	q.list = q.list[:copy(q.list, q.list[1:])]
	return first
}

// placement is a TB on an SM, from when it is sent there until it has left.
type placement struct {
	preemptedTB
	kernel *kernelStatus
	serial uint64
	state  placementState
	// loading is the slot of the context that is being loaded, -1 if none is.
	loading int32
	// number is the thread block's among those of its SM's local scheduler, 0 if
	// thread blocks are not switched on faults.
	number local.ID
	// served says that the faults because of which it was told to leave are served.
	served bool
}

type placementState uint8

const (
	running    placementState = iota // or on its way to the SM, or being loaded
	leaving                          // told to leave; holds its resources
	relocating                       // told to leave and to come back
	left                             // gone, its resources free; its context is not yet all in memory
	moved                            // gone, its resources kept; its context is not yet all in memory
	switched                         // told to leave because it waits for faults; holds its resources
)

// smStatus is an entry of the SM status table, beside what the View shows.
type smStatus struct {
	placements []placement // in order
	mechanism  policy.Mechanism
}

// find is the index of a placement.
func (s *smStatus) find(serial uint64) int {
	for i := range s.placements {
		if s.placements[i].serial == serial {
			return i
		}
	}
	return -1
}

// DemandOf is what one TB of a kernel takes of an SM.
func DemandOf(k *workload.Kernel) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: k.ThreadsPerTB(), Warps: k.WarpsPerTB(),
		Registers: k.RegistersPerTB, SharedBytes: k.SharedBytesPerTB}
}
