package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/gate"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// limited is a bench on which tenant 0 has a limit of memory instructions in
// flight.
func limited(t rig.T, spec Spec, limit int) *bench {
	spec.MemoryIssue = "mil"
	b := newBench(t, spec)
	m := b.sm.gates.Memory().(*gate.MIL)
	for range limit + 1 {
		m.Sent(0, 1)
	}
	m.Accessed(0, 1024, 1024)
	for range limit + 1 {
		m.Done(0)
	}
	m.Edge()
	m.Closed()
	return b
}

func TestMemoryInstructionGoesInTheCycleAfterOneIsDone(t *testing.T) {
	b := limited(t, oneScheduler(), 1)
	r := b.place(0, program(load(1, 0), use(1)), program(load(1, 4096), step))
	b.run()
	require.Equal(t, r[0].issued[0]+missToUse, r[0].issued[1])
	require.Equal(t, r[0].issued[1]+1, r[1].issued[0], "the gate opens when the cycle ends")
	require.Equal(t, uint64(missToUse-1), b.kernel(0).Stalls[Quota], "of the two that wait the one is held back by the gate alone")
}

func TestLimitIsKeptToTheInstruction(t *testing.T) {
	for limit := 1; limit <= 5; limit++ {
		for start := range uint64(4) { // whichever scheduler goes first
			spec := testSpec()
			spec.Schedulers, spec.LSU.QueueDepth = 4, 16
			b := limited(t, spec, limit)
			var lists [][]workload.Inst
			for i := range uint64(6) {
				lists = append(lists, program(load(1, 4096*i), load(2, 4096*i+128), load(3, 4096*i+256)))
			}
			b.RunTo(20 + start)
			r := b.place(0, lists...)
			most := 0
			for at := range uint64(3000) {
				b.RunTo(20 + start + at)
				most = max(most, b.sm.lsu.InFlight())
			}
			require.Len(t, r[5].issued, 3)
			require.Equal(t, limit, most)
		}
	}
}

func TestOthersThanGlobalMemoryInstructionsGoOnAtTheLimit(t *testing.T) {
	b := limited(t, oneScheduler(), 1)
	shared := script.Access(workload.Load, workload.Shared, 0, 4, 4, 2)
	local := script.Access(workload.Load, workload.Local, 0, 4, 4, 3)
	texture := script.Access(workload.Load, workload.Texture, 1<<20, 4, 4, 4)
	r := b.place(0, program(load(1, 0), use(1)), program(step, shared, local, texture, step, load(5, 4096), step))
	other := b.place(1, program(load(1, 8192), load(2, 8320)))[0]
	b.run()
	require.Less(t, r[1].issued[4], r[0].issued[0]+20)
	require.Less(t, other.issued[1], r[0].issued[0]+20)
	require.Equal(t, r[0].issued[1]+1, r[1].issued[5])
}

func TestStoresAndAtomicsAreLimited(t *testing.T) {
	for _, class := range []workload.Class{workload.Store, workload.Atomic, workload.Reduction} {
		b := limited(t, oneScheduler(), 1)
		r := b.place(0, program(script.Access(class, workload.Global, 0, 4, 4, 1)), program(script.Access(class, workload.Global, 4096, 4, 4, 1)))
		b.run()
		require.Equal(t, r[0].issued[0]+missToUse+1, r[1].issued[0], "%d", class)
	}
}

func TestMemoryInstructionWithoutALaneIsNotCounted(t *testing.T) {
	b := limited(t, oneScheduler(), 1)
	idle := load(1, 0)
	idle.Active = 0
	r := b.place(0, program(idle, idle, load(2, 0)))[0]
	b.run()
	require.Less(t, r.issued[2], r.issued[0]+10)
}

func TestSecondInstructionOfACycleIsLimitedToo(t *testing.T) {
	b := limited(t, dualIssue(), 1)
	r := b.place(0, program(load(1, 0), use(1)), program(script.Op(workload.Int, 2), load(3, 4096)), program(script.Op(workload.Int, 2), script.Access(workload.Load, workload.Shared, 0, 4, 4, 3)))
	b.run()
	require.Equal(t, r[0].issued[1]+1, r[1].issued[1])
	require.Equal(t, r[2].issued[0], r[2].issued[1], "one of shared memory is paired")
}

func TestInstructionDoneWhileTheSMIsHaltedMakesRoom(t *testing.T) {
	b := limited(t, oneScheduler(), 1)
	r := b.place(0, program(load(1, 0)), program(load(1, 4096)))
	b.preEng(rig.At[sim.Msg](20, &protocol.Halt{On: true}), rig.At[sim.Msg](1000, &protocol.Halt{}))
	b.run()
	require.Equal(t, uint64(1002), r[1].issued[0])
}

func TestGlobalsAreFoundWhenAGateBecomesActive(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].active, g[0].memory = false, 1
	b.turn()
	g[0].warp(0, 0)
	g[0].warp(1, 0)
	r := b.place(0, program(load(1, 0), load(1, 4096)), program(repeat(20, step), load(2, 0)))
	b.memory.latency = 300
	b.turnFor(100, func() { g[0].active = true }) // the second load waits for the first's register
	b.turnFor(500, func() { g[0].memory = 0 })
	b.run()
	require.Equal(t, uint64(500), r[0].issued[1])
	require.Less(t, r[1].issued[20], uint64(200))
}

// balanced is a bench that knows of tenant 1 that its instructions make four requests,
// and of every other tenant one: so, when tenant 0 comes, it has four left and tenant 1
// two.
func balanced(t rig.T, spec Spec, issue string) *bench {
	spec.MemoryIssue = issue
	b := newBench(t, spec)
	for range 1024 {
		if b.sm.gates.Memory() == nil {
			break
		}
		b.sm.gates.Memory().Sent(1, 4)
		b.sm.gates.Memory().Edge() // no tenant is present, so nothing is added
	}
	return b
}

// fourLines is a load of four lines.
func fourLines(reg uint8, addr uint64) workload.Inst {
	inst := script.Access(workload.Load, workload.Global, addr, 128, 4, reg)
	inst.Active = 0xf
	return inst
}

func TestMemoryInstructionsOfASchedulerGoByWhatTenantsHaveLeft(t *testing.T) {
	spec := oneScheduler()
	spec.MemoryIssue, spec.LSU.QueueDepth = "bmi", 64
	b := newBench(t, spec)
	m := b.sm.gates.Memory()
	for range 1024 {
		m.Sent(0, 4)
	}
	m.Edge()
	var ones, fours []workload.Inst
	for i := range uint64(20) {
		ones, fours = append(ones, load(uint8(i+1), 128*i)), append(fours, fourLines(uint8(i+1), 1<<20+512*i))
	}
	first := b.place(0, fours)[0]
	second := b.place(1, ones)[0]
	b.run()
	// gto would issue all of the older warp's first.
	require.Less(t, second.issued[19], first.issued[10])
}

func TestComputationGoesOnUnderBMI(t *testing.T) {
	b := balanced(t, oneScheduler(), "bmi")
	older := b.place(1, program(independent(30)))[0]
	younger := b.place(0, program(load(1, 0), step))[0]
	b.run()
	require.Equal(t, uint64(29), older.issued[29]-older.issued[0], "what the scheduler picks is no memory instruction")
	require.Equal(t, older.issued[29]+1, younger.issued[0])
}

func TestPreferredMemoryInstructionTakesTheTurnOfAnother(t *testing.T) {
	order := func(spec Spec, issue string) []bool {
		b := balanced(t, spec, issue)
		b.preEng(rig.At[sim.Msg](0, &protocol.Halt{On: true}), rig.At[sim.Msg](50, &protocol.Halt{}))
		older := b.place(1, program(load(1, 0), step))[0]
		younger := b.place(0, program(load(1, 1<<20), step))[0]
		b.run()
		return []bool{older.issued[0] < younger.issued[0]}
	}
	require.Equal(t, []bool{true}, order(oneScheduler(), "any"))
	require.Equal(t, []bool{false}, order(oneScheduler(), "bmi"))
	require.Equal(t, []bool{false}, order(grouped(2), "bmi"))
	require.Equal(t, []bool{true}, order(grouped(1), "bmi"), "the preferred one is in the group that is not considered")
}

func TestSecondOfACycleLeavesTheUnitToThePreferred(t *testing.T) {
	run := func(spec Spec, issue string) bool {
		b := balanced(t, spec, issue)
		b.preEng(rig.At[sim.Msg](0, &protocol.Halt{On: true}), rig.At[sim.Msg](50, &protocol.Halt{}))
		pair := b.place(1, program(script.Op(workload.Int, 1), load(2, 0)))[0]
		b.place(0, program(load(1, 1<<20), load(2, 1<<20+4096), load(3, 1<<20+8192), load(4, 1<<20+3*4096), load(5, 1<<20+4*4096), load(6, 1<<20+5*4096)))
		b.run()
		return pair.issued[0] == pair.issued[1]
	}
	require.True(t, run(dualIssue(), "any"))
	require.False(t, run(dualIssue(), "bmi"))
	spec := dualIssue()
	spec.GroupSlots = 2
	require.False(t, run(spec, "bmi"))
	spec.GroupSlots = 1
	require.True(t, run(spec, "bmi"), "a warp of the group that is not considered can not issue, and keeps nobody from it")
}

func TestMILKeepsItsLimitsWhateverRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		b := limited(t, spec, limit)
		for _, block := range blocks {
			b.placeLaunch(block.tenant, block.launch, block.warps...)
		}
		m, before := b.sm.gates.Memory().(*gate.MIL), 0
		for at := range uint64(2000) {
			b.RunTo(at)
			now, limit := m.InFlight(0)
			require.LessOrEqual(t, now, max(limit, before), "an issue exceeds it")
			require.LessOrEqual(t, now, b.sm.lsu.InFlight())
			before = now
		}
		b.run()
		for id := range tenant.ID(tenant.Max) {
			now, _ := m.InFlight(id)
			require.Zero(t, now)
		}
		requireAtRest(t, b.sm)
	})
}

func TestValidateChecksMemoryIssue(t *testing.T) {
	spec := testSpec()
	for _, name := range []string{"any", "mil", "bmi"} {
		spec.MemoryIssue = name
		require.NoError(t, spec.Validate())
	}
	spec.MemoryIssue = "fair"
	require.EqualError(t, spec.Validate(), `memory_issue is "fair", must be one of any, mil, bmi`)
}
