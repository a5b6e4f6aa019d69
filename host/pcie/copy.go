package pcie

import "github.com/sarchlab/akita/v3/sim"

// Copy asks the engine to move data between host and device. done.Copy answers
// it.
type Copy struct {
	sim.MsgMeta
	Tenant   uint8 // process, below mem.MaxTenants
	Priority int   // of the process; the larger goes first under npq
	Bytes    uint64
	ToHost   bool   // from device to host, else from host to device
	Tag      uint32 // the command dispatcher's own; comes back unchanged
	seen     uint64 // cycle of the bus
}

// Meta makes Copy a sim.Msg.
func (m *Copy) Meta() *sim.MsgMeta { return &m.MsgMeta }
