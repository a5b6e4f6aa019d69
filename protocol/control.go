package protocol

import (
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
)

// SetQuotas gives the warp schedulers quotas, which start anew. From SM driver to
// SM.
type SetQuotas struct {
	sim.MsgMeta
	// On is false if tenants are to have no quotas.
	On bool
	// Quotas are warp instructions for each scheduler, by tenant.
	Quotas [tenant.Max]int32
}

// Meta makes SetQuotas a sim.Msg.
func (m *SetQuotas) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Sample asks a unit for its counters. From SM driver to SM.
type Sample struct{ sim.MsgMeta }

// Meta makes Sample a sim.Msg.
func (m *Sample) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Window answers Sample. From SM to SM driver.
type Window struct {
	sim.MsgMeta
	SM int
	// Issued is the number of warp instructions issued so far, by tenant.
	Issued [tenant.Max]uint64
}

// Meta makes Window a sim.Msg.
func (m *Window) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Control steers a unit: its type says what, its fields how. A unit takes some
// types and no others. A new knob is a type that embeds ControlMsg, and the block
// that reads it.
type Control interface {
	sim.Msg
	control()
}

// ControlMsg makes the type that embeds it a Control.
type ControlMsg struct{ sim.MsgMeta }

// Meta makes ControlMsg a sim.Msg.
func (m *ControlMsg) Meta() *sim.MsgMeta { return &m.MsgMeta }

func (m *ControlMsg) control() {}

// Quotas gives the warp schedulers of an SM quotas, which start anew (SMK 5.4).
type Quotas struct {
	ControlMsg
	// On is false if tenants are to have no quotas.
	On bool
	// Instructions are warp instructions for each scheduler, by tenant.
	Instructions [tenant.Max]int32
}

// Ways divides the sets of an SM's L1 between tenants.
type Ways struct {
	ControlMsg
	// On is false if lines are to be displaced whosever they are.
	On bool
	// Ways is the number of lines of each set that a tenant may have, by tenant.
	Ways [tenant.Max]uint8
}
