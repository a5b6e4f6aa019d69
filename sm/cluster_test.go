package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// told is a stream; its waits for other thread blocks are over at a cycle.
type told struct {
	recorder
	at uint64
}

func (s *told) Waits() bool { return true }
func (s *told) Over() bool  { return s.sm.residents.Cycle >= s.at }

// A wait for the cluster's barrier, and for an mbarrier that another thread block tells, issues in the cycle in which it is
// over, and is charged to mbarrier_wait until then.
func TestAWaitForTheClusterEndsInTheCycleInWhichItIsOver(t *testing.T) {
	for _, kind := range []uint8{workload.ClusterWaits, workload.PhaseWaits} {
		wait := script.Op(workload.Await, workload.NoReg)
		wait.Warps, wait.Flags = kind, workload.Unmet
		b := newBench(t, testSpec())
		s := &told{recorder{list: []workload.Inst{script.Op(workload.Int, 1), wait, script.Op(workload.Int, 1)}, sm: b.sm}, 300}
		b.placeStreams(0, s)
		b.run()
		require.Equal(t, []uint64{300, 301}, s.issued[1:])
		require.Equal(t, 300-s.issued[0]-1, b.kernel(0).Stalls[MBarrierWait])
	}
}

// A load from another thread block's shared memory takes the remote latency, and a pass for each conflict.
func TestALoadFromAnotherThreadBlockTakesTheRemoteLatency(t *testing.T) {
	spec := testSpec()
	spec.LSU.RemoteLatency = 181
	load := func(flags workload.Flags, stride int32) workload.Inst {
		inst := script.Access(workload.Load, workload.Shared, 0, stride, 4, 1)
		inst.Flags = flags
		return inst
	}
	use := script.Op(workload.Int, 2, 1)
	local := uint64(spec.LSU.SharedLatency)
	require.Equal(t, []uint64{0, local}, issues(t, spec, load(0, 4), use))
	require.Equal(t, []uint64{0, 181}, issues(t, spec, load(workload.Remote, 4), use))
	require.Equal(t, []uint64{0, 181 + 1}, issues(t, spec, load(workload.Remote, 8), use))
}
