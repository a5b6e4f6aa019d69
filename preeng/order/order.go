// Package order holds the messages that a preemption engine receives: orders
// from the SM driver, and what its SM has taken off.
package order

import (
	"cotenant/components/occupancy"
	"cotenant/sm/command"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// Save takes a thread block off the SM and saves its context.
type Save struct {
	sim.MsgMeta
	Serial uint64 // of the placement
	Kernel uint8  // tenant
	Demand occupancy.Demand
	Addr   uint64 // where the context goes, tenant included
	// Halt stops the whole SM from now until the context is saved.
	Halt bool
	// Free leaves out the transfer: an ideal switch, or a flush.
	Free bool
	// Drop gives the context up: a flush.
	Drop bool
}

// Meta makes Save a sim.Msg.
func (m *Save) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Load loads a saved context and has the SM go on with the thread block.
type Load struct {
	sim.MsgMeta
	Serial  uint64 // of the new placement
	TB      *workload.TB
	Kernel  uint8 // tenant
	Launch  uint64
	Demand  occupancy.Demand
	Context *command.Context
	Addr    uint64 // where the context is, tenant included
	// Halt stops the whole SM until the context is loaded.
	Halt bool
	// Free leaves out the transfer: an ideal switch.
	Free bool
}

// Meta makes Load a sim.Msg.
func (m *Load) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Evicted answers command.EvictTB: the thread block has nothing in flight and is
// no longer on the SM.
type Evicted struct {
	sim.MsgMeta
	Serial uint64 // of the placement
	// Context is nil if the thread block had finished before, or while what it
	// had in flight arrived.
	Context *command.Context
}

// Meta makes Evicted a sim.Msg.
func (m *Evicted) Meta() *sim.MsgMeta { return &m.MsgMeta }
