package protocol

import "cotenant/workload"

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
	Barrier   uint8 // at which it waits, if it does
	Turn      uint8 // of that barrier
	// Queue holds the warp's fetched and uncommitted instructions, of an SM that issues
	// out of order, and Over says that no more are to be fetched. Inst is unused then.
	Queue []QueuedInst
	Over  bool
}

// QueuedInst is an instruction that issues when its thread block continues.
type QueuedInst struct {
	Inst workload.Inst
	Unit uint8 // the unit for it, and Kind, in the SM's own numbers
	Kind uint8
	// Memory is what the SM keeps of a memory instruction that has issued and
	// faulted; nil if the instruction has not issued.
	Memory any
}
