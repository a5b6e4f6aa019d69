package qos

import (
	"slices"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/targets"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// pair is a GPU of two SMs with four slots, on which tenant 0, with a goal of 64
// lanes a cycle, is joined by tenant 1 at cycle 5,000.
func pair(t *testing.T, spec string) *gpu {
	g := newGPU(t, spec, 2, 4, 3)
	g.arrive(0, 1000, 64, 0)
	require.Equal(t, [][]int{{4, 0, 0}, {4, 0, 0}}, g.have())
	require.Equal(t, [][]protocol.Control{nil, nil}, g.sent, "there are no quotas for a tenant alone")
	g.arrive(1, 1000, 0, 5000)
	return g
}

func TestATenantThatComesMakesTheFirstGiveWay(t *testing.T) {
	g := pair(t, "qos")
	require.Equal(t, [][]int{{2, 0, 0}, {2, 0, 0}}, g.have())
	require.Equal(t, 4, g.preempts)
	quotas := &protocol.Quotas{On: true, Lanes: true, PerSM: true, AtCompletion: true}
	quotas.Of[0] = protocol.Quota{Given: true, Amount: 320_000}
	quotas.Of[1] = protocol.Quota{Given: true, Amount: 5_000, Refill: protocol.RefillAdd} // by targets
	quotas.Of[2] = protocol.Quota{Given: true}
	want := []protocol.Control{&protocol.SampleIdle{Every: 100}, quotas}
	for i := 3; i < len(quotas.Of); i++ {
		require.Zero(t, quotas.Of[i])
	}
	require.Equal(t, [][]protocol.Control{want, want}, g.sent)
	g.leave(0)
	g.leave(1)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 2, 0}}, g.have())
	require.Equal(t, [][]protocol.Control{nil, nil}, g.sent, "it has its quotas")
	g.finish(0, 0, 1)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 2, 0}}, g.have(), "its own takes the place")
}

func TestNoMoreGiveWayThanThereAreToComeIn(t *testing.T) {
	g := newGPU(t, "qos", 2, 4, 2)
	g.arrive(0, 1000, 64, 0)
	g.arrive(1, 1, 0, 0)
	require.Equal(t, [][]int{{3, 0}, {4, 0}}, g.have())
	g.event(policy.TBFinished)
	require.Zero(t, g.preempts, "room for it is coming")
}

func TestRoomBeyondTheTargetsStaysEmpty(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[1].Waiting = 0
	g.finish(1, 0, 1)
	require.Equal(t, [][]int{{2, 1, 0}, {2, 2, 0}}, g.have())
}

func TestQuotasOfAnEpoch(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	// Tenant 0: 400,000 of 10,000 cycles, 40 of 64: alpha 1.6, 102.4. Its success is
	// 40/102.4. Tenant 1 has issued 64 in a cycle: 25.
	g.epoch([]uint64{200_000, 320_000}, []uint64{2, 0})
	require.Equal(t, [][]int64{{512_000, 125_000, 0}, {512_000, 125_000, 0}}, g.quotas())
	m := g.sent[0][0].(*protocol.Quotas)
	require.Equal(t, protocol.Quota{Given: true, Amount: 512_000, Keep: true}, m.Of[0], "what is left over is kept from now on")
	require.Equal(t, protocol.Quota{Given: true, Amount: 125_000, Refill: protocol.RefillAdd}, m.Of[1])
	require.Equal(t, map[string]float64{"goal": 64, "history": 40, "ipc": 40, "alpha": 1.6, "quota": 1_024_000}, registersOf(g.policy, 0))
	require.Equal(t, map[string]float64{"goal": 25, "history": 128, "ipc": 64, "alpha": 1, "quota": 250_000}, registersOf(g.policy, 1))
	require.Equal(t, map[string]float64{"goal": 0, "history": 0, "ipc": 0, "alpha": 0, "quota": 0}, registersOf(g.policy, 2))

	// Leaving thread blocks do not count. History is 64 now, and success 88/64.
	g.view.SMs[1].Leaving[0], g.view.SMs[0].Leaving[1] = 1, 1
	g.epoch([]uint64{440_000, 320_000}, nil)
	require.Equal(t, [][]int64{{426_667, 293_333, 0}, {213_333, 586_667, 0}}, g.quotas())
}

func registersOf(q *qos, tenant int) map[string]float64 {
	list := map[string]float64{}
	for _, r := range q.Needs().Registers() {
		if r.Tenant == tenant {
			list[r.Name] = r.Value
		}
	}
	return list
}

func TestATenantWithinAnEpochHasAWholeQuotaAndTheOthersKeepTheirs(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.epoch([]uint64{320_000, 100_000}, nil)
	g.arrive(2, 1000, 32, 12_000)
	require.Equal(t, [][]int64{nil, nil, nil}[:2], g.quotas(), "nothing is there yet")
	require.InEpsilon(t, 200_000, registersOf(g.policy, 1)["quota"], near)
	g.leave(0)
	require.Equal(t, [][]int{{2, 1, 1}, {2, 1, 0}}, g.have())
	require.Equal(t, []int64{-1, -1, 160_000}, amounts(g.last[0], 3), "half of it by targets")
	g.leave(1)
	require.Equal(t, []int64{-1, -1, 160_000}, amounts(g.last[1], 3))
	// At the end of the epoch its history is 16, of 8,000 cycles, so that alpha is 2,
	// and its success 12.8 of 64.
	g.epoch([]uint64{320_000, 100_000, 64_000}, nil)
	require.Equal(t, []int64{320_000, 20_000, 320_000}, g.quotas()[0])
}

func TestNobodyIsLeftOfAPairSoQuotasEnd(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[1].Waiting, g.view.Tenants[1].Running = 0, 2
	g.finish(1, 0, 2)
	g.view.SMs[1].TBs[1] = 0
	g.view.SMs[1].Usage.Release(of(32))
	g.view.SMs[1].Usage.Release(of(32))
	g.view.Tenants[1].Present = false
	g.event(policy.KernelFinished)
	end := []protocol.Control{&protocol.Quotas{}, &protocol.SampleIdle{}}
	require.Equal(t, [][]protocol.Control{end, end}, g.sent)
	require.Equal(t, [][]int{{4, 0, 0}, {4, 0, 0}}, g.have())
	g.epoch([]uint64{300_000}, nil)
	require.Equal(t, [][]protocol.Control{nil, nil}, g.sent)
	require.InEpsilon(t, 60, registersOf(g.policy, 0)["history"], near, "which is measured all the same")
	require.Zero(t, registersOf(g.policy, 0)["quota"])
}

func TestWithoutGoalsThereAreNoQuotas(t *testing.T) {
	g := newGPU(t, "qos", 4, 4, 2)
	g.arrive(0, 1000, 0, 0)
	g.arrive(1, 1000, 0, 0)
	g.leave(2)
	g.leave(3)
	g.epoch([]uint64{1000, 1000}, nil)
	require.Equal(t, [][]protocol.Control{nil, nil, nil, nil}, g.sent)
	require.Equal(t, [][]int{{4, 0}, {4, 0}, {0, 4}, {0, 4}}, g.have(), "they divide the SMs")
}

func TestARelaunchHasItsQuotaByTargets(t *testing.T) {
	g := pair(t, "qos:adjust=off")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[0].Waiting = 0
	// Of its last kernel's thread blocks one is left, on SM 1, when an epoch begins.
	g.finish(0, 0, 2)
	g.finish(0, 1, 1)
	g.epoch([]uint64{320_000, 320_000}, nil)
	require.Equal(t, [][]int64{{0, 320_000, 0}, {640_000, 320_000, 0}}, g.quotas())
	g.finish(0, 1, 1)
	require.Empty(t, slices.DeleteFunc(g.view.Active, func(t int) bool { return t == 1 }))
	g.view.Active = []int{1}
	g.launch(0, 1000)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 2, 0}}, g.have())
	require.Equal(t, [][]int64{{320_000, -1, -1}, nil}, g.quotas(), "SM 1 has what it was given")

	// Between two launches the quota is divided by targets; nothing is to be added.
	g.view.Tenants[0].Waiting = 0
	g.finish(0, 0, 2)
	g.finish(0, 1, 2)
	g.epoch([]uint64{320_000, 320_000}, nil)
	require.Equal(t, [][]int64{{320_000, 320_000, 0}, {320_000, 320_000, 0}}, g.quotas())
	g.launch(0, 1000)
	require.Equal(t, [][]protocol.Control{nil, nil}, g.sent)
}

func TestATenantThatHasLentItsPartHasAQuotaWhenItComesBack(t *testing.T) {
	g := newGPU(t, "qos:adjust=off", 2, 6, 3)
	g.arrive(0, 1000, 64, 0)
	g.arrive(1, 1000, 0, 0)
	g.arrive(2, 4, 64, 0)
	for range 2 {
		g.leave(0)
		g.leave(1)
	}
	require.Equal(t, [][]int{{2, 2, 2}, {2, 2, 2}}, append(g.have()[:1:1], []int{2, 2, 2}))
	for sm := range 2 {
		g.finish(2, sm, g.view.SMs[sm].TBs[2])
	}
	require.Zero(t, g.view.Tenants[2].Running)
	for range 3 {
		g.epoch([]uint64{320_000, 320_000, 0}, nil)
	}
	require.Equal(t, int64(-1), g.quotas()[0][2], "its counters are kept")
	require.Zero(t, registersOf(g.policy, 2)["quota"])
	g.launch(2, 4)
	for sm := range 2 {
		g.leave(sm)
	}
	require.NotZero(t, registersOf(g.policy, 2)["quota"])
	for sm := range 2 {
		if g.view.SMs[sm].TBs[2] > 0 {
			require.NotZero(t, g.policy.given[2][sm])
		}
	}
}

func TestAlphaIsOneWithoutHistory(t *testing.T) {
	g := pair(t, "qos:history=off,adjust=off")
	require.Len(t, g.sent[0], 1, "idle warps are not counted")
	g.leave(0)
	g.leave(1)
	g.epoch([]uint64{200_000, 320_000}, nil)
	require.Equal(t, [][]int64{{320_000, 200_000, 0}, {320_000, 200_000, 0}}, g.quotas())
	require.Len(t, g.sent[0], 1)
}

func TestEverySMWithThreadBlocksHasALane(t *testing.T) {
	g := newGPU(t, "qos:adjust=off", 2, 4, 2)
	g.arrive(0, 1000, 0.0001, 0)
	g.arrive(1, 1000, 0, 0)
	g.leave(0)
	g.leave(1)
	g.epoch([]uint64{100, 100}, nil)
	require.Equal(t, int64(1), g.quotas()[0][0])
	require.Equal(t, int64(1), g.quotas()[1][0])
	require.Len(t, g.sent[1], 1)
	// Not even without a target: it could never leave.
	g.policy.given[0][1], g.policy.targets.TBs[0][1] = 0, 0
	g.event(policy.TBFinished)
	require.Equal(t, [][]int64{nil, {1, -1}}, g.quotas())
}

func TestNoSMHasMoreThanItCanIssue(t *testing.T) {
	g := pair(t, "qos:adjust=off")
	g.leave(0)
	g.leave(1)
	g.epoch([]uint64{10, 320_000}, nil)
	const peak = 4 * 32 * 10_000
	require.Equal(t, int64(peak), g.quotas()[0][0])
	g.view.Tenants[0].Waiting = 0
	g.finish(0, 0, 2)
	g.epoch([]uint64{10, 320_000}, nil)
	require.Equal(t, []int64{0, peak}, []int64{g.quotas()[0][0], g.quotas()[1][0]}, "not twice as much")
}

func TestAKernelThatFitsNowhereBesideAnotherTakesItsTurn(t *testing.T) {
	g := newGPU(t, "qos", 1, 4, 2)
	g.view.SMs[0].Capacity.Threads = 50
	g.arrive(0, 1000, 0, 0)
	g.arrive(1, 1000, 0, 0)
	for turn := range 4 {
		require.Equal(t, [][]int{{1 - turn%2, turn % 2}}, g.have())
		for range targets.Patience - 1 {
			g.epoch([]uint64{1, 1}, nil)
			require.Zero(t, g.preempts)
		}
		g.epoch([]uint64{1, 1}, nil)
		require.Equal(t, 1, g.preempts)
		g.leave(0)
	}
}

func TestAnotherKernelIsDealtAnew(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[1].Waiting = 0
	g.finish(1, 0, 2)
	g.finish(1, 1, 2)
	g.view.Tenants[1].Waiting, g.view.Tenants[1].Kernels, g.view.Tenants[1].Demand = 100, 1, of(96)
	g.view.Active = append(g.view.Active, 1)
	g.event(policy.KernelArrived)
	require.Equal(t, [][]int{{3, 1, 0}, {3, 1, 0}}, g.have(), "one of 96 threads")
}

func TestKernelsThatDoNotFitBesideEachOtherHaveSMsInTurn(t *testing.T) {
	g := newGPU(t, "qos", 4, 4, 2)
	g.view.SMs[0].Capacity.Threads = 50
	g.arrive(0, 1000, 9, 0)
	g.arrive(1, 1000, 9, 0)
	require.Equal(t, 2, g.preempts)
	g.leave(1)
	g.leave(3)
	require.Equal(t, [][]int{{1, 0}, {0, 1}, {1, 0}, {0, 1}}, g.have())
}

func TestAKernelThatHadATargetWaitsAnewForItsTurn(t *testing.T) {
	g := newGPU(t, "qos", 1, 4, 2)
	g.view.SMs[0].Capacity.Threads = 50
	g.arrive(0, 1000, 0, 0)
	g.arrive(1, 1000, 0, 0)
	for range 2 {
		for range targets.Patience - 1 {
			g.epoch([]uint64{1, 1}, nil)
			require.Zero(t, g.preempts)
		}
		g.policy.targets.TBs[1][0] = 1
		g.epoch([]uint64{1, 1}, nil)
		require.Zero(t, g.preempts)
		g.policy.targets.TBs[1][0] = 0
	}
}

func TestOfEqualsTheLastToArriveGivesWay(t *testing.T) {
	g := newGPU(t, "qos", 1, 6, 3)
	g.arrive(1, 1000, 9, 0)
	g.arrive(0, 1000, 9, 0)
	g.leave(0)
	require.Equal(t, [][]int{{3, 3, 0}}, g.have())
	g.arrive(2, 1, 9, 0)
	require.Equal(t, [][]int{{2, 3, 0}}, g.have())
}

func TestWhoDoesNotFitOnAnSMTakesNoTurnThere(t *testing.T) {
	g := newGPU(t, "qos", 2, 4, 3)
	small, large := *g.view.SMs[0].Capacity, *g.view.SMs[0].Capacity
	small.Threads = 50
	g.view.SMs[1].Kind, g.view.SMs[0].Kind = 0, 1
	g.view.SMs[1].Capacity, g.view.SMs[0].Capacity = &small, &large
	g.view.Tenants[0] = policy.Tenant{Present: true, Waiting: 100, Demand: of(64)}
	g.view.Tenants[0].Goal = 9
	g.view.Active = []int{0}
	g.arrive(1, 1000, 9, 0)
	g.arrive(2, 1000, 9, 0)
	require.Equal(t, []int{0, 0, 1}, []int{g.policy.targets.TBs[0][1], g.policy.targets.TBs[1][1], g.policy.targets.TBs[2][1]})
}

func TestSeveralGiveWayToALargeOne(t *testing.T) {
	g := newGPU(t, "qos", 1, 32, 2)
	g.arrive(0, 1000, 0, 0)
	g.view.Tenants[1] = policy.Tenant{Present: true, Rank: 1, Waiting: 1, Kernels: 1, Demand: of(100)}
	g.view.Active = []int{0, 1}
	g.event(policy.KernelArrived)
	require.Equal(t, 4, g.preempts, "of 32 threads each, for 100 threads in four warps")
	g.leave(0)
	require.Equal(t, [][]int{{28, 1}}, g.have())
}
