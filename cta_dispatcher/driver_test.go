package dispatcher

import (
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestThreadBlocksGoOutInOrderAndOnce(t *testing.T) {
	k := kernel("k", 9)
	b := newBench(t, setup{tenants: tenants(app(k))})
	b.run(10_000)
	require.Equal(t, [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}}, b.ids(0))
	require.True(t, b.host.Done())
	require.NoError(t, b.driver.Err())
	s := k.Source.(*source)
	require.Equal(t, []int{1, 1, 9, 9}, []int{s.opened, s.closed, s.next, s.recycled})
	require.Empty(t, s.out)
}

func TestFirstThreadBlocksReachEverySMOneACycle(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("k", 4)))})
	b.run(10_000)
	require.Equal(t, []placed{{sm: 0, id: 0, at: 2}, {sm: 1, id: 1, at: 2}, {sm: 0, id: 2, at: 3}, {sm: 1, id: 3, at: 3}}, b.log)
}

func TestThreadBlocksForAllSMsLeaveAnIntervalApart(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("k", 6))), start: Spec{TBInterval: 3, TBLatency: 20}})
	b.run(10_000)
	require.Equal(t, []placed{{sm: 0, id: 0, at: 22}, {sm: 1, id: 1, at: 25}, {sm: 0, id: 2, at: 28}, {sm: 1, id: 3, at: 31}}, b.log[:4])
	// The first is reported at 122, which is seen at 123; the last interval ended at 14.
	require.Equal(t, []placed{{sm: 0, id: 4, at: 144}, {sm: 1, id: 5, at: 147}}, b.log[4:])
}

// In bounds of their own, as instances have, tenants do not wait for each other's thread blocks.
func TestIntervalsOfTenantsInDifferentBoundsAreTheirOwn(t *testing.T) {
	b := newBench(t, setup{sms: 2, tenants: tenants(app(kernel("a", 2)), app(kernel("b", 2))),
		bounds: []policy.Range{{First: 0, End: 1}, {First: 1, End: 2}}, start: Spec{TBInterval: 3, TBLatency: 20}})
	b.run(10_000)
	at := map[int][]uint64{}
	for _, p := range b.log {
		at[p.sm] = append(at[p.sm], p.at)
	}
	require.Equal(t, map[int][]uint64{0: {22, 25}, 1: {22, 25}}, at)
}

func TestFinishedThreadBlockMakesRoomForTheNext(t *testing.T) {
	b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("k", 3)))})
	b.run(10_000)
	// The first reaches the SM at 2 and is reported at 102; the report is seen
	// at 103, and its successor a cycle later.
	require.Equal(t, placed{id: 2, at: 104}, b.log[2])
}

func TestNextKernelStartsTwoCyclesAfterTheLastReport(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("a", 3), kernel("b", 1), kernel("c", 2)))})
	b.run(100_000)
	require.Equal(t, [][]int{{0, 1, 2}, {0}, {0, 1}}, b.ids(0))
	launches := b.driver.Stats().Tenants[0].Launches
	// The host's launch is seen at 1. The last of a reaches its SM at 3, is
	// reported at 103 and seen at 104; the host hears of it at 105. b and c need
	// a cycle each way beside the thread block's own time.
	require.Equal(t, []LaunchRecord{{"a", 0, 3, 1, 104}, {"b", 0, 1, 106, 106 + 102}, {"c", 0, 2, 210, 210 + 102}}, launches)
	require.Equal(t, launches[1].Start+1, b.log[3].at)
}

func TestEachLaunchHasANumberOfItsOwn(t *testing.T) {
	b := newBench(t, setup{tenants: []host.Process{{App: app(kernel("a", 1), kernel("b", 1)), Restart: true}}})
	b.run(450)
	var numbers []uint64
	for _, p := range b.log {
		numbers = append(numbers, p.launch)
	}
	require.Equal(t, []uint64{0, 1, 2, 3, 4}, numbers)
}

func TestLaunchesOfOneKernelHaveItsCode(t *testing.T) {
	twice := app(kernel("a", 1), kernel("b", 1), kernel("a", 1))
	b := newBench(t, setup{tenants: tenants(twice)})
	b.run(10_000)
	require.Equal(t, []uint32{0, 1, 0}, b.codes)
	b = newBench(t, setup{sms: 1, tenants: tenants(app(kernel("a", 1)), app(kernel("a", 1)))})
	b.run(10_000)
	require.Equal(t, []uint32{0, 1}, b.codes, "another tenant's is another")
}

func TestLaunchesOfTheFirstRunAreRecorded(t *testing.T) {
	twice := host.Process{App: app(kernel("a", 1), kernel("b", 1)), Restart: true}
	b := newBench(t, setup{sms: 4, tenants: []host.Process{twice, {App: app(kernel("once", 1))}}})
	b.run(1000)
	// One kernel takes 104 cycles: 9 have ended by then, the tenth is running.
	stats := b.driver.Stats().Tenants
	require.Equal(t, TenantStats{LaunchesStarted: 10, LaunchesCompleted: 9, TBsPlaced: 10, TBsCompleted: 9,
		Launches: []LaunchRecord{{"a", 0, 1, 1, 103}, {"b", 0, 1, 105, 207}}}, stats[0])
	require.Equal(t, uint64(1), stats[1].LaunchesCompleted)
}

func TestUnfinishedLaunchHasNoEnd(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("a", 1), kernel("b", 1)))})
	b.run(150)
	require.Equal(t, []LaunchRecord{{"a", 0, 1, 1, 103}, {"b", 0, 1, 105, 0}}, b.driver.Stats().Tenants[0].Launches)
}

func TestFailureOfTheInputEndsTheSimulation(t *testing.T) {
	for _, c := range []struct {
		fail  func(s *source)
		want  string
		at    uint64
		count int // thread blocks that went out
	}{
		{func(s *source) { s.failOpen = true }, "bad: cannot open", 105, 1},
		{func(s *source) { s.failNext = 1 }, "bad: thread block 0 is malformed", 105, 1},
		{func(s *source) { s.failNext = 6 }, "bad: thread block 5 is malformed", 310, 1 + 5},
		{func(s *source) { s.failClose = true }, "bad: too much input", 412, 1 + 6},
	} {
		bad := kernel("bad", 6)
		c.fail(bad.Source.(*source))
		b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("good", 1), bad, kernel("never", 1)))})
		b.run(1_000_000)
		require.EqualError(t, b.driver.Err(), c.want)
		require.False(t, b.host.Done())
		require.Equal(t, b.domain.At(c.at), b.engine.Now(), c.want)
		require.Len(t, b.log, c.count, c.want)
		stats := *b.driver.Stats()
		b.run(1_000_000) // leftovers change nothing
		require.Equal(t, stats, *b.driver.Stats())
		require.EqualError(t, b.driver.Err(), c.want)
	}
}

func TestCloseClosesTheKernelsThatAreActive(t *testing.T) {
	done, active, waiting := kernel("done", 1), kernel("active", 1), kernel("waiting", 1)
	b := newBench(t, setup{tenants: tenants(app(done, active, waiting))})
	b.run(150)
	b.driver.Close()
	for _, c := range []struct {
		k      *workload.Kernel
		opened int
	}{{done, 1}, {active, 1}, {waiting, 0}} {
		s := c.k.Source.(*source)
		require.Equal(t, c.opened, s.opened, c.k.Name)
		require.Equal(t, c.opened, s.closed, c.k.Name)
	}
}

func TestThreadBlockLargerThanAnSMIsRefused(t *testing.T) {
	for _, c := range []struct {
		change func(k *workload.Kernel)
		want   string
	}{
		{func(k *workload.Kernel) { k.Block.X = 257 }, "app: kernel b: a thread block takes 257 threads, an SM has 256"},
		{func(k *workload.Kernel) { k.RegistersPerTB = 1025 }, "app: kernel b: a thread block takes 1025 registers, an SM has 1024"},
		{func(k *workload.Kernel) { k.SharedBytesPerTB = 4097 }, "app: kernel b: a thread block takes 4097 bytes of shared memory, an SM has 4096"},
		{func(k *workload.Kernel) { k.Grid.Y = 0 }, "app: kernel b: grid (1,0,1) has no thread block"},
	} {
		k := kernel("b", 1)
		c.change(k)
		a := app(kernel("a", 1), k)
		require.EqualError(t, (&Spec{}).Check([]SM{{Capacity: small}, {Capacity: small}}, a), c.want)
		b := newBench(t, setup{tenants: tenants(a)}) // or a host program that creates the kernel as it runs
		b.run(10_000)
		require.EqualError(t, b.driver.Err(), c.want)
	}
}

func TestBuildRefusesWhatCannotRun(t *testing.T) {
	_, err := build(t, setup{})
	require.EqualError(t, err, "0 applications, must be 1 to 16")
	_, err = build(t, setup{tenants: tenants(slices.Repeat([]*workload.App{app(kernel("k", 1))}, 17)...)})
	require.EqualError(t, err, "17 applications, must be 1 to 16")
}

func TestDemandCountsTheRegistersAndWarpsOfAThreadBlock(t *testing.T) {
	k := kernel("k", 1)
	k.Block, k.RegistersPerTB, k.SharedBytesPerTB = workload.Dim3{X: 11, Y: 3, Z: 2}, 660, 12
	require.Equal(t, occupancy.Demand{TBs: 1, Threads: 66, Warps: 3, Registers: 660, SharedBytes: 12}, DemandOf(k))
}

// policyFunc is a policy made of a function.
type policyFunc func(v *policy.View, a policy.Actions)

func (policyFunc) Needs() policy.Needs { return policy.Needs{} }

func (f policyFunc) Decide(v *policy.View, a policy.Actions) { f(v, a) }

func TestPolicyIsAskedAtEveryEventWithTheViewUpToDate(t *testing.T) {
	type seen struct {
		event                     policy.Event
		active                    []int
		present, waiting, running [2]int
		used                      int // thread blocks on the SMs
	}
	var log []seen
	fcfs, _ := policy.Parse("fcfs")
	one := small
	one.TBs = 1
	b := newBench(t, setup{capacity: one, tenants: tenants(app(kernel("a", 1)), app(kernel("b", 2), kernel("c", 1))),
		policy: policyFunc(func(v *policy.View, a policy.Actions) {
			s := seen{event: v.Event, active: append([]int(nil), v.Active...), used: v.SMs[0].Usage.TBs + v.SMs[1].Usage.TBs}
			for i, tenant := range v.Tenants {
				if tenant.Present {
					s.present[i] = 1
				}
				s.waiting[i], s.running[i] = tenant.Waiting, tenant.Running
			}
			log = append(log, s)
			fcfs.Decide(v, a)
		})})
	b.run(10_000)
	require.Equal(t, []seen{
		{policy.KernelArrived, []int{0, 1}, [2]int{1, 1}, [2]int{1, 2}, [2]int{0, 0}, 0},
		{policy.KernelFinished, []int{1}, [2]int{1, 1}, [2]int{0, 1}, [2]int{0, 1}, 1},
		{policy.TBFinished, []int{1}, [2]int{1, 1}, [2]int{0, 0}, [2]int{0, 1}, 1},
		// The host has found that the first application has ended.
		{policy.KernelFinished, []int{1}, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 1}, 1},
		{policy.KernelFinished, nil, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 0}, 0},
		{policy.KernelArrived, []int{1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 0}, 0},
		{policy.KernelFinished, nil, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 0}, 0},
	}, log)
	require.Equal(t, uint64(len(log)), b.driver.Stats().PolicyCalls)
}

func TestPolicySeesWhoHasArrivedInWhichOrderAndItsPriority(t *testing.T) {
	late, early := tenants(app(kernel("late", 1)))[0], tenants(app(kernel("early", 3)))[0]
	late.Arrival.Cycles, late.Priority, early.Arrival.Cycles, early.Priority = 150, 7, 50, -2
	fcfs, _ := policy.Parse("fcfs")
	one := small
	one.TBs = 1
	var log [][2]policy.Tenant
	b := newBench(t, setup{sms: 1, capacity: one, tenants: []host.Process{late, early}, policy: policyFunc(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.KernelArrived {
			log = append(log, [2]policy.Tenant(v.Tenants))
		}
		fcfs.Decide(v, a)
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	require.Len(t, log, 2)
	require.False(t, log[0][0].Present)
	require.Equal(t, []int{0, -2}, []int{log[0][1].Rank, log[0][1].Priority})
	require.Equal(t, []int{1, 7, 0}, []int{log[1][0].Rank, log[1][0].Priority, log[1][1].Rank})
	require.Equal(t, uint64(51), b.driver.Stats().Tenants[1].Launches[0].Start)
}

func TestAccountOfEachTenantIsKept(t *testing.T) {
	a, c := kernel("a", 2), kernel("c", 1)
	a.RegistersPerTB, c.Block.X = 10, 64
	done := false
	b := newBench(t, setup{tenants: tenants(app(a), app(c)), policy: policyFunc(func(v *policy.View, act policy.Actions) {
		if v.Event == policy.KernelArrived && len(v.Active) == 2 {
			act.Place(0, 1)
			act.Place(0, 1)
			act.Place(1, 0)
			require.Equal(t, []int{2, 0}, v.SMs[1].TBs)
			require.Equal(t, occupancy.Demand{TBs: 2, Threads: 64, Warps: 2, Registers: 20}, v.SMs[1].Tenants[0])
			require.Equal(t, v.SMs[1].Tenants[0], v.SMs[1].Usage.Demand)
			require.Equal(t, occupancy.Demand{TBs: 1, Threads: 64, Warps: 2}, v.SMs[0].Tenants[1])
			done = true
		}
		if v.Event == policy.TBFinished {
			require.Equal(t, []int{1, 0}, v.SMs[1].TBs)
			require.Equal(t, occupancy.Demand{TBs: 1, Threads: 32, Warps: 1, Registers: 10}, v.SMs[1].Tenants[0])
		}
	})})
	b.run(10_000)
	require.True(t, done && b.host.Done())
	require.Equal(t, policy.SM{Capacity: b.driver.ledger.view.SMs[1].Capacity, TBs: []int{0, 0}, Leaving: []int{0, 0}, Tenants: make([]occupancy.Demand, 2)}, b.driver.ledger.view.SMs[1])
}

func TestMemoryIsUsedAgain(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("k", 9)))})
	b.run(10_000)
	require.Equal(t, 8, b.driver.tbs.Get().ID)
	require.Equal(t, 8, b.driver.reports.Get().TB.ID)
}

func TestThreadBlockNeedsOneSMOnWhichItFits(t *testing.T) {
	large := small
	large.Registers *= 2
	mixed := []SM{{Capacity: small}, {Capacity: large, Kind: 1}}
	k := kernel("k", 1)
	k.RegistersPerTB = 2048
	require.NoError(t, (&Spec{}).Check(mixed, app(k)))
	k.RegistersPerTB = 2049
	require.EqualError(t, (&Spec{}).Check(mixed, app(k)), "app: kernel k: a thread block takes 2049 registers, an SM has 2048",
		"what it lacks where least is missing")
}
