package sm

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// loop is a warp that never ends.
type loop struct {
	list []workload.Inst
	next int
}

func (l *loop) Fetch(inst *workload.Inst) bool {
	*inst = l.list[l.next%len(l.list)]
	l.next++
	return true
}

func (l *loop) Execute(*workload.Inst) {}

func TestRunningAllocatesNothing(t *testing.T) {
	branch := script.Op(workload.Branch, workload.NoReg)
	branch.Flags |= workload.Redirect
	list := program(load(1, 0), use(1), scattered(2, 0), script.Access(workload.Load, workload.Local, 0, 4, 16, 3),
		script.Access(workload.Atomic, workload.Shared, 0, 12, 8, 5), script.Op(workload.SFU, 6, 5), meetAll, branch)
	spec := testSpec()
	spec.L1.Sets, spec.L1.MSHRs = 64, 64 // all loads hit after the first time
	b := newBench(t, spec)
	b.placeStreams(0, &loop{list: list}, &loop{list: list}, &loop{list: list})
	cycle := uint64(200_000) // until each slot of the wheel has grown to its size
	b.RunTo(cycle)
	issued, packets := b.sm.Issued(), len(b.memory.seen)
	require.Zero(t, testing.AllocsPerRun(5, func() {
		cycle += 2000
		b.RunTo(cycle)
	}))
	require.Greater(t, b.sm.Issued(), issued+1000)
	require.Len(t, b.memory.seen, packets)
}
