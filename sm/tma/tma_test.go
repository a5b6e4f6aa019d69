package tma

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tenant"
	"cotenant/workload"
)

// unitOfAccesses takes what the unit issues.
type unitOfAccesses struct {
	full   bool
	issued []workload.Inst
	lanes  [][]uint64
	warps  []int
}

func (a *unitOfAccesses) Full() bool      { return a.full }
func (a *unitOfAccesses) FullFor() uint16 { return 0 }
func (a *unitOfAccesses) Issue(warp int, _ tenant.Account, inst *workload.Inst) uint32 {
	a.issued, a.warps = append(a.issued, *inst), append(a.warps, warp)
	var lanes []uint64
	for i := range workload.WarpSize {
		if inst.Active>>i&1 != 0 {
			lanes = append(lanes, inst.Lanes[i])
		}
	}
	a.lanes = append(a.lanes, lanes)
	return 0
}

// box is a copy of lanes that each stand for rows of some lines of 16 bytes, a pitch from row to row.
func box(lanes, rows, lines int, pitch uint64) *workload.Inst {
	return &workload.Inst{Class: workload.Copy, Base: 1 << 20, Stride: int32(uint64(rows) * pitch), Active: uint32(1<<lanes - 1), Warps: uint8(rows), Width: uint8(lines)}
}

// run steps a unit up to a cycle and returns the cycles at which it has issued.
func run(u *Unit, a *unitOfAccesses, from, to uint64) (at []uint64) {
	for cycle := from; cycle < to; cycle++ {
		n := len(a.issued)
		if cycle >= u.Next() {
			u.Step(cycle)
		}
		for range len(a.issued) - n {
			at = append(at, cycle)
		}
	}
	return at
}

// 32 rows of 128 bytes are 256 lines of 16 bytes: eight instructions of four rows. The first comes behind the
// latency, and each takes four cycles of 128 bytes.
func TestABoxIsReadRowByRow128BytesACycle(t *testing.T) {
	a := &unitOfAccesses{}
	u := New(Spec{Latency: 105}, a)
	inst := box(32, 1, 8, 4096)
	require.Equal(t, 8, Instructions(inst))
	u.Take(Copy{Slot: 5, Number: 9}, inst, 10)
	require.Equal(t, []uint64{116, 120, 124, 128, 132, 136, 140, 144}, run(u, a, 10, 300))
	require.Equal(t, uint64(Never), u.Next())
	for i, lanes := range a.lanes {
		require.Equal(t, 5, a.warps[i])
		for k, addr := range lanes {
			require.Equal(t, uint64(1<<20+(4*i+k/8)*4096+k%8*16), addr)
		}
		require.True(t, a.issued[i].Bulk())
		require.Equal(t, workload.BypassL1, a.issued[i].Flags)
	}
	for i := range 8 {
		c, done := u.Performed(a.issued[0].Barrier)
		require.Equal(t, i == 7, done)
		require.Equal(t, uint8(9), c.Number)
	}
}

// A lane stands for several rows: they lie evenly between it and the next lane.
func TestRowsOfALaneLieOnTheWayToTheNext(t *testing.T) {
	a := &unitOfAccesses{}
	u := New(Spec{}, a)
	u.Take(Copy{Stores: true}, box(4, 4, 4, 1000*16), 0)
	require.Equal(t, []uint64{1, 5}, run(u, a, 0, 100))
	row := 0
	for _, lanes := range a.lanes {
		for k, addr := range lanes {
			require.Equal(t, uint64(1<<20+row/4*1000*16+k%4*16), addr)
			row++
		}
	}
	require.Equal(t, 64, row)
	require.Equal(t, workload.Store, a.issued[0].Class)
	// The last lane of a piece that is one stretch.
	a.lanes = nil
	u.Take(Copy{}, box(1, 2, 2, 0), 200)
	run(u, a, 200, 300)
	require.Equal(t, [][]uint64{{1 << 20, 1<<20 + 16, 1<<20 + 32, 1<<20 + 48}}, a.lanes)
}

// Copies go one after another, wait while the load-store unit is full, and wait for a number.
func TestCopiesTakeTurns(t *testing.T) {
	a := &unitOfAccesses{full: true}
	u := New(Spec{Copies: 1}, a)
	u.Take(Copy{Slot: 1}, box(32, 1, 1, 16), 0)
	second := box(2, 1, 1, 16)
	lanes := [workload.WarpSize]uint64{7 << 10, 9 << 10}
	second.Lanes = &lanes
	u.Take(Copy{Slot: 2}, second, 0)
	lanes = [workload.WarpSize]uint64{} // they belong to the stream
	require.Empty(t, run(u, a, 0, 50))
	a.full = false
	require.Equal(t, []uint64{50}, run(u, a, 50, 100))
	c, done := u.Performed(a.issued[0].Barrier)
	require.True(t, done)
	require.Equal(t, 1, c.Slot)
	require.Equal(t, []uint64{100}, run(u, a, 100, 200))
	require.Equal(t, []uint64{7 << 10, 9 << 10}, a.lanes[1])
	require.Equal(t, []int{1, 2}, a.warps)
}
