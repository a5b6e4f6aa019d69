package host

import (
	"errors"
	"testing"
	"time"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestProcessIsAnnouncedBeforeItsFirstKernelAndAfterItsLast(t *testing.T) {
	r := finished(t, build(t, plain, Listener{}, once(kernel("a", 0, 100))).run(10_000))
	r.run(10_000) // events under way when the last application ends
	// The kernel is seen at 1 and answered at 101, the answer seen at 102.
	require.Equal(t, []seen{{1, 0, "+"}, {1, 0, "a"}, {103, 0, "-"}}, r.log)
	require.Equal(t, uint64(102), r.Stats(0).Processes[0].FirstCompletion)
	require.Equal(t, []uint64{102}, r.Stats(0).Processes[0].Turnarounds)
}

func TestNextKernelFollowsTwoCyclesAfterTheEndOfTheOneBefore(t *testing.T) {
	for _, latency := range []int{0, 1, 50, 3000} {
		s := plain
		s.LaunchLatency = latency
		for _, ideal := range []bool{false, true} {
			s.Ideal = ideal
			r := finished(t, build(t, s, Listener{}, once(kernel("a", 0, 100), kernel("b", 0, 10), kernel("c", 0, 10))).run(100_000))
			l := uint64(latency)
			require.Equal(t, []uint64{1 + l}, r.times("a"))
			require.Equal(t, []uint64{1 + l + 100 + 2 + l}, r.times("b"))
			require.Equal(t, []uint64{1 + l + 100 + 2 + l + 10 + 2 + l}, r.times("c"))
		}
	}
}

func TestKernelThatWaitsForAnotherOfItsGraphHasALatencyOfItsOwn(t *testing.T) {
	graph := kernel("b", 0, 10)
	graph.Graph = true
	for _, inGraph := range []int{0, 20, 70} {
		s := plain
		s.LaunchLatency, s.GraphLaunchLatency = 50, inGraph
		r := finished(t, build(t, s, Listener{}, once(kernel("a", 0, 100), graph, kernel("c", 0, 10))).run(100_000))
		l := uint64(50)
		if inGraph == 20 {
			l = 20
		}
		require.Equal(t, []uint64{1 + 50 + 100 + 2 + l}, r.times("b"))
		require.Equal(t, []uint64{1 + 50 + 100 + 2 + l + 10 + 2 + 50}, r.times("c"))
	}
}

func TestQueueStallsUntilItsCommandHasCompleted(t *testing.T) {
	// All are in the queue at 0: the launches are asynchronous.
	var log []stamp
	r := finished(t, build(t, plain, stamps(&log), once(async(kernel("a", 0, 100)), async(workload.Op{Bytes: 1600, Async: true}),
		async(kernel("b", 0, 10)))).run(10_000))
	// The copy is issued when a's answer is seen, takes 50 cycles of the bus, or
	// 100 of the core, and the next edge of the bus each way.
	require.Equal(t, []stamp{{">a", 0}, {"<a", 102}, {">copy", 102}, {"<copy", 205}, {">b", 205}, {"<b", 217}}, log)
	s := r.Stats(0).Processes[0]
	require.Equal(t, uint64(102+205), s.QueueCycles)
	require.Equal(t, uint64(102+12), s.KernelCycles)
	require.Equal(t, uint64(103), s.CopyCycles)
	require.Equal(t, uint64(1600), s.BytesToDevice)
}

func TestCopyHasALatencyOfItsOwn(t *testing.T) {
	s := plain
	s.LaunchLatency, s.CopyLatency = 7, 40
	var log []stamp
	mark := workload.Op{Mark: true, Async: true}
	finished(t, build(t, s, stamps(&log), once(mark, async(kernel("a", 0, 100)), async(copyIn(0, 1600)), async(kernel("b", 0, 10)))).run(10_000))
	// The copy is seen at the edge at 150 and takes 50 cycles of the bus, 100 of the core.
	require.Equal(t, []stamp{{">a", 7}, {"<a", 109}, {">copy", 149}, {"<copy", 251}, {">b", 258}, {"<b", 270}}, log)
}

func TestCopyOfAnotherStreamOverlapsAKernel(t *testing.T) {
	var log []stamp
	finished(t, build(t, plain, stamps(&log), once(async(kernel("a", 1, 500)), async(copyIn(2, 1600)), async(kernel("b", 2, 10)))).run(10_000))
	// b's copy ends in the shadow of a; b itself waits for the execution engine.
	require.Equal(t, []stamp{{">a", 0}, {">copy", 0}, {"<copy", 103}, {"<a", 502}, {">b", 502}, {"<b", 514}}, log)
	log = nil
	finished(t, build(t, plain, stamps(&log), once(async(kernel("a", 1, 500)), async(copyIn(1, 1600)), async(kernel("b", 1, 10)))).run(10_000))
	require.Equal(t, []stamp{{">a", 0}, {"<a", 502}, {">copy", 502}, {"<copy", 605}, {">b", 605}, {"<b", 617}}, log, "in one stream they do not")
}

func TestKernelsOfSeveralStreamsAreInTheEngineAtOnce(t *testing.T) {
	var log []stamp
	finished(t, buildWith(t, plain, bus, true, stamps(&log), once(async(kernel("a", 1, 500)), async(kernel("b", 2, 100)), async(kernel("c", 2, 10)),
		async(kernel("d", 0, 10)))).run(10_000))
	// c follows b in its stream, while a runs; d, of the default stream, waits for
	// all of them.
	require.Equal(t, []stamp{{">a", 0}, {">b", 0}, {"<b", 102}, {">c", 102}, {"<c", 114}, {"<a", 502}, {">d", 502}, {"<d", 514}}, log)
}

func TestKernelsAtOnceAreNoMoreThanTheirCountersAllow(t *testing.T) {
	var ops []workload.Op
	for stream := range tenant.Kernels + 2 {
		ops = append(ops, async(kernel("k", stream+1, 100)))
	}
	at := finished(t, buildWith(t, plain, bus, true, Listener{}, once(ops...)).run(10_000)).times("k")
	require.Len(t, at, tenant.Kernels+2)
	require.Equal(t, []uint64{1, 1 + 102}, []uint64{at[tenant.Kernels-1], at[tenant.Kernels]})
}

func TestOneQueueHoldsKernelsOfAllItsStreamsBack(t *testing.T) {
	s := plain
	s.HardwareQueues = 1
	var log []stamp
	finished(t, buildWith(t, s, bus, true, stamps(&log), once(async(kernel("a", 1, 500)), async(kernel("b", 2, 100)))).run(10_000))
	require.Equal(t, []stamp{{">a", 0}, {"<a", 502}, {">b", 502}, {"<b", 604}}, log)
}

func TestCommandsOfTheDefaultStreamWaitForAllOthersAndTheyForThem(t *testing.T) {
	var log []stamp
	finished(t, build(t, plain, stamps(&log), once(async(kernel("a", 1, 500)), async(copyIn(0, 1600)), async(kernel("b", 2, 10)))).run(10_000))
	require.Equal(t, []stamp{{">a", 0}, {"<a", 502}, {">copy", 502}, {"<copy", 605}, {">b", 605}, {"<b", 617}}, log)
}

func TestSharedQueueMakesStreamsWaitForEachOther(t *testing.T) {
	ops := []workload.Op{async(kernel("a", 1, 500)), async(copyIn(2, 1600)), async(copyIn(3, 1600))}
	for queues, want := range map[int][]stamp{
		1: {{">a", 0}, {"<a", 502}, {">copy", 502}, {"<copy", 605}, {">copy", 605}, {"<copy", 707}},
		2: {{">a", 0}, {">copy", 0}, {"<copy", 103}, {"<a", 502}, {">copy", 502}, {"<copy", 605}}, // streams 1 and 3 share
		3: {{">a", 0}, {">copy", 0}, {">copy", 0}, {"<copy", 103}, {"<copy", 203}, {"<a", 502}},
	} {
		s := plain
		s.HardwareQueues = queues
		var log []stamp
		finished(t, build(t, s, stamps(&log), once(ops...)).run(10_000))
		require.Equal(t, want, log, "%d queues", queues)
	}
}

func TestFullQueueStallsTheProcess(t *testing.T) {
	s := plain
	s.QueueDepth = 1
	r := finished(t, build(t, s, Listener{}, once(async(kernel("a", 0, 100)), async(kernel("b", 0, 100)), compute(1000))).run(10_000))
	// b is submitted when a has completed, and only then the CPU phase begins.
	require.Equal(t, uint64(102+1000), r.Stats(0).Processes[0].FirstCompletion)
}

func TestCPUPhaseThatNeedsAResultWaitsForIt(t *testing.T) {
	for _, c := range []struct {
		ops  []workload.Op
		ends uint64
	}{
		{[]workload.Op{kernel("a", 0, 300), compute(500)}, 302 + 500},
		{[]workload.Op{async(kernel("a", 0, 300)), compute(500)}, 500},
		{[]workload.Op{async(kernel("a", 0, 300)), compute(100)}, 302}, // the run ends with its last command
		{[]workload.Op{async(kernel("a", 0, 300)), synced(compute(500))}, 302 + 500},
		{[]workload.Op{async(kernel("a", 0, 300)), {Sync: true}, compute(500)}, 302 + 500},
		{[]workload.Op{compute(500), kernel("a", 0, 300)}, 500 + 302},
	} {
		r := finished(t, build(t, plain, Listener{}, once(c.ops...)).run(10_000))
		require.Equal(t, c.ends, r.Stats(0).Processes[0].FirstCompletion, "%v", c.ops)
	}
}

func TestCPUPhasesShareTheHardwareThreadsInOrder(t *testing.T) {
	s := plain
	s.CPUThreads = 1
	type span struct {
		process  int
		from, to uint64
	}
	var spans []span
	l := Listener{CPU: func(p int, from, to uint64) { spans = append(spans, span{p, from, to}) }}
	short := []workload.Op{compute(100), kernel("a", 0, 10), compute(100)}
	r := finished(t, build(t, s, l, once(short...), once(compute(300), kernel("b", 0, 10)), once(compute(50), kernel("c", 0, 10))).run(10_000))
	require.Equal(t, []span{{0, 0, 100}, {1, 100, 400}, {2, 400, 450}, {0, 450, 550}}, spans)
	require.Equal(t, uint64(400), r.Stats(0).Processes[2].CPUWaitCycles)
	require.Equal(t, uint64(450-112), r.Stats(0).Processes[0].CPUWaitCycles)
	require.Equal(t, uint64(200), r.Stats(0).Processes[0].CPUCycles)
}

func TestCPUPhaseIsChargedAsItPasses(t *testing.T) {
	s := plain
	s.CPUThreads = 1
	r := build(t, s, Listener{}, once(compute(100), kernel("a", 0, 10)), once(compute(300), kernel("b", 0, 10)))
	for _, cycle := range []uint64{1, 50, 100, 101, 250, 400, 401, 500} {
		r.run(cycle)
		p := r.Stats(cycle).Processes
		require.Equal(t, [2]uint64{min(cycle, 100), min(max(cycle, 100), 400) - 100}, [2]uint64{p[0].CPUCycles, p[1].CPUCycles}, "at %d", cycle)
	}
}

func TestIdealHostLeavesOutCPUPhasesAndCopies(t *testing.T) {
	s := plain
	s.Ideal = true
	r := finished(t, build(t, s, Listener{}, once(compute(500), copyIn(0, 1<<20), kernel("a", 0, 100), copyIn(0, 1<<20), kernel("b", 0, 10), compute(9))).run(10_000))
	require.Equal(t, []uint64{1, 103}, append(r.times("a"), r.times("b")...))
	require.Equal(t, ProcessStats{Completions: 1, FirstCompletion: 114, Turnarounds: []uint64{114}, TurnaroundCycles: 114, Launches: 2,
		KernelCycles: 102 + 12}, r.Stats(0).Processes[0])
}

func TestKernelsOfSeveralProcessesReachTheDriverAtOneEdge(t *testing.T) {
	r := finished(t, build(t, plain, Listener{}, once(kernel("a", 0, 7)), once(kernel("b", 0, 7)), once(kernel("c", 0, 7))).run(10_000))
	require.Equal(t, []seen{{1, 0, "+"}, {1, 1, "+"}, {1, 2, "+"}, {1, 0, "a"}, {1, 1, "b"}, {1, 2, "c"}}, r.log[:6])
}

func TestProcessArrivesAtItsCycle(t *testing.T) {
	late := once(kernel("b", 0, 100))
	late.Arrival.Cycles, late.Priority = 5000, 3
	r := build(t, plain, Listener{}, once(kernel("a", 0, 100)), late)
	require.True(t, r.run(2000).Waiting(), "a process is to arrive")
	finished(t, r.run(100_000))
	require.Equal(t, []seen{{1, 0, "+"}, {1, 0, "a"}, {103, 0, "-"}, {5001, 1, "+"}, {5001, 1, "b"}}, r.log)
	require.Equal(t, uint64(5102), r.Stats(0).Processes[1].FirstCompletion)
	require.Equal(t, []uint64{102}, r.Stats(0).Processes[1].Turnarounds, "from its arrival")
	require.Equal(t, uint64(5000), r.Stats(0).Processes[1].Arrived)
}

func TestProcessesAreReplayedUntilEachHasCompletedSoOften(t *testing.T) {
	short, long := once(kernel("s", 0, 100)), once(kernel("l", 0, 1000))
	for _, p := range []*Process{&short, &long} {
		p.Restart, p.Runs = true, 3
	}
	r := finished(t, build(t, plain, Listener{}, short, long).run(100_000))
	stats := r.Stats(0).Processes
	require.Equal(t, uint64(3), stats[1].Completions)
	require.Equal(t, []uint64{1002, 1002, 1002}, stats[1].Turnarounds)
	require.Equal(t, uint64(3006/102), stats[0].Completions)
	require.Equal(t, 102.0, stats[0].MeanTurnaround())
	require.Equal(t, r.Clock.At(3006), r.Engine.Now())
	require.Len(t, r.times("+"), 2, "a process that starts again does not leave")
	require.Empty(t, r.times("-"))
}

func TestRestartedProcessGoesOnForEver(t *testing.T) {
	r := build(t, plain, Listener{}, Process{App: app(kernel("a", 0, 8)), Restart: true}).run(30_000)
	require.False(t, r.Done())
	s := r.Stats(0).Processes[0]
	require.Equal(t, uint64(2999), s.Completions)
	require.Len(t, s.Turnarounds, maxTurnarounds)
	require.Equal(t, 10.0, s.MeanTurnaround())
}

func TestProcessWithoutRestartEndsAfterItsRuns(t *testing.T) {
	twice := once(kernel("a", 0, 100))
	twice.Runs = 2
	r := finished(t, build(t, plain, Listener{}, twice, once(kernel("b", 0, 1000))).run(100_000))
	require.Equal(t, uint64(2), r.Stats(0).Processes[0].Completions)
	require.Equal(t, []uint64{205}, r.times("-"))
}

// counting is a host program that launches a kernel a number of times, as a program
// would that looks at a flag in memory.
type counting struct {
	op   workload.Op
	left int
	err  error
}

func (c *counting) Next() (workload.Op, bool, error) {
	if c.left == 0 {
		return workload.Op{}, false, c.err
	}
	c.left--
	return c.op, true, nil
}

func TestHostProgramDecidesAfterEachKernelWhatComesNext(t *testing.T) {
	hosted := app(kernel("k", 0, 100))
	started := 0
	hosted.Host = func() (workload.Host, error) {
		started++
		return &counting{op: hosted.Ops[0], left: started}, nil
	}
	r := build(t, plain, Listener{}, Process{App: hosted, Restart: true}).run(102 * 6)
	require.Equal(t, []uint64{102, 204}, r.Stats(0).Processes[0].Turnarounds)
	require.Equal(t, 3, started)
}

func TestErrorOfTheHostProgramEndsTheSimulation(t *testing.T) {
	hosted := app(kernel("k", 0, 100))
	hosted.Host = func() (workload.Host, error) {
		return &counting{op: hosted.Ops[0], left: 1, err: errors.New("lost")}, nil
	}
	r := build(t, plain, Listener{}, Process{App: hosted}).run(10_000)
	require.EqualError(t, r.Err(), "lost")
	require.False(t, r.Done())
	require.Equal(t, r.Clock.At(102), r.Engine.Now())

	hosted.Host = func() (workload.Host, error) { return nil, errors.New("no program") }
	require.EqualError(t, build(t, plain, Listener{}, Process{App: hosted}).run(10_000).Err(), "no program")
	hosted.Host = func() (workload.Host, error) { return &counting{}, nil }
	require.EqualError(t, build(t, plain, Listener{}, Process{App: hosted, Restart: true}).run(10_000).Err(), "app: the application launches no kernel")
}

func TestStepsBeyondWhatCanBeSimulatedAreRefused(t *testing.T) {
	for want, op := range map[string]workload.Op{
		"app: a CPU phase of -1ns; valid: from 0 to the end of what can be simulated, 18446744073709550 cycles from the start":                                                {CPU: -1},
		"app: a copy of 18446744073709551615 bytes takes 576460752303423488 cycles of the bus; valid: no more than can be simulated, 18446744073709550 cycles from the start": {Bytes: 1<<64 - 1},
	} {
		r := build(t, plain, Listener{}, once(op, kernel("a", 0, 1))).run(10_000)
		require.EqualError(t, r.Err(), want)
	}
	_, err := Builder{}.WithSpec(plain).WithBus(known(bus)).WithDomain(build(t, plain, Listener{}, once(kernel("a", 0, 1))).Clock).
		WithProcesses([]Process{{App: app(kernel("a", 0, 1)), Attributes: tenant.Attributes{Arrival: tenant.Moment{Cycles: 1 << 63}}}}).Build("Host")
	require.EqualError(t, err, "app: arrival is cycle 9223372036854775808, must be 0 to 18446744073709550")
}

func TestDurationsAreRoundedUpToCycles(t *testing.T) {
	require.Equal(t, uint64(0), tenant.CyclesOf(0, 706_000_000))
	require.Equal(t, uint64(1), tenant.CyclesOf(1, 706_000_000))
	require.Equal(t, uint64(706), tenant.CyclesOf(time.Microsecond, 706_000_000))
	require.Equal(t, uint64(707), tenant.CyclesOf(1001, 706_000_000))
	require.Equal(t, uint64(0), tenant.CyclesOf(-5, 706_000_000))
	require.Equal(t, ^uint64(0), tenant.CyclesOf(1<<63-1, 100_000_000_000))
}

func TestSpecNamesTheFieldThatIsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"launch_latency is -1, must be 0 to 1000000": func(s *Spec) { s.LaunchLatency = -1 },
		"hardware_queues is 0, must be 1 to 1024":    func(s *Spec) { s.HardwareQueues = 0 },
		"queue_depth is 65537, must be 1 to 65536":   func(s *Spec) { s.QueueDepth = 65537 },
		"cpu_threads is 0, must be 1 to 1024":        func(s *Spec) { s.CPUThreads = 0 },
	} {
		s := plain
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
	r := build(t, plain, Listener{}, once(kernel("a", 0, 1)))
	_, err := Builder{}.WithSpec(plain).WithDomain(r.Clock).WithProcesses([]Process{once(kernel("a", 0, 1))}).Build("Host")
	require.EqualError(t, err, "Host: no bus, which only an ideal host does without")
	_, err = Builder{}.WithSpec(plain).WithBus(known(bus)).WithDomain(r.Clock).WithProcesses([]Process{{App: app(copyIn(0, 5))}}).Build("Host")
	require.EqualError(t, err, "app: the application launches no kernel")
	_, err = Builder{}.WithSpec(plain).WithDomain(r.Clock).WithProcesses(make([]Process, 17)).Build("Host")
	require.EqualError(t, err, "17 applications, must be 1 to 16")
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	for _, port := range []func(*Host) *components.Port{func(h *Host) *components.Port { return h.Driver }, func(h *Host) *components.Port { return h.Copies }} {
		r := build(t, plain, Listener{}, once(kernel("a", 0, 100)))
		rig.RefusesStrangers(r.Bench, port(r.Host))
		require.NoError(t, r.Err(), "it is no error of the input")
	}
}
