package host

import (
	"fmt"
	"testing"

	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// step is a random step of a host program. Commands carry their number in the
// program: a kernel as its name, a copy as its address.
func step(t *rapid.T, number int) workload.Op {
	op := workload.Op{Sync: rapid.IntRange(0, 5).Draw(t, "sync") == 0, Async: rapid.IntRange(0, 3).Draw(t, "wait") > 0}
	stream := rapid.IntRange(0, 3).Draw(t, "stream")
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		op.CPU = compute(rapid.IntRange(1, 300).Draw(t, "cpu")).CPU
	case 1, 2:
		op.Stream, op.Addr, op.Bytes = stream, uint64(number), rapid.Uint64Range(1, 5000).Draw(t, "bytes")
		op.ToHost = rapid.Bool().Draw(t, "direction")
	default:
		op.Kernel = kernel(fmt.Sprint(number), stream, rapid.IntRange(1, 200).Draw(t, "cycles")).Kernel
	}
	return op
}

// numberOf is the number that a command carries.
func numberOf(op *workload.Op) (n int) {
	if op.Kernel != nil {
		_, _ = fmt.Sscan(op.Kernel.Name, &n)
		return n
	}
	return int(op.Addr)
}

// watcher follows commands and complains of any that breaks a rule.
type watcher struct {
	concurrent bool // kernels of one process
	t          *rapid.T
	processes  []Process
	issued     [][]int          // commands by process
	active     []map[int]string // commands that have not completed, and their engines, by process
	queues     map[int]bool     // with a command under way
}

func (w *watcher) issue(e CommandEvent) {
	ops, n := w.processes[e.Process].App.Ops, numberOf(e.Op)
	require.False(w.t, w.queues[e.Queue], "queue %d is not stalled", e.Queue)
	w.queues[e.Queue] = true
	done := map[int]bool{}
	for _, i := range w.issued[e.Process] {
		_, open := w.active[e.Process][i]
		done[i] = !open
		require.NotEqual(w.t, n, i, "command %d is issued twice", n)
	}
	for i := range n {
		before := &ops[i]
		if before.Kernel == nil && before.Bytes == 0 {
			continue
		}
		a, b := before.StreamOf(), e.Op.StreamOf()
		if a == b || a == 0 || b == 0 || !before.Async || e.Op.Sync {
			require.True(w.t, done[i], "command %d (stream %d) is issued before %d (stream %d) has completed", n, b, i, a)
		}
	}
	engine := "copy"
	if e.Op.Kernel != nil {
		engine = "execution"
		for _, other := range w.active[e.Process] {
			require.True(w.t, w.concurrent || engine != other, "a second kernel of a process is in the execution engine")
		}
	}
	w.issued[e.Process] = append(w.issued[e.Process], n)
	w.active[e.Process][n] = engine
}

func (w *watcher) complete(e CommandEvent) {
	require.True(w.t, w.queues[e.Queue])
	w.queues[e.Queue] = false
	require.Contains(w.t, w.active[e.Process], numberOf(e.Op))
	delete(w.active[e.Process], numberOf(e.Op))
}

// No command is lost, issued twice or reordered within a stream; a program that
// waits gets what it waits for; whatever the queues that streams share.
func TestCommandsKeepTheOrderOfTheirStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plain
		s.HardwareQueues = rapid.IntRange(1, 6).Draw(t, "queues")
		s.QueueDepth = rapid.IntRange(1, 4).Draw(t, "depth")
		s.CPUThreads = rapid.IntRange(1, 3).Draw(t, "threads")
		s.LaunchLatency = rapid.IntRange(0, 20).Draw(t, "latency")
		s.CopyLatency = rapid.IntRange(0, 20).Draw(t, "copy latency")
		bus := bus
		bus.Engines = rapid.IntRange(0, 3).Draw(t, "engines")
		bus.Duplex = rapid.Bool().Draw(t, "duplex")
		bus.Queue = rapid.IntRange(1, 3).Draw(t, "copies")
		bus.Scheduler = rapid.SampledFrom([]string{"fcfs", "npq"}).Draw(t, "scheduler")
		w := &watcher{t: t, queues: map[int]bool{}}
		for range rapid.IntRange(1, 4).Draw(t, "processes") {
			var ops []workload.Op
			for i := range rapid.IntRange(0, 12).Draw(t, "steps") {
				ops = append(ops, step(t, i))
			}
			ops = append(ops, kernel(fmt.Sprint(len(ops)), 0, 5))
			w.processes = append(w.processes, Process{App: app(ops...), Attributes: tenant.Attributes{
				Priority: rapid.IntRange(0, 2).Draw(t, "priority"),
				Arrival:  tenant.Moment{Cycles: rapid.Uint64Range(0, 500).Draw(t, "arrival")}}})
			w.issued, w.active = append(w.issued, nil), append(w.active, map[int]string{})
		}
		w.concurrent = rapid.Bool().Draw(t, "concurrent")
		r := buildWith(t, s, bus, w.concurrent, Listener{Issued: w.issue, Completed: w.complete}, w.processes...).run(1_000_000)
		require.NoError(t, r.Err())
		require.True(t, r.Done(), "a process is stuck")
		for i := range w.processes {
			commands := 0
			for _, op := range w.processes[i].App.Ops {
				if op.Kernel != nil || op.Bytes > 0 {
					commands++
				}
			}
			require.Len(t, w.issued[i], commands, "a command is lost")
			require.Empty(t, w.active[i])
			stats := r.Stats(0).Processes[i]
			require.Equal(t, uint64(commands), stats.Launches+stats.Copies)
			require.Equal(t, stats.FirstCompletion-stats.Arrived, stats.TurnaroundCycles)
		}
	})
}
