package protocol

import (
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
)

// Copy asks the copy engine to move data between host and device. CopyDone
// answers it. From host to copy engine.
type Copy struct {
	sim.MsgMeta
	Tenant   tenant.ID
	Priority int // of the process; the larger goes first under npq
	Bytes    uint64
	ToHost   bool   // from device to host, else from host to device
	Tag      uint32 // the command dispatcher's own; comes back unchanged
}

// Meta makes Copy a sim.Msg.
func (m *Copy) Meta() *sim.MsgMeta { return &m.MsgMeta }

// CopyDone says that a copy has been carried out. From copy engine to host.
type CopyDone struct {
	sim.MsgMeta
	Tenant tenant.ID
	// Tag is the command's own.
	Tag uint32
}

// Meta makes CopyDone a sim.Msg.
func (m *CopyDone) Meta() *sim.MsgMeta { return &m.MsgMeta }
