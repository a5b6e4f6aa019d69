package sm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// issueShares runs a warp of endless instructions on each scheduler and returns how many
// each has issued within a number of cycles. At every cycle before, their shares must
// be within one instruction of each other.
func issueShares(t *testing.T, spec Spec, cycles uint64, inst workload.Inst) (counts []int) {
	t.Helper()
	var lists [][]workload.Inst
	for range spec.Schedulers {
		var list []workload.Inst
		for i := range int(cycles) {
			inst.Dst[0] = uint8(i % 200)
			list = append(list, inst)
		}
		lists = append(lists, list)
	}
	b := newBench(t, spec)
	r := b.place(0, lists...)
	b.RunTo(cycles)
	counts = make([]int, len(r))
	for c := range cycles {
		for i, w := range r {
			if _, issued := slices.BinarySearch(w.issued, c); issued {
				counts[i]++
			}
		}
		require.LessOrEqual(t, slices.Max(counts)-slices.Min(counts), 1, "at cycle %d: %v", c, counts)
	}
	return counts
}

// conflicting is a load of shared memory that takes the load-store unit for a number
// of cycles, up to 32.
func conflicting(cycles int) workload.Inst {
	inst := script.Access(workload.Load, workload.Shared, 0, 128, 4, 1)
	inst.Active = 1<<cycles - 1
	return inst
}

func TestSharedPipeServesSchedulersInTurn(t *testing.T) {
	for _, schedulers := range []int{2, 4, 8} {
		for interval := 1; interval <= 17; interval++ {
			spec := testSpec()
			spec.Schedulers, spec.LSU.QueueDepth = schedulers, 1
			spec.Pipes.SFU = PipeSpec{Interval: interval, Latency: 20, Units: 1, PerSM: true}
			spec.Pipes.IMad = UnitSpec{Unit: "sfu", Interval: interval, Latency: 20}
			spec.Pipes.MemoryIssuePerSM = true
			queue, longer, skips := spec, spec, spec
			queue.Pipes.MemoryIssuePerSM = false
			longer.Pipes.MemoryIssuePerSM, longer.LSU.QueueDepth = false, 3
			skips.Pipes.MemoryIssuePerSM, skips.LSU.Skip = false, true
			several := spec
			several.Pipes.SFU.Units = 3
			for name, c := range map[string]struct {
				spec  Spec
				inst  workload.Inst
				pipes int
			}{
				"a pipe":                {spec, script.Op(workload.SFU, 1), 1},
				"products":              {spec, marked(workload.MultiplyAdd, script.Op(workload.Int, 1)), 1},
				"the load-store unit":   {spec, conflicting(interval), 1},
				"its queue":             {queue, conflicting(interval), 1},
				"its longer queue":      {longer, conflicting(interval), 1},
				"its queue with skips":  {skips, conflicting(interval), 1},
				"three pipes":           {several, script.Op(workload.SFU, 1), 3},
				"products, three pipes": {several, marked(workload.MultiplyAdd, script.Op(workload.Int, 1)), 3},
			} {
				t.Run(fmt.Sprintf("%s, %d schedulers, interval %d", name, schedulers, interval), func(t *testing.T) {
					cycles := 20 + 12*schedulers*interval
					total := 0
					for _, n := range issueShares(t, c.spec, uint64(cycles), c.inst) {
						total += n
					}
					rate := min(float64(c.pipes)/float64(interval), float64(schedulers))
					require.InDelta(t, rate*float64(cycles), total, rate*20+float64(c.pipes+c.spec.LSU.QueueDepth-1), "no cycle of the pipe is lost")
				})
			}
		}
	}
}

// issuedOn are the cycles within which warps on the schedulers issue, from the first
// issue of all: a list of warps for each scheduler, the same number on each.
func issuedOn(t *testing.T, spec Spec, cycles uint64, lists ...[][]workload.Inst) (issued [][][]uint64) {
	spec.Schedulers = len(lists)
	b := newBench(t, spec)
	var all [][]workload.Inst
	for i := range lists[0] {
		for _, warps := range lists { // slots are given to schedulers in turn
			all = append(all, warps[i])
		}
	}
	r := b.place(0, all...)
	b.RunTo(cycles)
	start := uint64(math.MaxUint64)
	for _, w := range r {
		if len(w.issued) > 0 {
			start = min(start, w.issued[0])
		}
	}
	issued = make([][][]uint64, len(lists))
	for i, w := range r {
		issued[i%len(lists)] = append(issued[i%len(lists)], relative(w.issued, start))
	}
	return issued
}

func TestSchedulerWithoutAWarpForAPipeLosesNoTurnOfIt(t *testing.T) {
	spec := testSpec()
	spec.Pipes.SFU.PerSM = true
	sfu, alu := some(workload.SFU, 60), some(workload.Int, 200)
	issued := issuedOn(t, spec, 200, [][]workload.Inst{sfu}, [][]workload.Inst{alu}, [][]workload.Inst{sfu}, [][]workload.Inst{alu})
	require.Equal(t, multiples(8, 20), issued[0][0][:20])
	for i, at := range multiples(8, 20) {
		require.Equal(t, at+4, issued[2][0][i])
	}
	require.Equal(t, multiples(1, 150), issued[1][0][:150])
}

// TestTurnThatASchedulerDoesNotTakeIsTheNextOnes: the second scheduler has a warp for
// the pipe and gives all its cycles to an older one.
func TestTurnThatASchedulerDoesNotTakeIsTheNextOnes(t *testing.T) {
	for _, interval := range []int{1, 2, 3, 4} {
		spec := testSpec()
		spec.Pipes.SFU.PerSM, spec.Pipes.SFU.Interval = true, interval
		first := [][]workload.Inst{some(workload.SFU, 60), nil}
		second := [][]workload.Inst{some(workload.Int, 500), some(workload.SFU, 60)}
		issued := issuedOn(t, spec, 100, first, second)
		require.Equal(t, multiples(uint64(interval), 20), issued[0][0][:20])
		require.Empty(t, issued[1][1])
	}
}

// TestSecondInstructionWaitsForThoseAheadToAct: as above, with the instruction for
// the pipe as the second of a cycle.
func TestSecondInstructionWaitsForThoseAheadToAct(t *testing.T) {
	spec := dualIssue()
	spec.Pipes.SFU.PerSM, spec.Pipes.SFU.Interval = true, 1
	pairs := slices.Repeat([]workload.Inst{script.Op(workload.Int, 1), script.Op(workload.SFU, 2)}, 40)
	for i := range pairs {
		pairs[i].Dst[0] = uint8(i)
	}
	issued := issuedOn(t, spec, 100, [][]workload.Inst{pairs, nil}, [][]workload.Inst{some(workload.Int, 500), some(workload.SFU, 60)})
	var together []uint64
	for i := range uint64(30) {
		together = append(together, i, i)
	}
	require.Equal(t, together, issued[0][0][:60])

	// If both have one, they take turns.
	issued = issuedOn(t, spec, 100, [][]workload.Inst{pairs}, [][]workload.Inst{pairs})
	for _, c := range []int{10, 30, 50} {
		a, b := issued[0][0][c], issued[1][0][c]
		require.LessOrEqual(t, max(a, b)-min(a, b), uint64(1))
		require.InDelta(t, c, a, 2, "the pipe takes one a cycle, of each every second")
	}
}

// TestSecondInstructionThatHasWaitedTakesFromItsQuota has that of every second cycle
// wait.
func TestSecondInstructionThatHasWaitedTakesFromItsQuota(t *testing.T) {
	spec := dualIssue()
	spec.Schedulers = 2
	spec.Pipes.SFU.PerSM, spec.Pipes.SFU.Interval = true, 1
	b := newBench(t, spec)
	b.quotas(1000, 1000)
	pairs := slices.Repeat([]workload.Inst{script.Op(workload.Int, 1), script.Op(workload.SFU, 2)}, 10)
	for i := range pairs {
		pairs[i].Dst[0] = uint8(i)
	}
	b.place(0, pairs, some(workload.Int, 100), nil, some(workload.SFU, 60))
	b.RunTo(60)
	issued := b.kernel(0).WarpInstructions
	require.Greater(t, issued, uint64(20+50))
	left, _ := b.sm.QuotaLeft(0)
	require.Equal(t, int64(2*1000-issued), left)
}

// TestTurnsAtTwoPipesAreTaken: each scheduler prefers the pipe at which it is the
// other's turn, or the same; whatever they prefer, neither pipe is idle, and their
// shares of each are equal.
func TestTurnsAtTwoPipesAreTaken(t *testing.T) {
	for interval := 2; interval <= 9; interval++ {
		for _, crossed := range []bool{false, true} {
			spec := testSpec()
			spec.Pipes.SFU = PipeSpec{Interval: interval, Latency: 20, Units: 1, PerSM: true}
			spec.Pipes.FP64 = spec.Pipes.SFU
			sfu, fp64 := some(workload.SFU, 200), some(workload.FP64, 200)
			first, second := [][]workload.Inst{sfu, fp64}, [][]workload.Inst{sfu, fp64}
			if crossed {
				slices.Reverse(second)
			}
			issued := issuedOn(t, spec, 300, first, second)
			if crossed {
				slices.Reverse(issued[1])
			}
			for pipe := range 2 {
				a, b := len(issued[0][pipe]), len(issued[1][pipe])
				require.InDelta(t, 297/interval, a+b, 2, "interval %d", interval)
				require.InDelta(t, a, b, 1, "interval %d", interval)
			}
		}
	}
}

// TestLoadWithoutLanesTakesNoTurn: it is the first scheduler's turn at the load-store
// unit's queue, and the second issues a load without active lanes, which passes by the
// unit. Then the first and the third have a load at the same edge, for one place.
func TestLoadWithoutLanesTakesNoTurn(t *testing.T) {
	spec := testSpec()
	spec.LSU.QueueDepth = 1
	load := conflicting(9)
	passing := load
	load.Dst[0], load.Src[0] = 2, 1
	passing.Active = 0
	late := [][]workload.Inst{{script.Op(workload.Int, 1), load}}
	issued := issuedOn(t, spec, 50, late, [][]workload.Inst{{passing}}, late)
	require.Equal(t, []uint64{0, 4}, issued[0][0])
	require.Equal(t, []uint64{0}, issued[1][0])
	require.Equal(t, []uint64{0, 4 + 9}, issued[2][0])
}
