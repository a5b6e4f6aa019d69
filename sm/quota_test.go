package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lanesOf has the SM given quotas in lanes of the whole SM at a cycle, by tenant.
func (b *bench) lanesOf(cycle uint64, refill protocol.Refill, by ...int64) {
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
	for i, n := range by {
		m.Of[i] = protocol.Quota{Given: true, Amount: n, Refill: refill}
	}
	b.driver.Send(cycle, m)
}

func TestTenantThatIsHeldBackIssuesAgainWithTheEdgeAfterItsQuotas(t *testing.T) {
	run := func(again uint64) (r *recorder, quota uint64, ticks int) {
		b := newBench(t, oneScheduler())
		b.lanesOf(0, protocol.RefillNever, 100)
		r = b.place(0, independent(8))[0]
		n := b.Ticks(&b.sm.Module)
		b.lanesOf(again, protocol.RefillNever, 5*32)
		left := []int64{}
		for _, at := range []uint64{1, 50} {
			b.RunTo(at)
			n, ok := b.sm.QuotaLeft(0)
			require.Equal(t, at > 1, ok)
			left = append(left, n)
		}
		require.Equal(t, []int64{0, 100 - 4*32}, left, "an instruction is issued whole as long as anything is left")
		b.run()
		require.Equal(t, []uint64{0, 1, 2, 3}, relative(r.issued[:4], r.issued[0]))
		return r, b.kernel(0).Stalls[Quota], *n
	}
	early, stalled, ticks := run(200)
	require.Equal(t, []uint64{202, 203, 204, 205}, early.issued[4:])
	require.Equal(t, 202-early.issued[3]-1, stalled)
	late, longer, same := run(9000)
	require.Equal(t, []uint64{9002, 9003, 9004, 9005}, late.issued[4:])
	require.Equal(t, stalled+8800, longer, "its tenant pays while the SM sleeps")
	require.Equal(t, ticks, same, "until the quotas wake it")
}

// TestSchedulersDoNotSeeWhatOthersIssueAtTheSameEdge has four schedulers, which
// issue two instructions in a cycle, find one lane left.
func TestSchedulersDoNotSeeWhatOthersIssueAtTheSameEdge(t *testing.T) {
	spec := dualIssue()
	spec.Schedulers = 4
	for start := range uint64(4) { // whichever scheduler goes first
		b := newBench(t, spec)
		b.lanesOf(0, protocol.RefillNever, 0)
		b.lanesOf(100+start, protocol.RefillNever, 1)
		list := program(script.Op(workload.Int, 1), script.Op(workload.SFU, 2), independent(4))
		r := b.place(0, list, list, list, list)
		b.RunTo(200)
		for _, r := range r {
			require.Equal(t, []uint64{102 + start, 102 + start}, r.issued)
		}
		left, _ := b.sm.QuotaLeft(0)
		require.Equal(t, int64(1-4*2*32), left)
	}
}

func TestResultsDoNotDependOnTheOrderOfSchedulers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := testSpec()
		spec.Schedulers = 4
		refill := rapid.SampledFrom([]protocol.Refill{protocol.RefillNever, protocol.RefillAdd, protocol.RefillRestart})
		quotas := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
		lists := map[tenant.ID][][]workload.Inst{}
		for id := range tenant.ID(3) {
			quotas.Of[id] = protocol.Quota{Given: true, Amount: rapid.Int64Range(1, 200).Draw(t, "amount"), Refill: refill.Draw(t, "refill"),
				Keep: rapid.Bool().Draw(t, "keep"), First: rapid.Bool().Draw(t, "first")}
			for range rapid.IntRange(1, 6).Draw(t, "warps") {
				list := independent(rapid.IntRange(1, 30).Draw(t, "instructions"))
				for i := range list {
					list[i].Active = rapid.SampledFrom([]uint32{0, 1, 0xff, ^uint32(0)}).Draw(t, "lanes")
				}
				lists[id] = append(lists[id], list)
			}
		}
		run := func(start uint64) (issued [][]uint64) {
			b := newBench(t, spec)
			var all []*recorder
			b.driver.Mute = func(cycle uint64) bool { return cycle < start }
			b.driver.Send(0, quotas)
			for id := range tenant.ID(3) {
				all = append(all, b.place(id, lists[id]...)...)
			}
			for at := start + 40; at < start+400; at += 40 {
				b.driver.Send(at, quotas)
			}
			b.RunTo(start + 500)
			for _, r := range all {
				issued = append(issued, relative(r.issued, start))
			}
			return issued
		}
		first := run(20)
		for start := uint64(21); start < 24; start++ {
			require.Equal(t, first, run(start))
		}
	})
}

func TestCountersAreRefilledAtTheEdgeThatUsesThemUp(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.lanesOf(0, protocol.RefillAdd, 100)
	b.place(0, independent(60))
	for at := range uint64(80) {
		b.RunTo(at)
		if left, ok := b.sm.QuotaLeft(0); ok && b.kernel(0).WarpInstructions < 60 {
			require.Positive(t, left)
			require.Equal(t, uint64(100-left)%100, b.kernel(0).ThreadInstructions%100)
		}
	}
	require.Equal(t, uint64(60), b.kernel(0).WarpInstructions)
	require.Zero(t, b.kernel(0).Stalls[Quota])
}

func TestTenantThatLeavesLetsOthersIssueAtTheNextEdge(t *testing.T) {
	b := newBench(t, oneScheduler())
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
	m.Of[0] = protocol.Quota{Given: true, Amount: 100}
	m.Of[1] = protocol.Quota{Given: true, Amount: 64, Refill: protocol.RefillAdd}
	b.driver.Send(0, m)
	b.place(0, program(load(1, 0), use(1), independent(2), meetAll), program(load(1, 0), use(1), use(2)))
	r := b.place(1, independent(4))[0]
	b.memory.latency = 300
	e := b.preEng(evict(1, 50))
	b.RunTo(1000)
	require.Len(t, e.evicted(), 1)
	require.Equal(t, []uint64{0, 1}, relative(r.issued[:2], r.issued[0]))
	// The loads are answered at the edge at which it is gone.
	require.Equal(t, b.memory.at[0]+300+2, r.issued[2])
	require.Equal(t, r.issued[2]+1, r.issued[3])
}

func TestTenantThatComesBackFindsItsCounter(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.lanesOf(0, protocol.RefillNever, 200)
	b.place(0, independent(3))
	b.RunTo(100)
	r := b.place(0, independent(8))[0]
	b.RunTo(500)
	require.Len(t, r.issued, 4, "200 lanes are seven instructions")
}

func TestTenantThatIsHeldBackFillsAHaltedSM(t *testing.T) {
	for _, back := range []bool{false, true} {
		b := newBench(t, oneScheduler())
		m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
		m.Of[0] = protocol.Quota{Given: true, Amount: 64}
		m.Of[1] = protocol.Quota{Given: true, Amount: 6400}
		b.driver.Send(0, m)
		r := b.place(0, independent(8))[0]
		b.place(1, independent(3))
		e := b.preEng(evict(1, 50), rig.At[sim.Msg](100, &protocol.Halt{On: true}), rig.At[sim.Msg](200, &protocol.Halt{}))
		b.RunTo(120)
		require.Len(t, r.issued, 2)
		if back {
			e.back(b, 130)
		} else {
			r = b.place(0, independent(8))[0]
		}
		n := len(r.issued)
		b.RunTo(400)
		require.Len(t, r.issued, n, "its quota is used up")
	}
}

// late is a warp with instructions that know their lanes only when they issue.
type late struct {
	recorder
	lanes int
}

func (l *late) Execute(inst *workload.Inst) {
	l.recorder.Execute(inst)
	inst.Active = uint32(1)<<l.lanes - 1
}

func TestLanesThatAnInstructionHasAsItIssuesAreTaken(t *testing.T) {
	b := newBench(t, dualIssue())
	b.lanesOf(0, protocol.RefillNever, 1000)
	b.placeStreams(0, &late{recorder{list: program(script.Op(workload.Int, 1), script.Op(workload.SFU, 2), script.Op(workload.Int, 3)), sm: b.sm}, 7})
	b.RunTo(100)
	left, _ := b.sm.QuotaLeft(0)
	require.Equal(t, int64(1000-3*7), left)
	require.Equal(t, uint64(3*7), b.kernel(0).ThreadInstructions)
}

func TestNoMoreIsIssuedThanQuotasAndWhatAnEdgeIssues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		b := newBench(t, spec)
		amount := rapid.Int64Range(0, 3000).Draw(t, "amount")
		m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
		for id := range m.Of {
			m.Of[id] = protocol.Quota{Given: true, Amount: amount}
		}
		b.driver.Send(0, m)
		for _, block := range blocks {
			b.placeLaunch(block.tenant, block.launch, block.warps...)
		}
		b.RunTo(3000)
		for id := range tenant.ID(tenant.Max) {
			issued := int64(b.kernel(int(id)).ThreadInstructions)
			require.LessOrEqual(t, issued, max(amount-1, 0)+int64(spec.Schedulers*spec.IssueWidth*workload.WarpSize))
			left, _ := b.sm.QuotaLeft(id)
			require.Equal(t, amount-issued, left)
		}
	})
}
