// Package report holds the messages that the SM driver receives from the SMs
// and their preemption engines.
package report

import (
	"cotenant/mem"
	"cotenant/sm/command"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// TBFinished says that every warp of a thread block has ended and all its
// memory accesses have been performed.
type TBFinished struct {
	sim.MsgMeta
	TB     *workload.TB
	SM     int
	Kernel uint8  // tenant
	Serial uint64 // of the placement
}

// Meta makes TBFinished a sim.Msg.
func (m *TBFinished) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Window answers command.Sample.
type Window struct {
	sim.MsgMeta
	SM int
	// Issued is the number of warp instructions issued so far, by tenant.
	Issued [mem.MaxTenants]uint64
}

// Meta makes Window a sim.Msg.
func (m *Window) Meta() *sim.MsgMeta { return &m.MsgMeta }

// TBPreempted says that the last of a thread block's context is on its way to
// memory: what it took of the SM is free.
type TBPreempted struct {
	sim.MsgMeta
	SM      int
	Serial  uint64 // of the placement
	Context *command.Context
	// Dropped is true if the thread block was flushed: there is no Context.
	Dropped bool
	Bytes   int // of context
}

// Meta makes TBPreempted a sim.Msg.
func (m *TBPreempted) Meta() *sim.MsgMeta { return &m.MsgMeta }

// ContextSaved says that all of a thread block's context is in memory: it can
// be placed again.
type ContextSaved struct {
	sim.MsgMeta
	SM     int
	Serial uint64 // of the placement that it has left
}

// Meta makes ContextSaved a sim.Msg.
func (m *ContextSaved) Meta() *sim.MsgMeta { return &m.MsgMeta }

// TBRestored says that a thread block's context has been loaded: it runs.
type TBRestored struct {
	sim.MsgMeta
	SM     int
	Serial uint64
	Bytes  int // of context
}

// Meta makes TBRestored a sim.Msg.
func (m *TBRestored) Meta() *sim.MsgMeta { return &m.MsgMeta }
