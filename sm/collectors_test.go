package sm

import (
	"fmt"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reading lists n instructions that do not wait for each other, each with so many
// sources.
func reading(n, sources int) (list []workload.Inst) {
	for i := range n {
		list = append(list, script.Op(workload.Int, uint8(i), []uint8{201, 202, 203, 204, 205, 206}[:sources]...))
	}
	return list
}

func collecting(units, reads int) Spec {
	spec := oneScheduler()
	spec.FrontEnd.BufferDepth = 4
	spec.Pipes.Collectors = CollectorsSpec{Units: units, ReadsPerCycle: reads}
	return spec
}

func TestCollectorIsTakenUntilItsOperandsAreRead(t *testing.T) {
	for _, c := range []struct {
		units, reads, sources int
		want                  []uint64
	}{
		{1, 1, 0, []uint64{0, 1, 2, 3, 4}},
		{1, 1, 1, []uint64{0, 1, 2, 3, 4}},
		{1, 1, 2, []uint64{0, 2, 4, 6, 8}},
		{1, 2, 3, []uint64{0, 2, 4, 6, 8}},
		{1, 3, 3, []uint64{0, 1, 2, 3, 4}},
		// Two instructions wait at most; reads of one cycle go to both.
		{2, 1, 2, []uint64{0, 1, 2, 4, 6}},
		{2, 2, 3, []uint64{0, 1, 2, 3, 5}},
		{4, 1, 2, []uint64{0, 1, 2, 3, 4}},
	} {
		require.Equal(t, c.want, issues(t, collecting(c.units, c.reads), reading(5, c.sources)...), "%+v", c)
	}
}

func TestCollectorsLeaveLatencyAlone(t *testing.T) {
	require.Equal(t, multiples(4, 5), issues(t, collecting(2, 1), repeat(5, script.Op(workload.Int, 1, 1, 2, 3))...))
}

func TestReadsOfIdleCyclesAreLost(t *testing.T) {
	list := append(program(script.Op(workload.Int, 1), script.Op(workload.Int, 2, 1)), reading(3, 2)...)
	require.Equal(t, []uint64{0, 4, 5, 7, 9}, issues(t, collecting(1, 1), list...))
}

func TestEveryPipeWaitsForACollectorAndControlForNone(t *testing.T) {
	wide := reading(1, 6)[0]
	for name, inst := range map[string]workload.Inst{"sfu": script.Op(workload.SFU, 1), "load": load(1, 0), "int": script.Op(workload.Int, 1)} {
		require.Equal(t, []uint64{0, 6}, issues(t, collecting(1, 1), wide, inst), name)
	}
	require.Equal(t, []uint64{0, 1}, issues(t, collecting(1, 1), wide, script.Op(workload.Nop, workload.NoReg)))
	require.Equal(t, []uint64{0, 1, 2}, issues(t, collecting(1, 1), script.Op(workload.Branch, workload.NoReg, 1, 2, 3), reading(2, 0)[0], reading(2, 0)[1]),
		"a branch takes none")
	require.Equal(t, []uint64{0, 3}, issues(t, collecting(1, 1), script.Access(workload.Load, workload.Global, 0, 4, 4, 1, 2, 3, 4), script.Op(workload.Int, 9)),
		"a load takes one")
}

func TestSecondInstructionNeedsACollectorToo(t *testing.T) {
	pair := program(script.Op(workload.Int, 1, 9), script.Op(workload.SFU, 2, 9))
	spec := dualIssue()
	spec.Pipes.Collectors = CollectorsSpec{Units: 1, ReadsPerCycle: 2}
	require.Equal(t, []uint64{0, 1}, issues(t, spec, pair...))
	spec.Pipes.Collectors.Units = 2
	require.Equal(t, []uint64{0, 0}, issues(t, spec, pair...))
	spec.Pipes.Collectors.Units = 1
	require.Equal(t, []uint64{0, 0}, issues(t, spec, pair[0], script.Op(workload.Nop, workload.NoReg)))
}

func TestSchedulersShareCollectors(t *testing.T) {
	spec := testSpec()
	spec.Pipes.Collectors = CollectorsSpec{Units: 2, ReadsPerCycle: 2}
	list := reading(3, 2)
	a, b, _ := onTwo(t, spec, list, list)
	require.Equal(t, [][]uint64{{0, 1, 2}, {0, 1, 2}}, [][]uint64{a, b})
	spec.Pipes.Collectors.PerSM = true
	a, b, _ = onTwo(t, spec, list, list)
	// Six instructions at one a cycle, and a second collector to wait in.
	require.ElementsMatch(t, []uint64{0, 0, 1, 2, 3, 4}, append(a, b...))
}

func TestWaitForACollectorIsChargedAsPipeFull(t *testing.T) {
	for name, inst := range map[string]workload.Inst{"int": script.Op(workload.Int, 1), "load": load(1, 0)} {
		b := newBench(t, collecting(1, 1))
		b.place(0, program(reading(1, 6)[0], inst))
		b.run()
		require.Equal(t, uint64(5), b.kernel(0).Stalls[PipeFull], name)
		require.Zero(t, b.kernel(0).Stalls[LSUFull], name)
	}
}

func TestFullUnitIsChargedBeforeAFullCollector(t *testing.T) {
	spec := collecting(1, 1)
	spec.LSU.QueueDepth = 1
	b := newBench(t, spec)
	// The first load takes the unit for 32 cycles; then the other warp's second
	// instruction waits for a collector.
	r := b.place(0, program(scattered(1, 0), load(2, 1<<20)), program(reading(1, 6)[0], script.Op(workload.Int, 9)))
	b.run()
	require.Equal(t, []uint64{1, 7}, relative(r[1].issued, r[0].issued[0]))
	require.Greater(t, b.kernel(0).Stalls[LSUFull], uint64(30))
	require.Zero(t, b.kernel(0).Stalls[PipeFull])
}

func TestCollectorsAgreeWithAListOfReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := CollectorsSpec{Units: rapid.IntRange(1, 4).Draw(t, "units"), ReadsPerCycle: rapid.IntRange(1, 4).Draw(t, "reads")}
		c := newCollectors(&spec, 1)[0]
		var waiting []int // registers left to read, of each collector that is taken
		for cycle := range uint64(rapid.IntRange(1, 80).Draw(t, "cycles")) {
			for range 2 {
				require.Equal(t, len(waiting) == spec.Units, c.full(cycle), "cycle %d", cycle)
				if len(waiting) < spec.Units && rapid.Bool().Draw(t, "issues") {
					n := rapid.IntRange(0, 6).Draw(t, "sources")
					sources := workload.NoRegs6
					for i := range n {
						sources[i] = uint8(i)
					}
					c.take(cycle, &sources)
					waiting = append(waiting, n)
				}
			}
			// An instruction without sources waits for those ahead of it.
			left := spec.ReadsPerCycle
			for len(waiting) > 0 {
				n := min(left, waiting[0])
				waiting[0] -= n
				if left -= n; waiting[0] > 0 {
					break
				}
				waiting = waiting[1:]
			}
		}
	})
}

func TestValidateChecksCollectors(t *testing.T) {
	for _, c := range []struct {
		units, reads int
		err          string
	}{
		{-1, 0, "units is -1, must be 0 to 64"}, {65, 1, "units is 65, must be 0 to 64"},
		{1, 0, "reads_per_cycle is 0, must be 1 to 64"}, {64, 65, "reads_per_cycle is 65, must be 1 to 64"},
		{0, 0, ""}, {0, 9, ""}, {1, 1, ""}, {64, 64, ""},
	} {
		spec := collecting(c.units, c.reads)
		if c.err == "" {
			require.NoError(t, spec.Validate(), fmt.Sprint(c))
		} else {
			require.EqualError(t, spec.Validate(), "pipes.collectors."+c.err)
		}
	}
}
