package async

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// unit is of one slot, whose warp is about to wait for all but some groups.
func unit() (u *Unit, waits func(may uint8) bool) {
	signals := make([]warps.Signals, 1)
	u = New(warps.Slots{Schedulers: 1, Each: 1}, signals)
	u.Start(0, nil)
	return u, func(may uint8) bool {
		u.Next(0, &workload.Inst{Class: workload.Await, Barrier: may})
		return signals[0].Copies != 0
	}
}

var commit = &workload.Inst{Class: workload.Commit, Active: 1}

func TestAWaitIsForAllButTheLastGroups(t *testing.T) {
	u, waits := unit()
	first := u.Join(0, workload.CopyGroups)
	require.Equal(t, first, u.Join(0, workload.CopyGroups), "one group")
	require.False(t, waits(0), "for the open group no wait asks")
	u.Execute(0, commit)
	second := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	require.NotEqual(t, first, second)
	require.True(t, waits(0))
	require.True(t, waits(1))
	require.False(t, waits(2))
	u.Landed(0, workload.CopyGroups, first)
	require.True(t, waits(1), "half of the first group is under way")
	u.Landed(0, workload.CopyGroups, first)
	require.False(t, waits(1))
	require.True(t, waits(0))
	u.Landed(0, workload.CopyGroups, second)
	require.False(t, waits(0))
	require.Zero(t, u.Under(0))
}

// Groups end in any order, but a wait is for all groups before the last ones.
func TestAYoungerGroupThatHasEndedCountsUntilTheOlderHas(t *testing.T) {
	u, waits := unit()
	first := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	second := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	u.Landed(0, workload.CopyGroups, second)
	require.True(t, waits(0))
	require.True(t, waits(1), "the first is not among the last one")
	u.Landed(0, workload.CopyGroups, first)
	require.False(t, waits(0))
}

func TestAnEmptyGroupCounts(t *testing.T) {
	u, waits := unit()
	first := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	u.Execute(0, commit)
	require.True(t, waits(1))
	require.False(t, waits(2))
	u.Landed(0, workload.CopyGroups, first)
	require.False(t, waits(0))
	u.Execute(0, &workload.Inst{Class: workload.Commit})
	require.False(t, waits(0), "no lane commits")
}

// The last of the groups that can be under way stays open.
func TestACommitWaitsForRoom(t *testing.T) {
	u, _ := unit()
	var groups []uint8
	for range Groups - 1 {
		require.True(t, u.Ready(0, commit))
		groups = append(groups, u.Join(0, workload.CopyGroups))
		u.Execute(0, commit)
	}
	u.Next(0, commit)
	require.Equal(t, warps.Mask(1), u.signals[0].Copies)
	u.Landed(0, workload.CopyGroups, groups[1])
	require.Equal(t, warps.Mask(1), u.signals[0].Copies, "the oldest is still there")
	u.Landed(0, workload.CopyGroups, groups[0])
	require.Zero(t, u.signals[0].Copies)
	for _, g := range groups[2:] {
		u.Landed(0, workload.CopyGroups, g)
	}
	for range 1000 { // numbers go round
		group := u.Join(0, workload.CopyGroups)
		require.True(t, u.Ready(0, &workload.Inst{Class: workload.Await}))
		u.Execute(0, commit)
		require.False(t, u.Ready(0, &workload.Inst{Class: workload.Await}))
		u.Landed(0, workload.CopyGroups, group)
	}
}

func TestGroupsGoWithTheirWarp(t *testing.T) {
	u, _ := unit()
	require.Nil(t, u.Save(0))
	for range 300 {
		u.Execute(0, commit)
	}
	first := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	u.Execute(0, commit)
	third := u.Join(0, workload.CopyGroups)
	saved := u.Save(0)
	require.Equal(t, []uint16{1, 0, 1}, saved.Copies)
	other, waits := unit()
	other.Start(0, saved)
	require.Equal(t, 2, other.Under(0))
	require.True(t, waits(1))
	require.False(t, waits(2))
	other.Landed(0, workload.CopyGroups, first)
	require.False(t, waits(0))
	other.Execute(0, commit)
	require.True(t, waits(0))
	other.Landed(0, workload.CopyGroups, third)
	require.False(t, waits(0))
}

// A wait for products does not wait for copies, and a commit closes groups of its own kind.
func TestKindsOfGroupsAreApart(t *testing.T) {
	u, waits := unit()
	products := func() bool {
		return !u.Ready(0, &workload.Inst{Class: workload.Await, Warps: workload.ProductGroups})
	}
	copied := u.Join(0, workload.CopyGroups)
	u.Execute(0, commit)
	require.False(t, products())
	multiplied := u.Join(0, workload.ProductGroups)
	require.False(t, products(), "the group is open")
	u.Execute(0, &workload.Inst{Class: workload.Commit, Active: 1, Warps: workload.ProductGroups})
	require.True(t, products())
	require.True(t, waits(0))
	u.Landed(0, workload.CopyGroups, copied)
	require.False(t, waits(0))
	require.True(t, products())
	u.Landed(0, workload.ProductGroups, multiplied)
	require.False(t, products())
}
