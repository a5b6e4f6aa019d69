package dispatcher

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestThreadBlocksGoOutInOrderAndOnce(t *testing.T) {
	k := kernel("k", 9)
	b := newBench(t, setup{tenants: tenants(app(k))})
	b.run(10_000)
	require.Equal(t, [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}}, b.ids(0))
	require.True(t, b.driver.Done())
	require.NoError(t, b.driver.Err())
	s := k.Source.(*source)
	require.Equal(t, []int{1, 1, 9, 9}, []int{s.opened, s.closed, s.next, s.recycled})
	require.Empty(t, s.out)
}

func TestFirstThreadBlocksReachEverySMOneACycle(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("k", 4)))})
	b.run(10_000)
	require.Equal(t, []placed{{sm: 0, id: 0, at: 1}, {sm: 1, id: 1, at: 1}, {sm: 0, id: 2, at: 2}, {sm: 1, id: 3, at: 2}}, b.log)
}

func TestFinishedThreadBlockMakesRoomForTheNext(t *testing.T) {
	b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("k", 3)))})
	b.run(10_000)
	// The first reaches the SM at 1 and is reported at 101; the report is seen
	// at 102, and its successor a cycle later.
	require.Equal(t, placed{id: 2, at: 103}, b.log[2])
}

func TestNextKernelStartsAfterTheLastReport(t *testing.T) {
	for _, latency := range []int{0, 1, 50, 3000} {
		b := newBench(t, setup{spec: Spec{LaunchLatency: latency}, tenants: tenants(app(kernel("a", 3), kernel("b", 1), kernel("c", 2)))})
		b.run(100_000)
		require.Equal(t, [][]int{{0, 1, 2}, {0}, {0, 1}}, b.ids(0))
		launches := b.driver.Stats().Tenants[0].Launches
		// The last of a reaches its SM at 2, is reported at 102 and seen at 103;
		// b and c need a cycle each way beside the thread block's own time.
		gap := uint64(latency)
		require.Equal(t, []LaunchRecord{{"a", 3, 0, 103}, {"b", 1, 103 + gap, 103 + gap + 102},
			{"c", 2, 205 + 2*gap, 205 + 2*gap + 102}}, launches)
		require.Equal(t, launches[1].Start+1, b.log[3].at)
	}
}

func TestEachLaunchHasANumberOfItsOwn(t *testing.T) {
	b := newBench(t, setup{tenants: []Tenant{{App: app(kernel("a", 1), kernel("b", 1)), Restart: true}}})
	b.run(450)
	var numbers []uint64
	for _, p := range b.log {
		numbers = append(numbers, p.launch)
	}
	require.Equal(t, []uint64{0, 1, 2, 3, 4}, numbers)
}

func TestCopiesAreSkipped(t *testing.T) {
	a := &workload.App{Name: "app", Ops: []workload.Op{{Bytes: 1}, {Bytes: 1}, {Kernel: kernel("a", 1)}, {Bytes: 1}, {Kernel: kernel("b", 1)}, {Bytes: 1}}}
	b := newBench(t, setup{tenants: tenants(a)})
	b.run(10_000)
	stats := b.driver.Stats().Tenants[0]
	require.True(t, b.driver.Done())
	require.Equal(t, uint64(2), stats.LaunchesCompleted)
	require.Equal(t, stats.Launches[0].End, stats.Launches[1].Start)
	require.Equal(t, stats.Launches[1].End+1, stats.FirstCompletion)
	b = newBench(t, setup{tenants: []Tenant{{App: a, Restart: true}}})
	b.run(1000)
	require.Greater(t, b.driver.Stats().Tenants[0].Completions, uint64(2))
}

func TestEngineStopsWithTheLastApplication(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("short", 1)), app(kernel("long", 20)))})
	b.run(1_000_000)
	last := b.driver.Stats().Tenants[1].FirstCompletion
	require.Equal(t, b.domain.At(last-1), b.engine.Now())
	require.Less(t, b.driver.Stats().Tenants[0].FirstCompletion, last)
}

func TestRestartedApplicationIsCounted(t *testing.T) {
	b := newBench(t, setup{sms: 4, tenants: []Tenant{{App: app(kernel("a", 1), kernel("b", 1)), Restart: true}, {App: app(kernel("once", 1))}}})
	b.run(1000)
	// One kernel takes 102 cycles: 9 have ended by then, the tenth is running.
	stats := b.driver.Stats().Tenants
	require.Equal(t, TenantStats{LaunchesStarted: 10, LaunchesCompleted: 9, TBsPlaced: 10, TBsCompleted: 9, Completions: 4, FirstCompletion: 205,
		Launches: []LaunchRecord{{"a", 1, 0, 102}, {"b", 1, 102, 204}}}, stats[0])
	require.Equal(t, uint64(1), stats[1].Completions)
	require.False(t, b.driver.Done())
}

func TestUnfinishedLaunchHasNoEnd(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("a", 1), kernel("b", 1)))})
	b.run(150)
	require.Equal(t, []LaunchRecord{{"a", 1, 0, 102}, {"b", 1, 102, 0}}, b.driver.Stats().Tenants[0].Launches)
}

func TestProgressIsTheShareOfFinishedThreadBlocks(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("a", 4)), app(kernel("b", 4)))})
	require.Zero(t, b.driver.Progress())
	b.run(104)
	require.Equal(t, 0.5, b.driver.Progress())
	b.run(10_000)
	require.Equal(t, 1.0, b.driver.Progress())
}

func TestProgressOfRestartedApplicationsStaysAtOne(t *testing.T) {
	b := newBench(t, setup{tenants: []Tenant{{App: app(kernel("a", 1)), Restart: true}}})
	b.run(10_000)
	require.Equal(t, 1.0, b.driver.Progress())
}

func TestFailureOfTheInputEndsTheSimulation(t *testing.T) {
	for _, c := range []struct {
		fail  func(s *source)
		want  string
		at    uint64
		count int // thread blocks that went out
	}{
		{func(s *source) { s.failOpen = true }, "bad: cannot open", 102, 1},
		{func(s *source) { s.failNext = 1 }, "bad: thread block 0 is malformed", 102, 1},
		{func(s *source) { s.failNext = 6 }, "bad: thread block 5 is malformed", 307, 1 + 5},
		{func(s *source) { s.failClose = true }, "bad: too much input", 409, 1 + 6},
	} {
		bad := kernel("bad", 6)
		c.fail(bad.Source.(*source))
		b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("good", 1), bad, kernel("never", 1)))})
		b.run(1_000_000)
		require.EqualError(t, b.driver.Err(), c.want)
		require.False(t, b.driver.Done())
		require.Equal(t, b.domain.At(c.at), b.engine.Now(), c.want)
		require.Len(t, b.log, c.count, c.want)
		stats := *b.driver.Stats()
		b.run(1_000_000) // what is left over changes nothing
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
	} {
		k := kernel("b", 1)
		c.change(k)
		_, err := build(t, setup{tenants: tenants(app(kernel("a", 1), k))})
		require.EqualError(t, err, c.want)
	}
}

func TestBuildRefusesWhatCannotRun(t *testing.T) {
	_, err := build(t, setup{spec: Spec{LaunchLatency: -1}, tenants: tenants(app(kernel("k", 1)))})
	require.EqualError(t, err, "Driver: launch_latency is -1 cycles, must be 0 to 1000000")
	_, err = build(t, setup{})
	require.EqualError(t, err, "0 applications, must be 1 to 16")
	_, err = build(t, setup{tenants: make([]Tenant, 17)})
	require.EqualError(t, err, "17 applications, must be 1 to 16")
	_, err = build(t, setup{tenants: tenants(&workload.App{Name: "copies", Ops: []workload.Op{{Bytes: 1}}})})
	require.EqualError(t, err, "copies: the application launches no kernel")
}

func TestDemandCountsTheRegistersAndWarpsOfAThreadBlock(t *testing.T) {
	k := kernel("k", 1)
	k.Block, k.RegistersPerTB, k.SharedBytesPerTB = workload.Dim3{X: 11, Y: 3, Z: 2}, 660, 12
	require.Equal(t, occupancy.Demand{TBs: 1, Threads: 66, Warps: 3, Registers: 660, SharedBytes: 12}, DemandOf(k))
}

// policyFunc is a policy made of a function.
type policyFunc func(v *policy.View, p policy.Placer)

func (f policyFunc) Decide(v *policy.View, p policy.Placer) { f(v, p) }

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
		policy: policyFunc(func(v *policy.View, p policy.Placer) {
			s := seen{event: v.Event, active: append([]int(nil), v.Active...), used: v.SMs[0].Usage.TBs + v.SMs[1].Usage.TBs}
			for i, tenant := range v.Tenants {
				if tenant.Present {
					s.present[i] = 1
				}
				s.waiting[i], s.running[i] = tenant.Waiting, tenant.Running
			}
			log = append(log, s)
			fcfs.Decide(v, p)
		})})
	b.run(10_000)
	require.Equal(t, []seen{
		{policy.KernelArrived, []int{0}, [2]int{1, 1}, [2]int{1, 0}, [2]int{0, 0}, 0},
		{policy.KernelArrived, []int{0, 1}, [2]int{1, 1}, [2]int{0, 2}, [2]int{1, 0}, 1},
		{policy.KernelFinished, []int{1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1}, 1},
		{policy.TBFinished, []int{1}, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 1}, 1},
		{policy.KernelFinished, nil, [2]int{0, 1}, [2]int{0, 0}, [2]int{0, 0}, 0},
		{policy.KernelArrived, []int{1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 0}, 0},
		{policy.KernelFinished, nil, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0}, 0},
	}, log)
	require.Equal(t, uint64(len(log)), b.driver.Stats().PolicyCalls)
}

func TestAccountOfEachTenantIsKept(t *testing.T) {
	a, c := kernel("a", 2), kernel("c", 1)
	a.RegistersPerTB, c.Block.X = 10, 64
	done := false
	b := newBench(t, setup{tenants: tenants(app(a), app(c)), policy: policyFunc(func(v *policy.View, p policy.Placer) {
		if v.Event == policy.KernelArrived && len(v.Active) == 2 {
			p.Place(0, 1)
			p.Place(0, 1)
			p.Place(1, 0)
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
	require.True(t, done && b.driver.Done())
	require.Equal(t, policy.SM{Capacity: b.driver.view.SMs[1].Capacity, TBs: []int{0, 0}, Tenants: make([]occupancy.Demand, 2)}, b.driver.view.SMs[1])
}

func TestMemoryIsUsedAgain(t *testing.T) {
	b := newBench(t, setup{tenants: tenants(app(kernel("k", 9)))})
	b.run(10_000)
	require.Equal(t, 8, b.driver.blocks.Get().ID)
	require.Equal(t, 8, b.driver.reports.Get().TB.ID)
}

func TestPreemptedThreadBlocksWaitInOrderBesideNewOnes(t *testing.T) {
	k := kernelStatus{kernel: kernel("k", 9), issued: 4}
	require.Equal(t, 5, k.waiting())
	first, second := &workload.TB{ID: 3}, &workload.TB{ID: 1}
	k.preempted.push(preemptedTB{tb: first, context: 0x100})
	k.preempted.push(preemptedTB{tb: second, context: 0x200})
	require.Equal(t, 7, k.waiting())
	require.Equal(t, preemptedTB{first, 0x100}, k.preempted.pop())
	require.Equal(t, preemptedTB{second, 0x200}, k.preempted.pop())
	require.Equal(t, 5, k.waiting())
}
