// Package done holds the messages that the host's command dispatcher receives
// from the engines that carry out its commands.
package done

import "github.com/sarchlab/akita/v3/sim"

// Kernel says that the last thread block of a tenant's kernel has finished.
type Kernel struct {
	sim.MsgMeta
	Tenant uint8
}

// Meta makes Kernel a sim.Msg.
func (m *Kernel) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Copy says that a copy has been carried out.
type Copy struct {
	sim.MsgMeta
	Tenant uint8
	// Tag is the command's own.
	Tag uint32
}

// Meta makes Copy a sim.Msg.
func (m *Copy) Meta() *sim.MsgMeta { return &m.MsgMeta }
