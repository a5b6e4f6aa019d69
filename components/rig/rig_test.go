package rig_test

import (
	"fmt"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

type note struct {
	sim.MsgMeta
	number int
}

func (n *note) Meta() *sim.MsgMeta { return &n.MsgMeta }

// wire is a block that passes on one message a cycle.
type wire struct {
	components.Module
	in, out *components.Port
}

func (w *wire) Tick(uint64) bool {
	m := w.in.Front()
	if m == nil || !w.out.Push(m) {
		return false
	}
	w.in.Pop()
	return true
}

// setUp is a wire between two peers: a sender and a taker.
func setUp(t rig.T) (b *rig.Bench, w *wire, from, to *rig.Peer[*note]) {
	b, w = rig.New(t, 1_000_000_000), &wire{}
	w.Init("Wire", b.Clock, w)
	w.in, w.out = w.NewPort("In", 2), w.NewPort("Out", 1)
	return b, w, rig.NewPeer[*note](b, "From", 1, w.in), rig.NewPeer[*note](b, "To", 2, w.out)
}

func notes(n int) (list []*note) {
	for i := range n {
		list = append(list, &note{number: i})
	}
	return list
}

func numbers(events []rig.Event[*note]) (list []int) {
	for _, e := range events {
		list = append(list, e.Msg.number)
	}
	return list
}

func TestScriptGoesOutAtItsCyclesInTheirOrder(t *testing.T) {
	b, _, from, to := setUp(t)
	n := notes(5)
	from.Send(900, n[4])
	from.Send(10, n[0], n[1])
	from.Send(20, n[3])
	from.Send(10, n[2])
	require.Equal(t, 5, from.Waiting())
	b.Run()
	require.Equal(t, []uint64{10, 11, 12, 20, 900}, rig.Cycles(from.Sent))
	require.Equal(t, []uint64{12, 13, 14, 22, 902}, rig.Cycles(to.Got))
	require.Equal(t, []int{0, 1, 2, 3, 4}, numbers(to.Got))
	require.Same(t, n[0], to.Got[0].Msg)
	require.Zero(t, from.Waiting())
}

func TestNextSendsAsFastAsItIsAcceptedUntilItEnds(t *testing.T) {
	b, _, from, to := setUp(t)
	made := 0
	from.Next = func() (*note, bool) { made++; return &note{number: made}, made <= 8 }
	from.Start()
	to.Deaf = rig.Before(100)
	b.RunTo(100)
	// Two wait at the sink and two at the wire.
	require.Equal(t, []uint64{0, 1, 2, 3}, rig.Cycles(from.Sent))
	require.Empty(t, to.Got)
	b.Run()
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8}, numbers(to.Got))
	require.Equal(t, uint64(100), to.Got[0].Cycle)
	require.Equal(t, 9, made)
}

func TestMuteAndDeafHoldMessagesBackAndLoseNone(t *testing.T) {
	b, _, from, to := setUp(t)
	from.Send(0, notes(6)...)
	from.Mute = func(c uint64) bool { return c%3 == 0 }
	to.Deaf = func(c uint64) bool { return c%4 != 0 }
	b.Run()
	require.Equal(t, []uint64{1, 2, 4, 5, 7, 10}, rig.Cycles(from.Sent))
	require.Equal(t, []uint64{4, 8, 12, 16, 20, 24}, rig.Cycles(to.Got))
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, numbers(to.Got))
}

// idle is a block that only has a port.
type idle struct{ components.Module }

func (*idle) Tick(uint64) bool { return false }

func TestWidthIsTheNumberOfMessagesInACycleEachWay(t *testing.T) {
	for width, want := range map[int][]uint64{0: {0, 1, 2}, 1: {0, 1, 2}, 2: {0, 0, 1}, 9: {0, 0, 0}} {
		b, m := rig.New(t, 1_000_000_000), &idle{}
		m.Init("Idle", b.Clock, m)
		port := m.NewPort("Port", 4)
		p := rig.NewPeer[*note](b, "Peer", 4, port)
		p.Width = width
		p.Send(0, notes(3)...)
		for _, n := range notes(3) {
			port.Push(n)
		}
		b.Run()
		require.Equal(t, want, rig.Cycles(p.Sent), "width %d", width)
		for i := range want {
			require.Equal(t, want[i]+1, p.Got[i].Cycle, "width %d", width)
		}
	}
}

func TestAnswersAreSentWhenTheyAreDueNotInTheOrderOfTheRequests(t *testing.T) {
	b := rig.New(t, 1_000_000_000)
	to, back := &wire{}, &wire{}
	for i, w := range []*wire{to, back} {
		w.Init(fmt.Sprintf("Wire[%d]", i), b.Clock, w)
		w.in, w.out = w.NewPort("In", 2), w.NewPort("Out", 1)
	}
	driver := rig.NewPeer[*note](b, "Driver", 2, to.in, back.out)
	memory := rig.NewPeer[*note](b, "Memory", 2, back.in, to.out)
	memory.Keep = rig.Copy[note]
	latency := []uint64{30, 10, 0}
	memory.Answer = func(cycle uint64, n *note) {
		due := cycle + latency[n.number]
		n.number += 100 // used again
		memory.Send(due, n)
	}
	driver.Send(5, notes(3)...)
	b.Run()
	require.Equal(t, []uint64{7, 8, 9}, rig.Cycles(memory.Got))
	require.Equal(t, []int{0, 1, 2}, numbers(memory.Got), "as they were when they came")
	require.Equal(t, []uint64{9, 18, 37}, rig.Cycles(memory.Sent))
	require.Equal(t, []int{102, 101, 100}, numbers(driver.Got))
}

func TestWatchAndTicksSeeWhatTheBlockDoes(t *testing.T) {
	b, w, from, _ := setUp(t)
	ticks := b.Ticks(&w.Module)
	left := rig.Watch[*note](b, w.out, sim.HookPosPortMsgSend)
	from.Send(7, notes(1)...)
	b.Run()
	require.Equal(t, []uint64{8}, rig.Cycles(*left))
	require.Equal(t, 2, *ticks, "one that moves the message, and one that finds no other")
	require.Equal(t, uint64(10), b.Cycle(), "the last edge, at which the taker finds no other")
}

func TestPeersOfTwoClocksKeepTheirOwn(t *testing.T) {
	b := rig.New(t, 1_000_000_000)
	slow := b.WithClock(250_000_000)
	w := &wire{}
	w.Init("Wire", b.Clock, w)
	w.in, w.out = w.NewPort("In", 8), w.NewPort("Out", 1)
	from, to := rig.NewPeer[*note](b, "From", 1, w.in), rig.NewPeer[*note](slow, "To", 2, w.out)
	from.Send(0, notes(3)...)
	b.Run()
	require.Equal(t, []uint64{0, 1, 2}, rig.Cycles(from.Sent))
	require.Equal(t, []uint64{1, 2, 3}, rig.Cycles(to.Got), "a message an edge of the slow clock")
}

// failed is a test that notes that it has failed.
type failed struct {
	testing.TB
	why string
}

func (f *failed) Helper() {}
func (f *failed) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	panic(f)
}

func TestMistakesFailTheTest(t *testing.T) {
	for want, f := range map[string]func(t rig.T){
		"rig: clock domain clock of 0 Hz: frequency must be above 0 Hz": func(t rig.T) { rig.New(t, 0) },
		"rig: Peer stands at 0 ports; valid: 1 or 2": func(t rig.T) {
			rig.NewPeer[*note](rig.New(t, 1e9), "Peer", 1)
		},
		"rig: link Peer.Port to Wire.In: a port is connected already": func(t rig.T) {
			b, w, _, _ := setUp(t)
			rig.NewPeer[*note](b, "Peer", 1, w.in)
		},
		"rig: modules still move after 1000 cycles": func(t rig.T) {
			b, _, from, _ := setUp(t)
			from.Next = func() (*note, bool) { return &note{}, true }
			from.Start()
			b.Limit = 1000
			b.Run()
		},
	} {
		bad := &failed{}
		require.Panics(t, func() { f(bad) })
		require.Equal(t, want, bad.why)
	}
}

func TestStoppedEngineEndsTheRun(t *testing.T) {
	b, _, from, to := setUp(t)
	from.Send(0, notes(5)...)
	to.Answer = func(_ uint64, n *note) {
		if n.number == 2 {
			b.Engine.Stop()
		}
	}
	b.Run()
	require.Len(t, to.Got, 3)
}

// strict is a block that knows no message, and may say so.
type strict struct {
	wire
	refuse bool
}

func (s *strict) Tick(uint64) bool {
	if s.refuse {
		s.in.Unknown()
	}
	return false
}

func TestBlockThatIgnoresAStrangerFailsTheTest(t *testing.T) {
	for _, refuse := range []bool{true, false} {
		bad := &failed{}
		b, s := rig.New(bad, 1_000_000_000), &strict{refuse: refuse}
		s.Init("Block", b.Clock, s)
		s.in = s.NewPort("In", 1)
		if refuse {
			rig.RefusesStrangers(b, s.in)
			require.EqualError(t, b.Engine.Err(), "Block.In: a *rig.Stranger came, which Block does not know")
			require.Panics(t, b.Run)
			require.Equal(t, "rig: Block.In: a *rig.Stranger came, which Block does not know", bad.why)
			continue
		}
		require.Panics(t, func() { rig.RefusesStrangers(b, s.in) })
		require.Equal(t, `rig: Block.In takes a message of unknown type: the simulation ends with <nil>, want "Block.In: a *rig.Stranger came, which Block does not know"`, bad.why)
	}
}

// racer is a block with a result that depends on the order of two ticks: they share a
// count.
type racer struct {
	components.Module
	count *int
	seen  []int
}

func (r *racer) Tick(cycle uint64) bool {
	*r.count++
	r.seen = append(r.seen, *r.count)
	return cycle < 20
}

func TestOrderOfModulesThatMattersFailsTheTest(t *testing.T) {
	for _, shared := range []bool{false, true} {
		bad := &failed{}
		run := func() {
			rig.InAnyOrder(bad, func(shuffle func(*rig.Bench)) [][]int {
				b := rig.New(t, 1_000_000_000)
				shuffle(b)
				counts := [2]int{}
				racers := [2]*racer{{count: &counts[0]}, {count: &counts[1]}}
				if shared {
					racers[1].count = &counts[0]
				}
				for i, r := range racers {
					r.Init(fmt.Sprintf("Racer[%d]", i), b.Clock, r)
					r.Start()
				}
				b.Run()
				return [][]int{racers[0].seen, racers[1].seen}
			})
		}
		if shared {
			require.Panics(t, run)
			require.Contains(t, bad.why, "rig: the order of modules changes the result")
		} else {
			run()
		}
	}
}
