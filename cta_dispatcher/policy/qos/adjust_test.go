package qos

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// behind is a pair after its first epoch; tenant 0 has half of its goal. Each tenant has 2 TBs
// on both SMs, and idle lists the tenants' idle warps on each SM.
func behind(t *testing.T, spec string, idle ...uint64) *gpu {
	g := pair(t, spec)
	g.leave(0)
	g.leave(1)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 2, 0}}, g.have())
	g.epoch([]uint64{160_000, 320_000}, idle)
	return g
}

func TestOneSwapInAnEpochAndGPU(t *testing.T) {
	g := behind(t, "qos:swaps=gpu", 0, 9)
	require.Equal(t, [][]int{{2, 1, 0}, {2, 2, 0}}, g.have())
	require.Equal(t, 1, g.preempts)
	g.event(policy.TBFinished)
	require.Zero(t, g.preempts)
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Zero(t, g.preempts, "one is on its way")
	g.leave(0)
	require.Equal(t, [][]int{{3, 1, 0}, {2, 2, 0}}, g.have())
	g.finish(0, 0, 1)
	g.finish(1, 0, 1)
	require.Equal(t, [][]int{{3, 1, 0}, {2, 2, 0}}, g.have(), "the targets have moved")
	g.epoch([]uint64{160_000, 320_000}, []uint64{1})
	require.Equal(t, [][]int{{3, 0, 0}, {2, 2, 0}}, g.have(), "the lowest number among equals")
}

// "The number of IWs is collected for each kernel in each SM", and one more TB goes to that SM
// (QoS 3.6).
func TestSwapsAreByTheSM(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		leaving    int // tenant 1's on SM 0 at the start of the epoch
		idle       []uint64
		have       [][]int
		preempts   int
	}{
		{name: "two SMs swap in one epoch", spec: "qos", have: [][]int{{2, 1, 0}, {2, 1, 0}}, preempts: 2},
		{name: "two with ideal preemption", spec: "qos:preempt=ideal", have: [][]int{{2, 1, 0}, {2, 1, 0}}, preempts: 2},
		{name: "one with swaps=gpu", spec: "qos:swaps=gpu", have: [][]int{{2, 1, 0}, {2, 2, 0}}, preempts: 1},
		{name: "a pending request to SM 0 stops both", spec: "qos", leaving: 1, have: [][]int{{2, 1, 0}, {2, 2, 0}}},
		{name: "SM 1 has idle thread blocks", spec: "qos", idle: []uint64{0, 2}, have: [][]int{{2, 1, 0}, {2, 2, 0}}, preempts: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := pair(t, c.spec)
			g.leave(0)
			g.leave(1)
			g.view.SMs[0].Leaving[1] = c.leaving
			idle := func(sm int) []uint64 {
				if c.idle == nil {
					return nil
				}
				return []uint64{c.idle[sm]}
			}
			g.epochBySM([]uint64{160_000, 320_000}, idle)
			require.Equal(t, c.have, g.have())
			require.Equal(t, c.preempts, g.preempts)
		})
	}
}

// A new kernel's size begins no new initial layout; an arrival does.
func TestSwapsOutliveANewKernel(t *testing.T) {
	g := behind(t, "qos")
	g.leave(0)
	g.leave(1)
	require.Equal(t, []int{3, 3}, g.policy.targets.TBs[0])
	g.view.Tenants[1].Demand = of(16)
	g.event(policy.KernelArrived)
	require.Equal(t, []int{3, 3}, g.policy.targets.TBs[0])
	require.Equal(t, []int{1, 1}, g.policy.targets.TBs[1], "the SMs have four slots")
	g.arrive(2, 1000, 0, 0)
	require.Equal(t, []int{2, 2}, g.policy.targets.TBs[0])
}

// Swaps on many SMs take no more TBs of another tenant than the tenant behind its goal can
// replace.
func TestNoSwapsBeyondTheWaitingThreadBlocks(t *testing.T) {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[0].Waiting = 1
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{2, 1, 0}, {2, 2, 0}}, g.have())
	require.Equal(t, 1, g.preempts)
}

// An SM has one swap in an epoch, however many tenants are behind.
func TestOneSwapInAnEpochAndSM(t *testing.T) {
	g := newGPU(t, "qos", 2, 6, 3)
	g.arrive(0, 1000, 64, 0)
	g.arrive(1, 1000, 0, 0)
	g.arrive(2, 1000, 64, 0)
	g.leave(0)
	g.leave(1)
	require.Equal(t, [][]int{{2, 2, 2}, {2, 2, 2}}, g.have())
	g.epoch([]uint64{100_000, 320_000, 150_000}, nil)
	require.Equal(t, [][]int{{2, 1, 2}, {2, 1, 2}}, g.have())
	require.Equal(t, []int{3, 3}, g.policy.targets.TBs[0], "the tenant further behind")
	require.Equal(t, []int{2, 2}, g.policy.targets.TBs[2])
}

// A tenant that is behind over all, but not in the last epoch, gets no more TBs, unless
// adjust=on.
func TestWhoCatchesUpNeedNotGrow(t *testing.T) {
	for spec, want := range map[string][]int{
		"qos":                     {2, 2, 0},
		"qos:adjust=on":           {2, 2, 2},
		"qos:swaps=gpu":           {1, 1, 0},
		"qos:swaps=gpu,adjust=on": {1, 1, 1},
	} {
		g := newGPU(t, spec, 2, 8, 2)
		g.arrive(0, 1000, 64, 0)
		g.arrive(1, 1000, 0, 0)
		var preempts []int
		for _, lanes := range []uint64{160_000, 319_999, 320_000} { // on each SM; the goal is 320,000
			g.leave(0)
			g.leave(1)
			g.epoch([]uint64{lanes, 320_000}, nil)
			preempts = append(preempts, g.preempts)
		}
		require.Equal(t, want, preempts, spec)
	}
}

func TestWhatIsOnItsWayToOrFromMemoryIsPending(t *testing.T) {
	for _, change := range []func(v *policy.View){
		func(v *policy.View) { v.Tenants[2].Saving = 1 },
		func(v *policy.View) { v.Tenants[2].Loading = 1 },
		func(v *policy.View) { v.SMs[1].Leaving[1] = 1 },
	} {
		g := pair(t, "qos:swaps=gpu,preempt=ideal")
		g.leave(0)
		g.leave(1)
		change(&g.view)
		g.epoch([]uint64{160_000, 320_000}, nil)
		require.Zero(t, g.preempts)
	}
	require.Equal(t, 1, behind(t, "qos:swaps=gpu,preempt=ideal").preempts)
}

func TestTheSMWithFewerIdleThreadBlocksIsFirst(t *testing.T) {
	require.Equal(t, [][]int{{2, 1, 0}, {2, 2, 0}}, behind(t, "qos:swaps=gpu", 1).have())
	g := pair(t, "qos:swaps=gpu")
	g.leave(0)
	g.leave(1)
	for i := range g.view.SMs {
		g.view.Windows[i].To = 10_000
		c := counters{IdleSamples: 100}
		c.Tenants[0].ThreadInstructions = 1000
		c.Tenants[0].IdleWarps = uint64(100 * (1 - i))
		g.view.Windows[i].Counters = c
	}
	g.event(policy.Epoch)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 1, 0}}, g.have())
}

func TestATenantHasNoMoreWhile(t *testing.T) {
	for name, g := range map[string]*gpu{
		"it has two idle thread blocks":   behind(t, "qos", 2),
		"nobody has counted its idle":     unsampled(t),
		"it does without adjustment":      behind(t, "qos:adjust=off"),
		"it has not been there an epoch":  after(t, 10_001, 1000),
		"it has what it was promised":     after(t, 0, 320_000),
		"it has no thread block to place": without(t),
	} {
		require.Zero(t, g.preempts, name)
	}
	require.Equal(t, 2, after(t, 0, 319_999).preempts, "one on each SM")
}

func unsampled(t *testing.T) *gpu {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	for i := range g.view.Windows {
		g.view.Windows[i].To = 10_000
	}
	g.event(policy.Epoch)
	return g
}

// after lets tenant 0 come later, and issue some lanes on each SM.
func after(t *testing.T, since, lanes uint64) *gpu {
	g := newGPU(t, "qos", 2, 4, 2)
	g.arrive(0, 1000, 64, since)
	g.arrive(1, 1000, 0, 0)
	g.leave(0)
	g.leave(1)
	g.epoch([]uint64{lanes, 1000}, nil)
	return g
}

func without(t *testing.T) *gpu {
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[0].Waiting = 0
	g.epoch([]uint64{160_000, 320_000}, nil)
	return g
}

func TestRoomIsTakenOnAllSMsAtOnce(t *testing.T) {
	g := pair(t, "qos:swaps=gpu")
	for i := range g.view.SMs {
		g.leave(i)
	}
	g.view.SMs[0].Capacity.TBs = 6 // all SMs have the same
	g.view.Tenants[2].Saving = 1   // pending
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{3, 2, 0}, {3, 2, 0}}, g.have())
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{4, 2, 0}, {4, 2, 0}}, g.have())
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{4, 2, 0}, {4, 2, 0}}, g.have(), "no swap while one is pending")
	g.finish(1, 0, 1)
	require.Equal(t, [][]int{{4, 2, 0}, {4, 2, 0}}, g.have(), "nobody goes beyond its target")
}

func TestRoomOfAnotherIsNotTakenWithoutASwap(t *testing.T) {
	// Tenant 1 has but one thread block left, and so an unused place on each SM.
	g := pair(t, "qos")
	g.leave(0)
	g.leave(1)
	g.view.Tenants[1].Waiting = 0
	g.finish(1, 0, 2)
	g.finish(1, 1, 1)
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{3, 0, 0}, {3, 1, 0}}, g.have(), "a place on each SM")
	require.Zero(t, g.preempts)
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{4, 0, 0}, {3, 1, 0}}, g.have())
	for range 3 {
		g.epoch([]uint64{160_000, 320_000}, nil)
	}
	require.Equal(t, [][]int{{4, 0, 0}, {3, 1, 0}}, g.have(), "never the last")
	require.Zero(t, g.preempts)
}

func TestTheLastThreadBlockIsNeverSwapped(t *testing.T) {
	g := pair(t, "qos")
	for i := range 2 {
		g.leave(i)
	}
	for range 6 {
		g.epoch([]uint64{100_000, 320_000}, nil)
		for i := range 2 {
			g.leave(i)
		}
	}
	require.Equal(t, [][]int{{4, 0, 0}, {3, 1, 0}}, g.have())
}

func TestTheFurthestBehindIsFirst(t *testing.T) {
	for _, c := range []struct {
		lanes []uint64
		want  []int
	}{
		{[]uint64{100_000, 320_000, 150_000}, []int{2, 1, 2}}, // 20 of 64, 30 of 64
		{[]uint64{150_000, 320_000, 100_000}, []int{2, 1, 2}},
	} {
		g := newGPU(t, "qos", 1, 6, 3)
		g.arrive(0, 1000, 64, 0)
		g.arrive(1, 1000, 0, 0)
		g.arrive(2, 1000, 64, 0)
		g.leave(0)
		require.Equal(t, [][]int{{2, 2, 2}}, g.have())
		g.epoch(c.lanes, nil)
		require.Equal(t, [][]int{c.want}, g.have())
		g.leave(0)
		more := 0
		if c.lanes[2] < c.lanes[0] {
			more = 2
		}
		require.Equal(t, 3, g.have()[0][more])
	}
}

func TestTheKernelWithoutAGoalLosesBeforeThoseWithOne(t *testing.T) {
	// Tenant 2 has idle thread blocks and a margin besides.
	run := func(others float64) *gpu {
		g := newGPU(t, "qos", 1, 6, 3)
		g.arrive(0, 1000, 64, 0)
		g.arrive(1, 1000, others, 0)
		g.arrive(2, 1000, 1, 0)
		g.leave(0)
		g.epoch([]uint64{100_000, 9, 320_000}, []uint64{0, 0, 2})
		return g
	}
	require.Equal(t, [][]int{{2, 1, 2}}, run(0).have())
	require.Equal(t, [][]int{{2, 2, 1}}, run(0.0001).have(), "all have goals: the one with idle thread blocks")
}

func TestSeveralMakeRoomForALargeOne(t *testing.T) {
	g := newGPU(t, "qos", 1, 32, 2)
	g.arrive(1, 1000, 0, 0)
	g.view.Tenants[0].Present, g.view.Tenants[0].Goal, g.view.Tenants[0].Rank = true, 64, 1
	g.view.Tenants[0].Waiting, g.view.Tenants[0].Kernels, g.view.Tenants[0].Demand = 100, 1, of(128)
	g.view.Active = []int{1, 0}
	g.event(policy.KernelArrived)
	g.leave(0)
	require.Equal(t, [][]int{{4, 16}}, g.have())
	g.epoch([]uint64{100_000, 320_000}, nil)
	require.Equal(t, 4, g.preempts)
	g.leave(0)
	require.Equal(t, [][]int{{5, 12}}, g.have())
}

func TestATenantBelowItsTargetOnAnSMIsGivenNoMoreThere(t *testing.T) {
	g := newGPU(t, "qos", 1, 32, 3)
	g.view.Tenants[1] = policy.Tenant{Present: true, Waiting: 100, Kernels: 1, Demand: of(128)}
	g.view.Active = []int{1}
	g.arrive(0, 1000, 64, 0)
	require.Equal(t, [][]int{{16, 4, 0}}, g.have())
	for range 3 { // a TB of 128 threads leaves for a TB of 32
		g.epoch([]uint64{100_000, 320_000}, nil)
		require.Equal(t, []int{17, 3}, []int{g.policy.targets.TBs[0][0], g.policy.targets.TBs[1][0]})
	}
	g.leave(0)
	require.Equal(t, [][]int{{17, 3, 0}}, g.have())
	g.epoch([]uint64{100_000, 320_000}, nil)
	require.Equal(t, [][]int{{18, 3, 0}}, g.have(), "there is room for it")
}

func TestThreadBlocksBeyondATargetTakeRoomToo(t *testing.T) {
	g := pair(t, "qos:swaps=gpu")
	g.leave(0)
	g.leave(1)
	g.policy.targets.TBs[1][0] = 0 // it has two
	g.view.Tenants[2].Saving = 1
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, []int{2, 2}, g.policy.targets.TBs[0])
	g.view.Tenants[2].Saving = 0
	g.epoch([]uint64{160_000, 320_000}, nil)
	require.Equal(t, [][]int{{2, 1, 0}, {2, 2, 0}}, g.have())
	require.Equal(t, []int{3, 2}, g.policy.targets.TBs[0])
	require.Equal(t, []int{0, 2}, g.policy.targets.TBs[1], "it gets no target for the one that stays")
}

func TestNobodyLosesWithoutAGround(t *testing.T) {
	for lanes, want := range map[uint64]int{320_000: 0, 330_000: 0, 450_000: 1} {
		g := newGPU(t, "qos", 2, 4, 2)
		g.arrive(0, 1000, 64, 0)
		g.arrive(1, 1000, 64, 0)
		g.leave(0)
		g.leave(1)
		g.epoch([]uint64{100_000, lanes}, []uint64{0, 1})
		require.Equal(t, want, g.preempts, "three quarters of %d on each SM would do", lanes)
	}
}

func TestNobodyLosesWhatMakesNoRoom(t *testing.T) {
	for threads, want := range map[int][2]int{1024: {1, 3}, 1000: {-1, 0}} {
		g := newGPU(t, "qos", 2, 32, 2)
		g.view.SMs[0].Capacity.Threads = threads
		g.arrive(0, 0, 64, 0)
		g.arrive(1, 0, 0, 0)
		g.policy.targets.Demand[0] = of(128)
		g.policy.targets.TBs[0], g.policy.targets.TBs[1] = []int{7, 0}, []int{3, 3}
		other, n := g.policy.choose(&g.view, 0, 0)
		require.Equal(t, want, [2]int{other, n})
	}
}

func TestNeitherTheLastThreadBlockNorTheLastTargetIsLost(t *testing.T) {
	for _, c := range []struct {
		target, tbs []int // of tenant 1, by SM
		want        int
	}{
		{[]int{1, 1}, []int{1, 1}, 1},
		{[]int{1, 1}, []int{1, 0}, -1},
		{[]int{1, 0}, []int{1, 1}, -1},
		{[]int{1, 1}, []int{0, 1}, 1},
	} {
		g := newGPU(t, "qos", 2, 4, 2)
		g.arrive(0, 0, 64, 0)
		g.arrive(1, 0, 0, 0)
		g.policy.targets.TBs[0], g.policy.targets.TBs[1] = []int{3, 0}, c.target
		for i, n := range c.tbs {
			g.view.SMs[i].TBs[1] = n
		}
		other, _ := g.policy.choose(&g.view, 0, 0)
		require.Equal(t, c.want, other, "%+v", c)
	}
}
