package sm

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/wheel"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// maxLatency is the largest latency: what the wheel can hold.
const maxLatency = wheel.Slots - 1

func TestDependentALUChainTakesItsLatencyExactly(t *testing.T) {
	chain := script.Op(workload.FP32, 1, 1)
	short := duration(t, testSpec(), repeat(10, chain))
	long := duration(t, testSpec(), repeat(110, chain))
	require.Equal(t, uint64(100*4), long-short)
}

func TestIndependentInstructionsOfOneWarpIssueEveryCycle(t *testing.T) {
	var short, long []workload.Inst
	for i := range 110 {
		inst := script.Op(workload.Int, uint8(i%100), 200)
		if i < 10 {
			short = append(short, inst)
		}
		long = append(long, inst)
	}
	require.Equal(t, uint64(100), duration(t, testSpec(), long)-duration(t, testSpec(), short))
}

func TestSFUTakesOneInstructionPerInterval(t *testing.T) {
	list := func(n int) (l []workload.Inst) {
		for i := range n {
			l = append(l, script.Op(workload.SFU, uint8(i%100), 200))
		}
		return l
	}
	require.Equal(t, uint64(50*4), duration(t, testSpec(), list(60))-duration(t, testSpec(), list(10)))
}

func TestL1HitLatencyIsLoadToUse(t *testing.T) {
	load := script.Access(workload.Load, workload.Global, 0x1000, 4, 4, 1, 1)
	short := duration(t, testSpec(), repeat(2, load))
	long := duration(t, testSpec(), repeat(12, load))
	require.Equal(t, uint64(10*30), long-short)
}

func TestSharedMemoryLatencyAndBankConflicts(t *testing.T) {
	for _, c := range []struct{ stride, degree int }{{4, 1}, {8, 2}, {16, 4}, {128, 32}, {0, 1}} {
		load := script.Access(workload.Load, workload.Shared, 0, int32(c.stride), 4, 1, 1)
		short := duration(t, testSpec(), repeat(2, load))
		long := duration(t, testSpec(), repeat(12, load))
		require.Equal(t, uint64(10*(24+c.degree-1)), long-short, "stride %d", c.stride)
	}
}

func TestMissWaitsForMemoryAndIsChargedAsRAWLong(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, []workload.Inst{script.Access(workload.Load, workload.Global, 0, 4, 4, 1), script.Op(workload.Int, 2, 1)})
	end := b.run()[0]
	stats := b.sm.Stats(end)
	require.Len(t, b.memory.seen, 1)
	require.Equal(t, uint8(protocol.AllSectors), b.memory.seen[0].Sectors)
	k := stats.Accounts.Get(0)
	require.Equal(t, uint64(1), k.L1.Misses)
	// 10 cycles to leave the SM after one in the queue, 100 in the memory, and
	// one on each of the two links; the use issues with the reply.
	require.Equal(t, uint64(10+1+100+1+1-1), k.Stalls[RAWLong])
}

func TestMemoryStallsAreThoseOfMissesAndOfTheLoadStoreUnit(t *testing.T) {
	spec := wide()
	spec.LSU.QueueDepth = 1
	b := newBench(t, spec)
	b.place(3, program(scattered(1, 0), scattered(2, 1000), use(1)))
	b.driver.Send(2000, &protocol.Sample{})
	b.RunTo(2100)
	c := b.driver.Got[len(b.driver.Got)-1].Msg.(*protocol.Sampled).Counters.(protocol.SMCounters)
	stalls := b.kernel(3).Stalls
	require.NotZero(t, stalls[RAWLong])
	require.Equal(t, uint64(31), stalls[LSUFull])
	require.Equal(t, stalls[RAWLong]+stalls[LSUFull], c.Tenants[3].MemoryStalls)
}

func TestStallsAddUpToCyclesTimesSchedulers(t *testing.T) {
	b := newBench(t, testSpec())
	for kernel := range tenant.ID(2) {
		var list []workload.Inst
		for i := range 50 {
			list = append(list, script.Access(workload.Load, workload.Global, uint64(i)*4096, 128, 4, 1, 1),
				script.Op(workload.FP32, 2, 1), script.Op(workload.SFU, 3, 2), script.Op(workload.Barrier, workload.NoReg))
		}
		b.place(kernel, list, list, list)
	}
	b.run()
	cycles := uint64(b.Engine.Now()/b.Clock.Period()) + 77
	total := b.sm.Stats(cycles).Total()
	sum := uint64(0)
	for _, n := range total.Stalls {
		sum += n
	}
	require.Equal(t, cycles*2, sum)
	require.Equal(t, uint64(2*3*200), total.WarpInstructions)
	require.Equal(t, uint64(2), total.TBsFinished)
}

func TestBarrierReleasesAllWarpsWithTheLast(t *testing.T) {
	slow := append(repeat(50, script.Op(workload.FP32, 1, 1)), script.Op(workload.Barrier, workload.NoReg), script.Op(workload.Int, 3))
	fast := []workload.Inst{script.Op(workload.Barrier, workload.NoReg), script.Op(workload.Int, 3)}
	alone := duration(t, testSpec(), slow)
	b := newBench(t, testSpec())
	b.place(0, fast, slow, fast, fast)
	require.InDelta(t, alone, b.run()[0], 2)
}

func TestTakenBranchEmptiesTheBuffer(t *testing.T) {
	branch := script.Op(workload.Branch, workload.NoReg)
	taken := branch
	taken.Flags |= workload.Redirect
	plain := duration(t, testSpec(), append(repeat(10, branch), script.Op(workload.Int, 1)))
	jumps := duration(t, testSpec(), append(repeat(10, taken), script.Op(workload.Int, 1)))
	// The target is fetched after the branch latency and arrives a cycle later.
	require.Equal(t, uint64(10*6), jumps-plain)
}

func TestFenceWaitsForStores(t *testing.T) {
	store := script.Access(workload.Store, workload.Global, 0, 4, 4, workload.NoReg, 1)
	without := newBench(t, testSpec())
	without.place(0, []workload.Inst{store, script.Op(workload.Int, 1)})
	without.run()
	with := newBench(t, testSpec())
	with.place(0, []workload.Inst{store, script.Op(workload.Fence, workload.NoReg), script.Op(workload.Int, 1)})
	with.run()
	require.Zero(t, without.sm.Stats(0).Accounts.Get(0).Stalls[RAWLong])
	require.Greater(t, with.sm.Stats(0).Accounts.Get(0).Stalls[RAWLong], uint64(100))
}

func TestStoreIsSentWholeAndCounted(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, []workload.Inst{script.Access(workload.Store, workload.Global, 64, 4, 4, workload.NoReg, 1)})
	b.run()
	require.Len(t, b.memory.seen, 2)
	require.Equal(t, uint8(0b1100), b.memory.seen[0].FullSectors)
	require.Equal(t, uint8(0b0011), b.memory.seen[1].FullSectors)
	require.Equal(t, uint8(64), b.memory.seen[0].WrittenBytes)
}

// placed is a thread block that is told where it runs, and a warp that reads the
// clock as it issues.
type placed struct {
	recorder
	sm, sms int
	clock   workload.Clock
	cycles  []uint64
	nanos   []uint64
}

func (p *placed) Placed(sm, sms int, clock workload.Clock) { p.sm, p.sms, p.clock = sm, sms, clock }

func (p *placed) Execute(inst *workload.Inst) {
	p.recorder.Execute(inst)
	cycle, ns := p.clock.Now()
	p.cycles, p.nanos = append(p.cycles, cycle), append(p.nanos, ns)
}

func TestProgramsReadWhereAndWhenTheyRun(t *testing.T) {
	b := newBench(t, testSpec(), func(b Builder) Builder { return b.WithID(7).WithCount(13) })
	p := &placed{recorder: recorder{list: repeat(5, step), sm: b.sm}}
	b.placeStreams(0, p).TB.Resident = p
	b.run()
	require.Equal(t, [2]int{7, 13}, [2]int{p.sm, p.sms})
	require.Equal(t, p.issued, p.cycles)
	require.Equal(t, p.issued, p.nanos, "the clock of the bench has 1 GHz")
}
