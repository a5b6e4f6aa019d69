package protocol

import (
	"cotenant/tenant"
	"cotenant/workload"
)

// EvictTB takes a thread block off the SM: its warps stop issuing, and once
// everything in flight has arrived, TBEvicted hands its context over. From
// preemption engine to SM.
type EvictTB struct {
	Msg
	Serial uint64 // of the placement
}

// TBEvicted answers EvictTB: the thread block has nothing in flight and has left the
// SM. From SM to preemption engine.
type TBEvicted struct {
	Msg
	Serial uint64 // of the placement
	// Context is nil if the thread block had finished before, or finished while its
	// accesses in flight arrived.
	Context *Context
}

// Halt stops the whole SM from issuing, or lets it continue. From preemption engine
// to SM.
type Halt struct {
	Msg
	On bool
}

// Context is the state of a thread block that has been taken off an SM: registers,
// shared memory, barrier and reconvergence stacks. The streams keep the values, so
// this struct holds only the SM's own state.
type Context struct {
	Warps    []WarpContext // that have not ended
	Barriers [workload.Barriers]Barrier
	Arrivals uint16 // barriers at which warps have arrived, one bit each
	// Extra is the size of the context beyond registers and the like, in bytes: replay
	// queues, and entries of the operand log.
	Extra int
}

// Barrier is one barrier of a thread block.
type Barrier struct {
	Arrived  uint8 // warps since it last opened
	Expected uint8 // number that opens it, by its last arrival; 0: all live warps
	Turn     uint8 // counts the times that it opened
}

// WarpContext is the state of one warp.
type WarpContext struct {
	Stream    workload.Stream
	Inst      workload.Inst // the next to issue
	AtBarrier bool
	Barrier   uint8  // at which it waits, if it does
	Turn      uint8  // of that barrier
	Line      uint32 // that it issued last, where lines are counted
	// Queue holds the warp's fetched and uncommitted instructions, of an SM that issues
	// out of order, and Over says that no more are to be fetched. Inst is unused then.
	Queue []QueuedInst
	Over  bool
	// Groups are the warp's groups of asynchronous copies; nil if all have ended. Only copies
	// that have faulted are under way when a thread block leaves.
	Groups *CopyGroups
}

// CopyGroups are the groups of a warp's asynchronous copies from the oldest that has not ended.
type CopyGroups struct {
	First  uint8    // number of the oldest
	Copies []uint16 // under way, by group; the last group is open
}

// QueuedInst is an instruction that issues when its thread block continues.
type QueuedInst struct {
	Inst workload.Inst
	Unit uint8 // the unit for it, and Kind, in the SM's own numbers
	Kind uint8
	// Memory is the operation of a memory instruction that has issued and faulted; nil
	// if the instruction has not issued.
	Memory *MemoryOp
}

// MemoryOp is a memory operation that has faulted, and that an SM begins again with
// all its accesses.
type MemoryOp struct {
	Account          tenant.Account
	Class            workload.Class
	Space            workload.Space
	Bypass, ReadOnly bool   // the caches that it may use
	Textures         bool   // the texture cache is looked up
	PC, Line         uint32 // Line as in Packet
	Accesses         []LineAccess
	Group            uint8    // of a copy, see CopyGroups
	Passes           int      // cycles in the unit beside those of the accesses
	Regs             [4]uint8 // written
	Lanes            uint8    // active, if gates are told when it completes; else 0
	Metered          bool     // it counts as a memory instruction of its tenant
}

// LineAccess is an access of a cache line.
type LineAccess struct {
	Line    uint64    // address, tenant included
	Written [2]uint64 // bytes of the line that a store covers, one bit each
	Sectors uint8     // touched, bit 0 the lowest
	Lanes   uint8     // lanes that have their first byte in the line
}
