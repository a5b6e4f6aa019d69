package async

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// phases is a unit of three slots: the first two are of thread block 7, the last of 8.
func phases() (u *Unit, waiting func() warps.Mask) {
	signals := make([]warps.Signals, 1)
	u = New(warps.Slots{Schedulers: 1, Each: 3}, signals)
	for slot, block := range []uint64{7, 7, 8} {
		u.Place(slot, block)
	}
	return u, func() warps.Mask { return signals[0].Copies }
}

func phaseOf(number uint8, flags workload.Flags) *workload.Inst {
	return &workload.Inst{Class: workload.Await, Warps: workload.PhaseWaits, Barrier: number, Flags: flags}
}

// A wait for an mbarrier ends when all bulk copies to it have come, and no others.
func TestAWaitForAPhaseIsForTheCopiesToItsMBarrier(t *testing.T) {
	u, waiting := phases()
	u.Expect(7, 3)
	u.Expect(7, 3)
	u.Expect(7, 4)
	u.Next(0, phaseOf(3, 0))
	u.Next(1, phaseOf(5, 0))
	u.Next(2, phaseOf(3, 0))
	require.Equal(t, warps.Bit(0), waiting(), "the others' mbarriers expect nothing")
	u.Came(7, 4)
	u.Came(7, 3)
	require.Equal(t, warps.Bit(0), waiting())
	u.Came(7, 3)
	require.Zero(t, waiting())
}

// A warp that has found the phase going on looks again once something arrives there, and waits for the data
// if it is a copy.
func TestAWarpThatHasLookedWaitsForAnArrival(t *testing.T) {
	u, waiting := phases()
	u.Next(0, phaseOf(3, workload.Unmet))
	u.Next(1, phaseOf(4, workload.Unmet))
	u.Next(2, phaseOf(3, workload.Unmet))
	u.Arrived(7, 3)
	require.Equal(t, warps.Bit(1)|warps.Bit(2), waiting())
	u.Expect(8, 3)
	u.Arrived(8, 3)
	require.Equal(t, warps.Bit(1)|warps.Bit(2), waiting())
	u.Came(8, 3)
	require.Equal(t, warps.Bit(1), waiting())
	// It has been forgotten with its slot, and so is an instruction that has issued.
	issued := phaseOf(3, 0)
	u.Next(0, issued)
	u.Execute(0, issued)
	issued.Flags = workload.Unmet
	u.Arrived(7, 3)
	require.Equal(t, workload.Unmet, issued.Flags)
}

// Without an arrival a warp looks again at its limit.
func TestAWarpLooksAgainAtItsLimit(t *testing.T) {
	u, waiting := phases()
	require.Equal(t, uint64(Never), u.Due())
	u.Next(0, phaseOf(3, workload.Unmet))
	u.Limit(0, 100)
	u.Next(1, phaseOf(3, workload.Unmet))
	u.Limit(1, 150)
	require.Equal(t, uint64(100), u.Due())
	u.Expire(100)
	require.Equal(t, warps.Bit(1), waiting())
	require.Equal(t, uint64(150), u.Due())
	u.Arrived(7, 3)
	u.Expire(150)
	require.Zero(t, waiting())
	require.Equal(t, uint64(Never), u.Due())
}

// An arrival behind copies ends its phase when as many have come as were under way, whatever comes later.
func TestAPhaseLastsUntilTheCopiesBeforeAnArrivalHaveCome(t *testing.T) {
	u, waiting := phases()
	u.Follow(0, 3) // nothing is under way
	u.Next(1, phaseOf(3, 0))
	require.Zero(t, waiting())
	group := u.Join(0, workload.CopyGroups)
	u.Join(0, workload.CopyGroups)
	u.Follow(0, 3)
	u.Join(0, workload.CopyGroups)
	u.Follow(0, 4)
	u.Next(1, phaseOf(3, 0))
	u.Next(2, phaseOf(3, 0))
	u.Landed(0, workload.CopyGroups, group)
	require.Equal(t, warps.Bit(1), waiting(), "another thread block's mbarrier waits for nothing")
	u.Landed(0, workload.CopyGroups, group)
	require.Zero(t, waiting())
	u.Next(1, phaseOf(4, 0))
	require.Equal(t, warps.Bit(1), waiting())
	require.NotNil(t, u.Save(0))
	require.Zero(t, waiting(), "the warp has left with its copy")
}
