package sm

import (
	"slices"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/frontend"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// preEng stands for the preemption engine.
type preEng struct{ *rig.Peer[sim.Msg] }

// preEng joins a preemption engine to the SM that sends messages. The bench's
// thread blocks are numbered from 1.
func (b *bench) preEng(script ...rig.Event[sim.Msg]) preEng {
	e := preEng{rig.NewPeer[sim.Msg](b.Bench, "PreEng", 4, b.sm.PreEng)}
	for _, m := range script {
		e.Send(m.Cycle, m.Msg)
	}
	return e
}

// evicted lists what the engine was told of thread blocks that left.
func (e preEng) evicted() (list []rig.Event[*protocol.TBEvicted]) {
	for _, m := range e.Got {
		if left, ok := m.Msg.(*protocol.TBEvicted); ok {
			list = append(list, rig.At(m.Cycle, left))
		}
	}
	return list
}

// leaving counts the evictions that the engine has ordered and that have not been
// answered.
func (e preEng) leaving() int {
	ordered := 0
	for _, m := range e.Sent {
		if _, ok := m.Msg.(*protocol.EvictTB); ok {
			ordered++
		}
	}
	return ordered - len(e.evicted())
}

func alu(n int) (list []workload.Inst) {
	for range n {
		list = append(list, script.Op(workload.Int, 1, 1))
	}
	return list
}

func evict(serial, at uint64) rig.Event[sim.Msg] {
	return rig.At[sim.Msg](at, &protocol.EvictTB{Serial: serial})
}

// back has the bench's first thread block, which was evicted, come back at a
// cycle, as number 2.
func (e preEng) back(b *bench, cycle uint64) {
	e.Send(cycle, &protocol.PlaceTB{TB: b.placed[0].TB, Serial: 2, Context: e.evicted()[0].Msg.Context, Demand: b.placed[0].Demand})
}

func TestEvictedThreadBlockIssuesNothingFromTheNextEdgeOn(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, alu(1000))[0]
	e := b.preEng(evict(1, 100))
	b.RunTo(300)
	// Sent at 100, seen at 101 behind that edge's issue.
	require.LessOrEqual(t, r.issued[len(r.issued)-1], uint64(101))
	require.Greater(t, r.issued[len(r.issued)-1], uint64(97))
	require.Len(t, e.evicted(), 1)
	// The last result arrives 4 cycles after its issue.
	require.Equal(t, r.issued[len(r.issued)-1]+4+1, e.evicted()[0].Cycle)
	require.Len(t, e.evicted()[0].Msg.Context.Warps, 1)
	require.Equal(t, uint64(1), b.kernel(0).TBsEvicted)
	require.Zero(t, b.kernel(0).TBsFinished)
	requireAtRest(t, b.sm)
}

func TestNothingIsFetchedForAThreadBlockThatLeaves(t *testing.T) {
	spec := oneScheduler()
	spec.FrontEnd = frontend.Spec{BufferDepth: 64, FetchWidth: 1, FetchLatency: 1, BranchLatency: 6, Refill: frontend.RefillRoom}
	b := newBench(t, spec)
	b.place(0, program(load(1, 0), use(1), alu(100))) // its load is long on its way
	other := b.place(0, independent(100))[0]
	b.preEng(evict(1, 5))
	b.RunTo(90)
	at := other.issued[slices.Index(other.issued, 10):]
	require.Equal(t, multiples(1, 80), relative(at, at[0]), "every fetch is the other's")
}

func TestWhatComesBackNeedsItsPipeAsBefore(t *testing.T) {
	b := newBench(t, oneScheduler())
	list := program(load(1, 0), script.Op(workload.FP64, 2, 1)) // 16 cycles from one to the next
	r := b.place(0, list, list)
	e := b.preEng(evict(1, 20))
	b.RunTo(200)
	e.back(b, 200)
	b.RunTo(1000)
	require.Equal(t, uint64(16), r[1].issued[1]-r[0].issued[1])
	require.Equal(t, uint64(15), b.kernel(0).Stalls[PipeFull])
}

func TestEvictionWaitsForOutstandingLoads(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, append([]workload.Inst{script.Access(workload.Load, workload.Global, 0, 4, 4, 9)}, alu(1000)...))[0]
	e := b.preEng(evict(1, 20))
	b.RunTo(19)
	require.NotEmpty(t, r.issued)
	b.RunTo(1000)
	require.Equal(t, r.issued[0]+missToUse+1, e.evicted()[0].Cycle, "the load's data have come")
}

func TestEvictionWaitsForAWarpThatHasEndedButForItsLoad(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, program(load(1, 0)), program(meet(1, 2), step))
	e := b.preEng(evict(1, 20))
	b.RunTo(1000)
	require.Equal(t, r[0].issued[0]+missToUse+1, e.evicted()[0].Cycle)
	require.Len(t, e.evicted()[0].Msg.Context.Warps, 1, "the other waits at its barrier")
	requireAtRest(t, b.sm)
}

func TestThreadBlockGoesOnWhereItWas(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, alu(200))
	e := b.preEng(evict(1, 60))
	b.RunTo(100)
	issued := b.kernel(0).WarpInstructions
	require.Less(t, issued, uint64(200))
	e.back(b, 150)
	b.RunTo(5000)
	require.Equal(t, uint64(200), b.kernel(0).WarpInstructions)
	require.Equal(t, []uint64{1, 2, 1}, []uint64{b.kernel(0).TBsEvicted, b.kernel(0).TBsPlaced, b.kernel(0).TBsFinished})
	require.Equal(t, uint64(2), b.driver.Got[0].Msg.(*protocol.TBFinished).Serial)
}

func TestOthersGoOnWhileAThreadBlockLeaves(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, alu(1000))
	other := b.place(1, alu(1000))[0]
	b.preEng(evict(1, 100))
	b.RunTo(2000)
	gaps := 0
	for i := 1; i < len(other.issued); i++ {
		if at := other.issued[i]; at > 106 && at < 900 && at-other.issued[i-1] != 4 {
			gaps++
		}
	}
	require.Zero(t, gaps, "a dependent chain issues every 4 cycles")
}

func TestBarrierStateSurvives(t *testing.T) {
	b := newBench(t, testSpec())
	slow := append(alu(100), script.Op(workload.Barrier, workload.NoReg), script.Op(workload.Int, 2))
	fast := []workload.Inst{script.Op(workload.Barrier, workload.NoReg), script.Op(workload.Int, 2)}
	b.place(0, slow, fast, fast)
	e := b.preEng(evict(1, 80))
	b.RunTo(120)
	var waiting int
	for _, w := range e.evicted()[0].Msg.Context.Warps {
		if w.AtBarrier {
			waiting++
		}
	}
	require.Equal(t, 2, waiting)
	e.back(b, 200)
	b.RunTo(5000)
	require.Equal(t, uint64(102+2+2), b.kernel(0).WarpInstructions)
	require.Equal(t, uint64(1), b.kernel(0).TBsFinished)
}

func TestBarrierOfAThreadBlockThatCameBackOpensAsItsLastWarpEnds(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, program(meetAll, step), alu(100))
	e := b.preEng(evict(1, 80))
	b.RunTo(120)
	e.back(b, 200)
	b.RunTo(5000)
	require.Equal(t, r[1].issued[99]+1, r[0].issued[1])
}

func TestBarrierOfAThreadBlockThatCameBackExpectsTheWarpsThatAreLeft(t *testing.T) {
	b := newBench(t, testSpec())
	r := b.place(0, program(step), program(meetAll, step), program(alu(100), meetAll))
	e := b.preEng(evict(1, 80))
	b.RunTo(120)
	e.back(b, 200)
	b.RunTo(5000)
	require.Equal(t, r[2].issued[100]+1, r[1].issued[1])
}

func TestBarrierOfAThreadBlockThatCameBackIsAtItsTurn(t *testing.T) {
	b := newBench(t, testSpec())
	// Barrier 1 opens; then the first warp waits for it to open once more.
	r := b.place(0, program(meet(1, 2), meet(1, 2), step),
		program(meet(1, 2), alu(100), meet(2, 1), alu(100), meet(1, 2)))
	e := b.preEng(evict(1, 80))
	b.RunTo(120)
	require.Equal(t, uint8(1), e.evicted()[0].Msg.Context.Barriers[1].Turn)
	e.back(b, 200)
	b.RunTo(5000)
	require.Equal(t, r[1].issued[202]+1, r[0].issued[2], "no other barrier lets it go")
}

func TestEvictionOfAThreadBlockThatHasFinishedSaysSo(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, alu(3))
	e := b.preEng(evict(1, 500))
	b.RunTo(1000)
	require.Len(t, e.evicted(), 1)
	require.Nil(t, e.evicted()[0].Msg.Context)
	require.Equal(t, uint64(1), b.kernel(0).TBsFinished)
}

func TestThreadBlockThatEndsWhileItLeavesIsReportedBothWays(t *testing.T) {
	b := newBench(t, testSpec())
	// Its last instruction is a load, still on its way when the order comes.
	b.place(0, []workload.Inst{script.Access(workload.Load, workload.Global, 0, 4, 4, 9)})
	e := b.preEng(evict(1, 30))
	b.RunTo(1000)
	require.Len(t, b.driver.Got, 1)
	require.Len(t, e.evicted(), 1)
	require.Nil(t, e.evicted()[0].Msg.Context)
	requireAtRest(t, b.sm)
}

func TestHaltedSMIssuesNothingAndIsChargedAsPreempted(t *testing.T) {
	b := newBench(t, oneScheduler())
	r := b.place(0, alu(200))[0]
	b.preEng(rig.At[sim.Msg](100, &protocol.Halt{On: true}), rig.At[sim.Msg](400, &protocol.Halt{}))
	b.RunTo(5000)
	for _, at := range r.issued {
		require.False(t, at > 101 && at <= 401, "issued at %d", at)
	}
	require.Equal(t, uint64(300), b.kernel(0).Stalls[Preempted])
	require.Len(t, b.driver.Got, 1)
}

func TestSchedulerWithoutWarpsIsIdleWhileTheSMIsHalted(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(0, alu(200))
	b.preEng(rig.At[sim.Msg](100, &protocol.Halt{On: true}), rig.At[sim.Msg](400, &protocol.Halt{}))
	b.RunTo(5000)
	require.Equal(t, uint64(300), b.kernel(0).Stalls[Preempted], "of one of two schedulers")
}

func TestContextPacketsTakeTurnsWithTheSMsOwn(t *testing.T) {
	b := newBench(t, testSpec())
	var loads []workload.Inst
	for i := range 30 {
		loads = append(loads, script.Access(workload.Store, workload.Global, uint64(i)*128, 4, 4, workload.NoReg, 1))
	}
	b.place(0, loads)
	e := b.preEng()
	for i := range 20 {
		e.Send(20, &protocol.Packet{Kind: protocol.ContextSave, Addr: uint64(i) * 128, Sectors: 15, WrittenBytes: 128})
	}
	b.RunTo(2000)
	kinds := map[protocol.Kind]int{}
	last := map[protocol.Kind]int{}
	for i, p := range b.memory.seen {
		kinds[p.Kind]++
		last[p.Kind] = i
	}
	require.Equal(t, map[protocol.Kind]int{protocol.ContextSave: 20, protocol.Write: 30}, kinds)
	both := b.memory.seen[slices.IndexFunc(b.memory.seen, func(p protocol.Packet) bool { return p.Kind == protocol.ContextSave }):last[protocol.ContextSave]]
	for i := 1; i < len(both); i++ {
		require.NotEqual(t, both[i-1].Kind, both[i].Kind, "packet %d, while both have some", i)
	}
	require.Len(t, e.Got, 20, "answers come back to the engine")
	require.Equal(t, uint64(20), b.kernel(0).ContextRequests)
	require.Equal(t, uint64(30), b.kernel(0).MemoryRequests)
}

// quotas sends quotas, ahead of thread blocks that are placed later.
func (b *bench) quotas(by ...int32) {
	m := &protocol.Quotas{On: true}
	for i, n := range by {
		m.Of[i] = protocol.Quota{Given: true, Amount: int64(n), Refill: protocol.RefillRestart}
	}
	b.driver.Send(0, m)
}

// shares runs two tenants with endless independent work on one scheduler for
// some cycles and returns what each has issued.
func shares(t *testing.T, cycles uint64, by ...int32) [2]uint64 {
	b := newBench(t, oneScheduler())
	var list []workload.Inst
	for i := range 5000 {
		list = append(list, script.Op(workload.Int, uint8(i%200), 250))
	}
	if len(by) > 0 {
		b.quotas(by...)
		cycles++ // they go before the thread blocks
	}
	b.place(0, list, list)
	b.place(1, list, list)
	b.RunTo(cycles)
	return [2]uint64{b.kernel(0).WarpInstructions, b.kernel(1).WarpInstructions}
}

func TestQuotasDivideTheIssueSlots(t *testing.T) {
	without := shares(t, 1000)
	require.Greater(t, without[0], 50*max(1, without[1]), "greedy then oldest favours the first")
	with := shares(t, 1004, 30, 70)
	require.InDelta(t, 300, with[0], 30)
	require.InDelta(t, 700, with[1], 70)
}

func TestTenantIssuesExactlyItsQuotaBeforeItWaits(t *testing.T) {
	b := newBench(t, oneScheduler())
	long := make([]workload.Inst, 0, 2000)
	for i := range 2000 {
		long = append(long, script.Op(workload.Int, uint8(i%200), 250))
	}
	b.quotas(25, 1000)
	b.place(0, long)
	b.place(1, []workload.Inst{script.Access(workload.Load, workload.Global, 0, 4, 4, 1), script.Op(workload.Int, 2, 1)})
	b.RunTo(60)
	require.Equal(t, uint64(25), b.kernel(0).WarpInstructions, "the other tenant has quota left, though it waits for memory")
	require.Positive(t, b.sm.Stats(60).Accounts.Get(0).Stalls[Quota])
	b.RunTo(5000)
	require.Equal(t, uint64(2000), b.kernel(0).WarpInstructions, "once the other is gone, quotas start anew")
}

func TestQuotaOfATenantWithoutWarpsHoldsNobodyBack(t *testing.T) {
	require.Equal(t, shares(t, 1000)[0]+shares(t, 1000)[1], shares(t, 1000, 7, 9, 1000)[0]+shares(t, 1000, 7, 9, 1000)[1])
}

func TestQuotasOfZeroForAllHoldNobodyBack(t *testing.T) {
	require.Equal(t, shares(t, 1000), shares(t, 1000, 0, 0))
}

func TestSampleAnswersWithTheCounters(t *testing.T) {
	b := newBench(t, testSpec())
	b.place(3, alu(50))
	b.driver.Send(500, &protocol.Sample{})
	b.RunTo(1000)
	counters := b.driver.Got[1].Msg.(*protocol.Sampled).Counters.(protocol.SMCounters)
	require.Equal(t, protocol.SMTenant{WarpInstructions: 50, ThreadInstructions: 50 * 32}, counters.Tenants[3])
}
