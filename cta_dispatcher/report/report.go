// Package report holds the messages that the SM driver receives from the SMs.
package report

import (
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// TBFinished says that every warp of a thread block has ended and all its
// memory accesses have been performed.
type TBFinished struct {
	sim.MsgMeta
	TB     *workload.TB
	SM     int
	Kernel uint8 // tenant
}

// Meta makes TBFinished a sim.Msg.
func (m *TBFinished) Meta() *sim.MsgMeta { return &m.MsgMeta }
