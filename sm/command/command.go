// Package command holds the messages that an SM receives from the SM driver.
package command

import (
	"cotenant/components/occupancy"
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
}

// Meta makes PlaceTB a sim.Msg.
func (m *PlaceTB) Meta() *sim.MsgMeta { return &m.MsgMeta }
