package protocol

import "cotenant/workload"

// EvictTB takes a thread block off the SM: its warps issue nothing any more, and
// once all that they have in flight has arrived, TBEvicted hands its context
// over. From preemption engine to SM.
type EvictTB struct {
	Msg
	Serial uint64 // of the placement
}

// TBEvicted answers EvictTB: the thread block has nothing in flight and is no
// longer on the SM. From SM to preemption engine.
type TBEvicted struct {
	Msg
	Serial uint64 // of the placement
	// Context is nil if the thread block had finished before, or while what it
	// had in flight arrived.
	Context *Context
}

// Halt stops the whole SM from issuing, or lets it go on. From preemption engine
// to SM.
type Halt struct {
	Msg
	On bool
}

// Context is the state of a thread block that has been taken off an SM: what
// registers, shared memory, barrier and reconvergence stacks hold. The streams
// keep the values, so this is what the SM itself knows.
type Context struct {
	Warps    []WarpContext // that have not ended
	Barriers [workload.Barriers]Barrier
	Arrivals uint16 // barriers at which warps have arrived, one bit each
	// Extra is what the context has beside registers and the like, in bytes: replay
	// queues, and entries of the operand log.
	Extra int
}

// Barrier is one barrier of a thread block.
type Barrier struct {
	Arrived  uint8 // warps that have come since it last opened
	Expected uint8 // how many open it, as the last of them said; 0 for all that are live
	Turn     uint8 // counts the times that it opened
}

// WarpContext is the state of one warp.
type WarpContext struct {
	Stream    workload.Stream
	Inst      workload.Inst // the next to issue
	AtBarrier bool
	Barrier   uint8 // that it waits at, if it does
	Turn      uint8 // of that barrier
	// Queue are the warp's instructions that have been fetched and not committed, of
	// an SM that issues out of order, and Over says that no more are to be fetched.
	// Inst counts for nothing then.
	Queue []QueuedInst
	Over  bool
}

// QueuedInst is an instruction that is to issue when its thread block goes on.
type QueuedInst struct {
	Inst workload.Inst
	Unit uint8 // that it needs, and Kind, in the SM's own numbers
	Kind uint8
	// Memory is what the SM keeps of a memory instruction that has issued and
	// faulted; nil if the instruction has not issued.
	Memory any
}
