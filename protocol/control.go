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
