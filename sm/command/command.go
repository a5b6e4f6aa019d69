// Package command holds the messages that an SM receives: from the SM driver
// those that place thread blocks, set quotas and ask for counters, from its
// preemption engine those that take thread blocks off and bring them back.
package command

import (
	"cotenant/components/occupancy"
	"cotenant/mem"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// PlaceTB puts a thread block on the SM, which must have room for it.
type PlaceTB struct {
	sim.MsgMeta
	TB     *workload.TB
	Demand occupancy.Demand
	Kernel uint8 // tenant
	// Launch numbers the tenant's kernel launches; the SM drops the tenant's
	// L1 lines when it sees the first TB of a new one.
	Launch uint64
	// Serial is the placement's own number.
	Serial uint64
	// Context is where the thread block goes on; nil if it is new.
	Context *Context
}

// Meta makes PlaceTB a sim.Msg.
func (m *PlaceTB) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Context is the state of a thread block that has been taken off an SM: what
// registers, shared memory, barrier and reconvergence stacks hold. The streams
// keep the values, so this is what the SM itself knows.
type Context struct {
	Warps    []WarpContext // that have not ended
	Barriers [workload.Barriers]Barrier
	Arrivals uint16 // barriers at which warps have arrived, one bit each
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
}

// EvictTB takes a thread block off the SM: its warps issue nothing any more, and
// once all that they have in flight has arrived, the preemption engine gets its
// context.
type EvictTB struct {
	sim.MsgMeta
	Serial uint64 // of the placement
}

// Meta makes EvictTB a sim.Msg.
func (m *EvictTB) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Halt stops the whole SM from issuing, or lets it go on.
type Halt struct {
	sim.MsgMeta
	On bool
}

// Meta makes Halt a sim.Msg.
func (m *Halt) Meta() *sim.MsgMeta { return &m.MsgMeta }

// SetQuotas gives the warp schedulers quotas, which start anew.
type SetQuotas struct {
	sim.MsgMeta
	// On is false if tenants are to have no quotas.
	On bool
	// Quotas are warp instructions for each scheduler, by tenant.
	Quotas [mem.MaxTenants]int32
}

// Meta makes SetQuotas a sim.Msg.
func (m *SetQuotas) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Sample asks for the SM's counters.
type Sample struct{ sim.MsgMeta }

// Meta makes Sample a sim.Msg.
func (m *Sample) Meta() *sim.MsgMeta { return &m.MsgMeta }
