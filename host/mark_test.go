package host

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// mark is a command of a stream that notes when it completes.
func mark(stream int, times *[]uint64) workload.Op {
	return workload.Op{Mark: true, Stream: stream, Async: true, Done: func(ns uint64) { *times = append(*times, ns) }}
}

// On the plain host a cycle is a nanosecond, and a kernel of n cycles that is seen at 1 has completed at n+2.
func TestMarksTakeNoTimeAndKeepTheirStreamsOrder(t *testing.T) {
	for _, ideal := range []bool{false, true} {
		s := plain
		s.Ideal = ideal
		var first, second, third []uint64
		r := finished(t, build(t, s, Listener{}, once(mark(1, &first), async(kernel("a", 1, 100)), mark(1, &second), mark(1, &third),
			async(kernel("b", 1, 10)))).run(10_000))
		require.Equal(t, []uint64{0}, first)
		require.Equal(t, []uint64{102}, second)
		require.Equal(t, []uint64{102}, third)
		require.Equal(t, []uint64{103}, r.times("b"), "as without marks")
		require.Zero(t, r.Stats(0).Processes[0].CopyCycles)
	}
}

// What the program waits for it sees at the same cycle.
func TestProgramGoesOnAtTheCycleOfItsMark(t *testing.T) {
	var done []uint64
	waiting := mark(2, &done)
	waiting.Async = false
	r := finished(t, build(t, plain, Listener{}, once(async(kernel("a", 2, 50)), waiting, kernel("b", 2, 10))).run(10_000))
	require.Equal(t, []uint64{52}, done)
	require.Equal(t, []uint64{53}, r.times("b"))
}

func TestMarkWaitsForWhatAnotherStreamDoes(t *testing.T) {
	var recorded, after []uint64
	wait := mark(2, &after)
	wait.After = func() bool { return len(recorded) > 0 }
	r := finished(t, build(t, plain, Listener{}, once(async(kernel("a", 1, 100)), mark(1, &recorded), wait, async(kernel("b", 2, 10)))).run(10_000))
	require.Equal(t, []uint64{102}, recorded)
	require.Equal(t, []uint64{102}, after)
	require.Equal(t, []uint64{103}, r.times("b"))
}

func TestProgramWaitsUntil(t *testing.T) {
	var recorded, next []uint64
	op := mark(3, &next)
	op.Until = func() bool { return len(recorded) > 0 }
	finished(t, build(t, plain, Listener{}, once(async(kernel("a", 1, 30)), mark(1, &recorded), op, kernel("b", 3, 5))).run(10_000))
	require.Equal(t, []uint64{32}, next)
}

// A copy with Done is a mark where the host leaves out copies, and takes its time elsewhere.
func TestCopyTellsWhenItIsDone(t *testing.T) {
	for ideal, want := range map[bool]uint64{true: 0, false: 103} {
		s := plain
		s.Ideal = ideal
		var done []uint64
		c := copyIn(1, 1600)
		c.Done = func(ns uint64) { done = append(done, ns) }
		finished(t, build(t, s, Listener{}, once(c, kernel("a", 1, 10))).run(10_000))
		require.Equal(t, []uint64{want}, done)
	}
}

// closing is a program that never ends, and notes that it is closed.
type closing struct{ closed int }

func (c *closing) Next() (workload.Op, bool, error) { return kernel("a", 0, 10), true, nil }

func (c *closing) Close() error { c.closed++; return nil }

func TestProgramsAreClosedOnceAtTheEnd(t *testing.T) {
	c := &closing{}
	app := &workload.App{Name: "app", KernelNames: []string{"a"}, Host: func() (workload.Host, error) { return c, nil }}
	r := build(t, plain, Listener{}, Process{App: app}).run(1000)
	require.NoError(t, r.Err())
	require.Zero(t, c.closed)
	r.Close()
	r.Close()
	require.Equal(t, 1, c.closed)
}

func TestNanosecondsOfCycles(t *testing.T) {
	require.Equal(t, uint64(822), nanoseconds(1000, 1_216_000_000))
	require.Equal(t, uint64(822_368_421_052_631), nanoseconds(1_000_000_000_000_000, 1_216_000_000))
}
