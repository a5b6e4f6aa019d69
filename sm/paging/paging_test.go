package paging

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/residency"
	"cotenant/sm/tlb"
	"cotenant/sm/warps"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// heard is a Handler that notes the regions that have been served.
type heard struct {
	Holds
	served []uint64
}

func (h *heard) Served(region uint64) { h.served = append(h.served, region) }

// host is a module around a unit. It looks up pages at its first edge.
type host struct {
	components.Module
	unit  *Unit
	pages []uint64
}

func (h *host) Tick(uint64) bool {
	for i, page := range h.pages {
		h.unit.LookUp(page, tenant.ID(2).Account(0), i == 0, uint32(i))
	}
	h.pages = nil
	return h.unit.Step(true)
}

// Both the L2 TLB's port and the fill unit's are served, and a page that finds the port
// full is asked for once there is room.
func TestPagesAreAskedForOnceAndServedRegionsAreHandedOn(t *testing.T) {
	b := rig.New(t, 1_000_000_000)
	h := &host{pages: []uint64{0x1000, 0x1040, 0x2000, 0x3000}}
	h.Init("SM", b.Clock, h)
	parts := Parts{TLB: h.NewPort("TLB", 1), Faults: h.NewPort("Faults", 1), PageBytes: 4096,
		Asks: &components.Pool[protocol.Translation]{}, Residents: &residency.Unit{}}
	parts.Residents.Init(warps.Slots{Schedulers: 1, Each: 1}, make([]warps.Signals, 1), "lrr", 5)
	handler := &heard{}
	h.unit = New(tlb.Spec{Entries: 4, Ways: 2, MSHRs: 4}, true, parts)
	h.unit.Handler = handler
	mmu := rig.NewPeer[*protocol.Translation](b, "MMU", 1, parts.TLB)
	fill := rig.NewPeer[*protocol.RegionServed](b, "Fill", 1, parts.Faults)
	fill.Send(3, &protocol.RegionServed{Region: 0x10000}, &protocol.RegionServed{Region: 0x20000})
	h.Start()
	b.RunTo(100)
	asked := map[uint64]bool{} // page: to write
	for _, e := range mmu.Got {
		require.Equal(t, uint16(5), e.Msg.SM)
		asked[e.Msg.Page] = e.Msg.Write
	}
	require.Len(t, mmu.Got, 3)
	require.Equal(t, map[uint64]bool{0x1000: true, 0x2000: false, 0x3000: false}, asked)
	require.Equal(t, []uint64{0x10000, 0x20000}, handler.served)
	require.Equal(t, 3, h.unit.Waiting())
}

func TestHoldsEndsTheSimulationOverFaultsThatAbortAlone(t *testing.T) {
	var ended []protocol.Fault
	h := Holds(func(_ uint32, fault protocol.Fault, _ uint64) { ended = append(ended, fault) })
	for _, fault := range []protocol.Fault{protocol.NoFault, protocol.Migrate, protocol.Allocate, protocol.Invalid, protocol.ReadOnly} {
		h.Faulted(1, fault, 0, 0)
	}
	require.Equal(t, []protocol.Fault{protocol.Invalid, protocol.ReadOnly}, ended)
}
