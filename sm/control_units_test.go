package sm

import (
	"testing"

	"cotenant/sm/issuequeue"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

var branch = script.Op(workload.Branch, workload.NoReg) // falls through

func TestBranchUnitTakesABranchPerInterval(t *testing.T) {
	spec := oneScheduler()
	spec.FrontEnd.BufferDepth = 8
	for interval, want := range map[int]uint64{0: 1, 1: 1, 2: 2, 4: 4, 7: 7} {
		spec.Pipes.BranchInterval = interval
		require.Equal(t, multiples(want, 5), issues(t, spec, repeat(5, branch)...), "interval %d", interval)
	}
}

func TestBranchUnitHoldsBackBranchesAlone(t *testing.T) {
	spec := oneScheduler()
	spec.FrontEnd.BufferDepth = 8
	spec.Pipes.BranchInterval = 4
	other := script.Op(workload.Int, 1)
	require.Equal(t, []uint64{0, 1, 4, 5}, issues(t, spec, branch, other, branch, script.Op(workload.FP32, 2)))
	require.Equal(t, []uint64{0, 1, 2}, issues(t, spec, branch, meetAll, script.Op(workload.Nop, workload.NoReg)))
}

func TestWarpsOfASchedulerShareItsBranchUnit(t *testing.T) {
	spec := testSpec()
	spec.Schedulers = 2
	spec.Pipes.BranchInterval = 4
	b := newBench(t, spec)
	r := b.place(0, program(branch), program(branch), program(branch), program(branch))
	b.run()
	first := r[0].issued[0]
	require.Equal(t, first, r[1].issued[0], "each scheduler has one")
	require.Equal(t, first+4, r[2].issued[0])
	require.Equal(t, first+4, r[3].issued[0])
}

// Eight warps on four schedulers arrive in two cycles without a limit. With one
// barrier every second cycle of a scheduler they take three: 64 threads a cycle.
func TestBarrierIntervalLimitsArrivals(t *testing.T) {
	for interval, want := range map[int]uint64{0: 2, 1: 2, 2: 4, 3: 6, 4: 8} {
		spec := testSpec()
		spec.Schedulers = 4
		spec.FrontEnd.BufferDepth = 8
		spec.Pipes.BarrierInterval = interval
		b := newBench(t, spec)
		var lists [][]workload.Inst
		for range 8 {
			lists = append(lists, repeat(20, meetAll))
		}
		r := b.place(0, lists...)
		b.run()
		last := func(i int) (at uint64) {
			for _, w := range r {
				at = max(at, w.issued[i])
			}
			return at
		}
		require.Equal(t, 10*want, last(19)-last(9), "interval %d", interval)
	}
}

func TestConstantLoadsOnAnArithmeticPipe(t *testing.T) {
	spec := oneScheduler()
	spec.FrontEnd.BufferDepth = 8
	spec.Pipes.Constant = UnitSpec{Unit: "alu", Interval: 1, Latency: 9}
	load := func(dst uint8, src ...uint8) workload.Inst { return script.Op(workload.Constant, dst, src...) }
	require.Equal(t, multiples(9, 4), issues(t, spec, repeat(4, load(1, 1))...))
	require.Equal(t, multiples(1, 4), issues(t, spec, load(1), load(2), load(3), load(4)))
	spec.Pipes.Constant.Interval = 3
	require.Equal(t, []uint64{0, 3, 6}, issues(t, spec, load(1), load(2), script.Op(workload.Int, 3)), "they share the pipe")
	require.Equal(t, []uint64{0, 1}, issues(t, spec, load(1), script.Op(workload.SFU, 3)))
}

// On the load-store unit four schedulers' constants take turns; on the arithmetic
// pipes each has its own.
func TestConstantLoadsOfSeveralSchedulersDoNotMeetOnTheirPipes(t *testing.T) {
	last := func(unit UnitSpec) (at uint64) {
		spec := testSpec()
		spec.Schedulers = 4
		spec.FrontEnd.BufferDepth = 8
		spec.Pipes.Constant = unit
		b := newBench(t, spec)
		var lists [][]workload.Inst
		for range 4 {
			var list []workload.Inst
			for i := range 64 {
				list = append(list, script.Op(workload.Constant, uint8(i)))
			}
			lists = append(lists, list)
		}
		r := b.place(0, lists...)
		b.run()
		for _, w := range r {
			at = max(at, w.issued[63]-w.issued[0])
		}
		return at
	}
	require.Equal(t, uint64(63), last(UnitSpec{Unit: "alu", Interval: 1, Latency: 9}))
	require.Greater(t, last(UnitSpec{}), uint64(200))
}

func TestControlUnitsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"pipes.branch_interval is -1, must be 0 to 1023":              func(s *Spec) { s.Pipes.BranchInterval = -1 },
		"pipes.barrier_interval is 1024, must be 0 to 1023":           func(s *Spec) { s.Pipes.BarrierInterval = 1024 },
		`pipes.constant.unit is "lsu", must be alu, int, fp64, sfu, `: func(s *Spec) { s.Pipes.Constant.Unit = "lsu" },
		"pipes.constant.latency is 0, must be 1 to 1023":              func(s *Spec) { s.Pipes.Constant = UnitSpec{Unit: "alu", Interval: 1} },
	} {
		spec := testSpec()
		change(&spec)
		require.ErrorContains(t, spec.Validate(), want)
	}
	queued := oneScheduler()
	queued.Queue = issuequeue.Spec{Entries: 8, Width: 2, FetchWidth: 2, Order: "out-of-order"}
	require.NoError(t, queued.Validate())
	for want, change := range map[string]func(*Spec){
		"issue_queue.entries is 8, which goes with pipes.branch_interval: 0":  func(s *Spec) { s.Pipes.BranchInterval = 2 },
		"issue_queue.entries is 8, which goes with pipes.barrier_interval: 0": func(s *Spec) { s.Pipes.BarrierInterval = 2 },
		`issue_queue.entries is 8, which goes with pipes.constant.unit: ""`:   func(s *Spec) { s.Pipes.Constant = UnitSpec{Unit: "alu", Interval: 1, Latency: 9} },
	} {
		spec := queued
		change(&spec)
		require.EqualError(t, spec.Validate(), want)
	}
}
