package residency

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/sm/barrier"
	"cotenant/sm/gate"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// neighbours keep no instructions. present lists the tenants that come and leave.
type neighbours struct {
	Keeper
	cleared []uint16
	present []bool
}

func (n *neighbours) Start(*Warp, *protocol.WarpContext) {}
func (n *neighbours) Clear(w *Warp)                      { n.cleared = append(n.cleared, w.Slot) }
func (n *neighbours) Close(*Block)                       {}
func (n *neighbours) Launched(tenant.ID)                 {}
func (n *neighbours) Present(_ tenant.ID, here bool)     { n.present = append(n.present, here) }
func (n *neighbours) Shares(int, bool)                   {}

// A thread block's warps go to the scheduler with the fewest warps. A slot is free with its
// warp's end, and the thread block's threads with the end of its last warp.
func TestSlotsAreFreeWithTheirWarpsAndThreadsWithTheBlock(t *testing.T) {
	slots := warps.Slots{Schedulers: 2, Each: 2}
	signals := make([]warps.Signals, slots.Schedulers)
	gates, err := gate.NewSet("any", signals)
	require.NoError(t, err)
	var u Unit
	n := &neighbours{}
	u.Init(slots, signals, "lrr", 0)
	u.Join(Parts{SM: n, Keeper: n, Gates: gates, Barriers: barrier.New(slots, signals)})
	place := func(count int) *Block {
		u.Place(&protocol.PlaceTB{TB: &workload.TB{Warps: make([]workload.Stream, count)}, Demand: occupancy.Demand{Threads: 32 * count}})
		for i := range u.Warps {
			if w := &u.Warps[i]; w.InUse && w.TB.number == u.nextTB-1 {
				return w.TB
			}
		}
		return nil
	}
	first := place(3)
	require.Equal(t, []int32{0, 2, 1}, first.Warps)
	require.Equal(t, []warps.Mask{0b11, 0b01}, []warps.Mask{signals[0].Live, signals[1].Live})
	leave := func(slot int) {
		u.End(&u.Warps[slot])
		u.Settled(slot)
	}
	leave(0)
	require.Equal(t, 96, u.Threads())
	require.Equal(t, []int32{0, 3}, place(2).Warps)
	leave(1)
	require.Empty(t, u.Finished)
	leave(2)
	require.Equal(t, []*Block{first}, u.Finished)
	require.Equal(t, 64, u.Threads())
	leave(0)
	leave(3)
	require.Equal(t, []uint16{0, 1, 2, 0, 3}, n.cleared)
	require.Equal(t, []bool{true, false}, n.present)
	require.Empty(t, u.present)
	require.Zero(t, u.Departing)
}
