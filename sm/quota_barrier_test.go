package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/frontend"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// active sets the number of active lanes of an instruction.
func active(n int, inst workload.Inst) workload.Inst {
	inst.Active = 1<<n - 1
	return inst
}

// TestWarpsAtBarriersDoNotKeepTheOthersFromNewQuotas runs what a random test found:
// on each of two schedulers one tenant has quota left and waits at a barrier for a warp
// of its own that the other scheduler holds back.
func TestWarpsAtBarriersDoNotKeepTheOthersFromNewQuotas(t *testing.T) {
	nothing := active(0, script.Op(workload.FP32, 0, 0))
	for _, refill := range []protocol.Refill{protocol.RefillAdd, protocol.RefillRestart} {
		spec := testSpec()
		spec.Scheduler = "2lvl-2"
		spec.FrontEnd = frontend.Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 3, BranchLatency: 1, Refill: frontend.RefillRoom}
		one := PipeSpec{Interval: 1, Latency: 1, Units: 1}
		spec.Pipes = PipesSpec{ALU: one, FP64: one, SFU: one, Tensor: one}
		b := newBench(t, spec)
		m := &protocol.Quotas{On: true, Lanes: true, AtCompletion: true}
		for i := range m.Of {
			m.Of[i] = protocol.Quota{Given: true, Amount: 1, Refill: refill}
		}
		m.Of[0].Amount = 2
		b.driver.Send(0, m)
		b.place(0, []workload.Inst{})
		b.place(0)
		b.place(0)
		b.place(0, []workload.Inst{active(8, script.Op(workload.FP32, 0, 0)), active(8, script.Op(workload.FP32, 0, 0)), active(0, load(0, 0))},
			[]workload.Inst{active(1, meetAll), active(0, store(0))})
		b.place(0, []workload.Inst{nothing})
		b.place(1, []workload.Inst{}, []workload.Inst{active(1, meetAll), nothing}, []workload.Inst{active(1, script.Op(workload.FP32, 0, 0)), nothing})
		b.run()
		require.Len(t, rig.Cycles(b.driver.Got), 6)
	}
}

// heldUp has tenant 0, on the first of two schedulers, come to a barrier behind a wait,
// at which its other warp is to meet it. That one is on the second scheduler, where its
// quota of five instructions does not suffice and tenant 2 uses up a large one. Tenant
// 1 has four instructions on the first scheduler, and a quota of three. Each
// extra list is a thread block of tenant 0 of a warp on the first scheduler.
func heldUp(t *testing.T, refill protocol.Refill, wait workload.Inst, extra ...[]workload.Inst) (b *bench, comes, held *recorder) {
	b = newBench(t, testSpec())
	m := &protocol.Quotas{On: true}
	for i, amount := range []int64{5, 3, 900} {
		m.Of[i] = protocol.Quota{Given: true, Amount: amount, Refill: refill}
	}
	b.driver.Send(0, m)
	meet := meetAll
	wait.Dst[0], meet.Src[0] = 1, 1
	comes = b.place(0, program(wait, meet, step), program(independent(6), meetAll, step))[0]
	held = b.place(1, independent(4))[0]
	b.place(2, independent(1000))
	for _, list := range extra {
		b.place(0, list)
	}
	return b, comes, held
}

func TestQuotasAreRefilledWhenAllThatHaveSomeWaitForWarpsWithout(t *testing.T) {
	for _, refill := range []protocol.Refill{protocol.RefillAdd, protocol.RefillRestart} {
		for name, wait := range map[string]workload.Inst{"a result": script.Op(workload.SFU, 1), "memory": load(1, 0)} {
			b, comes, held := heldUp(t, refill, wait)
			b.run()
			require.Less(t, held.issued[2], comes.issued[0]+5, name)
			require.Greater(t, comes.issued[1], comes.issued[0]+19, name)
			require.Equal(t, comes.issued[1]+1, held.issued[3], "%s: with the edge after the arrival", name)
			require.Greater(t, comes.issued[2], uint64(900), "%s: the one at the barrier gets nothing of another scheduler's", name)
		}
	}
}

// TestQuotasAreNotRefilledWhileAWarpWithQuotaMayGoOn has a warp of tenant 0 wait for
// memory on the first scheduler meanwhile.
func TestQuotasAreNotRefilledWhileAWarpWithQuotaMayGoOn(t *testing.T) {
	b, comes, held := heldUp(t, protocol.RefillRestart, script.Op(workload.SFU, 1), program(load(1, 0), use(1)))
	b.run()
	require.Greater(t, held.issued[3], comes.issued[1]+50)
}

// TestTenantsWithoutARefillWaitForTheNextQuotas: at barriers as anywhere.
func TestTenantsWithoutARefillWaitForTheNextQuotas(t *testing.T) {
	b, comes, held := heldUp(t, protocol.RefillNever, script.Op(workload.SFU, 1))
	b.RunTo(5000)
	require.Len(t, held.issued, 3)
	require.Len(t, comes.issued, 2)
	m := &protocol.Quotas{On: true}
	for i := range 3 {
		m.Of[i] = protocol.Quota{Given: true, Amount: 1000}
	}
	b.driver.Send(5000, m)
	b.run()
}
