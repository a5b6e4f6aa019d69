package sm

import (
	"math/bits"
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

// atCompletion has the SM given a tenant's quota in lanes that instructions take
// from when they complete.
func (b *bench) atCompletion(cycle uint64, amount int64) {
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true, AtCompletion: true}
	m.Of[0] = protocol.Quota{Given: true, Amount: amount}
	b.driver.Send(cycle, m)
}

// spent is what has been taken from a quota.
func (b *bench) spent(t *testing.T, amount int64) int64 {
	left, ok := b.sm.QuotaLeft(0)
	require.True(t, ok)
	return amount - left
}

func TestTenantIsHeldBackFromTheEdgeAfterTheOneAtWhichAResultIsThere(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.atCompletion(0, 1)
	r := b.place(0, independent(20))[0]
	b.RunTo(100)
	latency := uint64(4)
	require.Len(t, r.issued, int(latency)+1)
	require.Equal(t, latency, r.issued[latency]-r.issued[0], "those that issue before, and with it")
	require.Equal(t, int64(latency+1)*32, b.spent(t, 1), "all take from it in the end")
}

func TestMemoryInstructionTakesFromItsQuotaWhenItHasBeenPerformed(t *testing.T) {
	for name, inst := range map[string]workload.Inst{"load": load(1, 0), "store": store(0), "atomic": atomic(workload.Atomic, 1, 0), "reduction": atomic(workload.Reduction, workload.NoReg, 0)} {
		b := newBench(t, oneScheduler())
		b.memory.latency = 300
		b.atCompletion(0, 1000)
		b.place(0, program(inst))
		b.RunTo(290)
		require.Zero(t, b.spent(t, 1000), name)
		b.RunTo(600)
		require.Equal(t, int64(32), b.spent(t, 1000), name)
	}
}

func TestInstructionThatNothingIsAwaitedOfTakesFromItsQuotaWhenItIssues(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.atCompletion(0, 1)
	none := script.Op(workload.Int, workload.NoReg)
	none.Active = 0xff
	r := b.place(0, program(none, none))[0]
	b.RunTo(50)
	require.Len(t, r.issued, 1)
	require.Equal(t, int64(8), b.spent(t, 1))
}

func TestQuotaThatIsUsedUpWhileTheSMIsHaltedHoldsBackAtOnce(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.memory.latency = 300
	b.atCompletion(0, 1)
	b.preEng(rig.At[sim.Msg](100, &protocol.Halt{On: true}), rig.At[sim.Msg](500, &protocol.Halt{}))
	r := b.place(0, program(load(1, 0), use(1)))[0]
	b.RunTo(800)
	require.Equal(t, int64(32), b.spent(t, 1))
	require.Len(t, r.issued, 1)
}

func TestInstructionsFromBeforeDoNotTakeFromAQuota(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.memory.latency = 300
	b.place(0, program(load(1, 0), use(1)))
	b.atCompletion(100, 1000)
	b.RunTo(900)
	require.Equal(t, int64(32), b.spent(t, 1000), "the load issued without quotas")
}

func TestEveryInstructionTakesFromItsQuotaOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kinds := []workload.Inst{load(1, 0), store(4096), atomic(workload.Atomic, 2, 0), atomic(workload.Reduction, workload.NoReg, 8192),
			script.Op(workload.Int, 3), script.Op(workload.SFU, 4), script.Op(workload.Int, workload.NoReg), use(1),
			script.Access(workload.Load, workload.Shared, 0, 4, 4, 5)}
		var list []workload.Inst
		lanes := int64(0)
		for range rapid.IntRange(1, 25).Draw(rt, "instructions") {
			inst := rapid.SampledFrom(kinds).Draw(rt, "kind")
			inst.Active = rapid.SampledFrom([]uint32{0, 1, 0xff, ^uint32(0)}).Draw(rt, "lanes")
			list = append(list, inst)
			lanes += int64(bits.OnesCount32(inst.Active))
		}
		spec := testSpec()
		b := newBench(t, spec)
		b.atCompletion(0, 1<<30)
		warps := rapid.IntRange(1, 6).Draw(rt, "warps")
		var all [][]workload.Inst
		for range warps {
			all = append(all, list)
		}
		b.place(0, all...)
		b.run()
		require.Equal(rt, lanes*int64(warps), b.spent(t, 1<<30))
	})
}

func TestThreadBlockThatLeavesAndComesBackTakesFromItsQuotaOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, testSpec())
		b.atCompletion(0, 1<<30)
		list := program(load(1, 0), alu(5), store(4096), use(1), some(workload.SFU, 5), atomic(workload.Reduction, workload.NoReg, 8192))
		r := b.place(0, list, list, list)
		e := b.preEng(evict(1, uint64(rapid.IntRange(2, 60).Draw(rt, "leaves"))))
		b.RunTo(1500)
		if left := e.evicted(); len(left) > 0 && left[0].Msg.Context != nil {
			issued := int64(0)
			for _, w := range r {
				issued += int64(len(w.issued))
			}
			require.Equal(rt, 32*issued, b.spent(t, 1<<30), "all that had issued is done")
			e.back(b, 1500)
			b.RunTo(4000)
		}
		require.Equal(rt, int64(3*32*len(list)), b.spent(t, 1<<30))
	})
}

// Whatever the SM is, all that is issued takes from its quota in the end, and at the
// same edges whether the SM sleeps or not.
func TestQuotasAndIdleWarpsDoNotDependOnSleep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec, blocks := anySpec(rt), anyBlocks(rt)
		m := &protocol.Quotas{On: true, Lanes: rapid.Bool().Draw(rt, "lanes"), PerSM: rapid.Bool().Draw(rt, "per SM"), AtCompletion: true}
		large := rapid.Bool().Draw(rt, "large")
		for i := range m.Of {
			refill := rapid.SampledFrom([]protocol.Refill{protocol.RefillAdd, protocol.RefillRestart}).Draw(rt, "refill")
			m.Of[i] = protocol.Quota{Given: true, Amount: int64(rapid.IntRange(1, 90).Draw(rt, "amount")), Refill: refill}
			if large {
				m.Of[i].Amount = 1 << 30
			}
		}
		every := uint64(rapid.IntRange(1, 60).Draw(rt, "every"))
		run := func(wakes int) (*bench, []*recorder) {
			b := newBench(rt, spec)
			b.driver.Send(0, m)
			b.driver.Send(0, &protocol.SampleIdle{Every: every})
			var all []*recorder
			for _, blk := range blocks {
				all = append(all, b.placeLaunch(blk.tenant, blk.launch, blk.warps...)...)
			}
			if wakes > 0 {
				w := &waker{t: t, sm: b.sm, left: wakes}
				w.Init("Waker", b.Clock, w)
				w.Start()
			}
			b.run()
			return b, all
		}
		quiet, calm := run(0)
		end := uint64(quiet.Engine.Now() / quiet.Clock.Period())
		woken, nervous := run(int(end) + 50)
		for i := range calm {
			require.Len(rt, calm[i].issued, len(calm[i].list))
			require.Equal(rt, calm[i].issued, nervous[i].issued)
		}
		require.Equal(rt, *quiet.sm.Stats(end + 100), *woken.sm.Stats(end + 100))
		require.Equal(rt, quiet.idleWarps(end+100), woken.idleWarps(end+100))
		if !large {
			return
		}
		for id := range m.Of {
			left, counters, taken := int64(0), int64(len(quiet.sm.residents.Schedulers)), int64(0)
			if m.PerSM {
				counters = 1
			}
			left, _ = quiet.sm.QuotaLeft(tenant.ID(id))
			for _, blk := range blocks {
				for _, w := range blk.warps {
					for _, inst := range w {
						switch {
						case int(blk.tenant) != id:
						case m.Lanes:
							taken += int64(bits.OnesCount32(inst.Active))
						default:
							taken++
						}
					}
				}
			}
			require.Equal(rt, counters<<30-taken, left)
		}
	})
}
