package components_test

import (
	"errors"
	"fmt"
	"sort"
	"testing"
	"time"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// job is an event that does something.
type job struct {
	at        sim.VTimeInSec
	secondary bool
	do        func()
}

func (j *job) Time() sim.VTimeInSec   { return j.at }
func (j *job) Handler() sim.Handler   { return j }
func (j *job) IsSecondary() bool      { return j.secondary }
func (j *job) Handle(sim.Event) error { j.do(); return nil }

// plannedEvent is an event of the order property, and the events that it
// schedules when it runs, some of them at its own time.
type plannedEvent struct {
	at        sim.VTimeInSec
	secondary bool
	children  []*plannedEvent
}

// genEvents draws events on the grids of the domains, off every grid, closer
// together than a time unit, and beyond the ring of every domain.
func genEvents(t *rapid.T, hz []uint64, from sim.VTimeInSec, depth int) []*plannedEvent {
	n := rapid.IntRange(1, 6).Draw(t, "events")
	events := make([]*plannedEvent, 0, n)
	for range n {
		at := from
		horizon := rapid.SampledFrom([]float64{1e-9, 1e-8, 1e-6}).Draw(t, "horizon")
		switch rapid.IntRange(0, 3).Draw(t, "where") {
		case 0:
			f := sim.Freq(rapid.SampledFrom(hz).Draw(t, "clock"))
			at = f.NextTick(from + sim.VTimeInSec(rapid.Float64Range(0, horizon).Draw(t, "ahead")))
		case 1:
			at = from + sim.VTimeInSec(rapid.Float64Range(0, horizon).Draw(t, "ahead"))
		case 2:
			at = from + sim.VTimeInSec(rapid.Float64Range(0, 1e-18).Draw(t, "little"))
		}
		ev := &plannedEvent{at: at, secondary: rapid.Bool().Draw(t, "secondary")}
		if depth > 0 && rapid.Bool().Draw(t, "parent") {
			ev.children = genEvents(t, hz, at, depth-1)
		}
		events = append(events, ev)
	}
	return events
}

// modelOrder is the order that an engine must run the events in: by time, at
// one time primary before secondary, then first come first served.
func modelOrder(roots []*plannedEvent) []*plannedEvent {
	queue := append([]*plannedEvent{}, roots...)
	var order []*plannedEvent
	for len(queue) > 0 {
		sort.SliceStable(queue, func(i, j int) bool {
			if queue[i].at != queue[j].at {
				return queue[i].at < queue[j].at
			}
			return !queue[i].secondary && queue[j].secondary
		})
		ev := queue[0]
		queue = append(queue[1:len(queue):len(queue)], ev.children...)
		order = append(order, ev)
	}
	return order
}

func TestEventsRunByTimeThenPhaseThenFirstComeFirstServed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hz := []uint64{1216e6, 1753e6, 700e6, 924e6}[:rapid.IntRange(1, 4).Draw(rt, "domains")]
		e, _ := engineWith(t, hz...)
		roots := genEvents(rt, append(hz, 1e9), 0, 3)
		var got []*plannedEvent
		var schedule func(ev *plannedEvent)
		schedule = func(ev *plannedEvent) {
			e.Schedule(&job{ev.at, ev.secondary, func() {
				require.Equal(rt, ev.at, e.CurrentTime())
				got = append(got, ev)
				for _, child := range ev.children {
					schedule(child)
				}
			}})
		}
		for _, ev := range roots {
			schedule(ev)
		}
		require.NoError(rt, e.Run())
		want := modelOrder(roots)
		require.Len(rt, got, len(want))
		for i := range want {
			require.Same(rt, want[i], got[i], "event %d", i)
		}
	})
}

func TestFarFutureAndNearEventsOfOneEdgeKeepTheirOrder(t *testing.T) {
	e, d := engineWith(t, 1e9)
	var order []string
	at := sim.VTimeInSec(float64(5000) / 1e9)
	add := func(name string, secondary bool) {
		e.Schedule(&job{at, secondary, func() { order = append(order, name) }})
	}
	add("far secondary", true)
	add("far 1", false)
	add("far 2", false)
	near := &job{at: sim.VTimeInSec(float64(4900) / 1e9)}
	near.do = func() { add("near secondary", true); add("near", false) }
	e.Schedule(near)
	require.NoError(t, e.Run())
	require.Equal(t, []string{"far 1", "far 2", "near", "far secondary", "near secondary"}, order)
	require.Equal(t, d[0].At(5000), e.Now())
}

func TestModulesTickBeforeSecondaryEventsOfTheirEdge(t *testing.T) {
	e, d := engineWith(t, 1e9)
	var order []string
	m := &recorder{tick: func(c uint64) bool { order = append(order, fmt.Sprintf("tick %d", c)); return false }}
	m.Init("M", d[0], m)
	e.Schedule(&job{3e-9, true, func() { order = append(order, "secondary") }})
	m.WakeAt(3)
	e.Schedule(&job{3e-9, false, func() { order = append(order, "primary") }})
	require.NoError(t, e.Run())
	require.Equal(t, []string{"tick 3", "primary", "secondary"}, order)
}

func TestScheduleInThePastPanics(t *testing.T) {
	e, _ := engineWith(t, 1e9)
	e.Schedule(&job{at: 5e-9, do: func() {
		require.Panics(t, func() { e.Schedule(&job{at: 4.9e-9}) })
	}})
	require.NoError(t, e.Run())
}

func TestRunUntilStopsBeforeItsLimit(t *testing.T) {
	e, d := engineWith(t, 1e9)
	m := &recorder{tick: func(c uint64) bool { return c < 20 }}
	m.Init("M", d[0], m)
	m.Start()
	require.True(t, e.RunUntil(d[0].At(10)))
	require.Equal(t, d[0].At(9), e.Now())
	require.True(t, e.RunUntil(d[0].At(10)+1))
	require.Equal(t, d[0].At(10), e.Now())
	require.False(t, e.RunUntil(components.Never))
	require.Equal(t, d[0].At(20), e.Now())
}

func TestStopEndsRunAfterTheInstant(t *testing.T) {
	e, d := engineWith(t, 1e9)
	ticks := 0
	m := &recorder{tick: func(c uint64) bool {
		if ticks++; c == 7 {
			e.Stop()
		}
		return c < 20
	}}
	m.Init("M", d[0], m)
	m.Start()
	require.NoError(t, e.Run())
	require.Equal(t, 8, ticks)
	require.NoError(t, e.Run(), "goes on from there")
	require.Equal(t, 21, ticks)
}

func TestEndHandlersGetTheLastTime(t *testing.T) {
	e, _ := engineWith(t, 1e9)
	e.Schedule(&job{at: 4.2e-9, do: func() {}})
	require.NoError(t, e.Run())
	var got []sim.VTimeInSec
	for range 2 {
		e.RegisterSimulationEndHandler(endHandler(func(now sim.VTimeInSec) { got = append(got, now) }))
	}
	e.Finished()
	require.Equal(t, []sim.VTimeInSec{4.2e-9, 4.2e-9}, got)
}

type endHandler func(sim.VTimeInSec)

func (h endHandler) Handle(now sim.VTimeInSec) { h(now) }

func TestPauseHoldsTheSimulationUntilContinue(t *testing.T) {
	e, d := engineWith(t, 1e9)
	var cycle uint64
	stop := false
	m := &recorder{tick: func(c uint64) bool { cycle = c; return !stop }}
	m.Init("M", d[0], m)
	m.Start()
	done := make(chan error)
	go func() { done <- e.Run() }()
	last := uint64(0)
	for range 20 {
		e.Pause()
		e.Pause() // a second Pause changes nothing
		held := cycle
		require.GreaterOrEqual(t, held, last)
		time.Sleep(100 * time.Microsecond)
		require.Equal(t, held, cycle)
		last = held
		e.Continue()
		e.Continue()
	}
	e.Pause()
	stop = true
	e.Continue()
	require.NoError(t, <-done)
	require.Positive(t, cycle)
}

func TestPauseAndContinueFromManyGoroutines(t *testing.T) {
	e, d := engineWith(t, 1e9)
	s := &spinner{left: 200_000}
	s.Init("S", d[0], s)
	s.Start()
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 200 {
				e.Pause()
				e.Continue()
			}
			done <- struct{}{}
		}()
	}
	require.NoError(t, e.Run())
	for range 4 {
		<-done
	}
	require.Zero(t, s.left)
}

func TestFailedEngineStopsForGoodAndKeepsTheFirstError(t *testing.T) {
	e, d := engineWith(t, 1e9)
	m := &recorder{tick: func(c uint64) bool {
		if c >= 7 {
			e.Fail(fmt.Errorf("at %d", c))
			e.Fail(errors.New("later"))
		}
		return true
	}}
	m.Init("M", d[0], m)
	m.Start()
	require.NoError(t, e.Err())
	require.EqualError(t, e.Run(), "at 7")
	require.True(t, e.RunUntil(components.Never), "what is left is not run")
	require.Equal(t, d[0].At(7), e.Now())
	require.EqualError(t, e.Err(), "at 7")
}
