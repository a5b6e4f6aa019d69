package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// link makes two recorders joined by their ports. The sender ticks first when
// both tick at one instant.
func link(t *testing.T, a, b *components.Domain, depth int, delay uint64) (from, to *recorder, out, in *components.Port) {
	t.Helper()
	return linkInOrder(t, a, b, depth, delay, true)
}

// linkInOrder is link with either of the two ticking first, if they have one
// clock.
func linkInOrder(t *testing.T, a, b *components.Domain, depth int, delay uint64, senderFirst bool) (from, to *recorder, out, in *components.Port) {
	t.Helper()
	idle := func(uint64) bool { return false }
	from, to = &recorder{tick: idle}, &recorder{tick: idle}
	if senderFirst {
		from.Init("From", a, from)
	}
	to.Init("To", b, to)
	if !senderFirst {
		from.Init("From", a, from)
	}
	out, in = from.NewPort("Out", 1), to.NewPort("In", depth)
	_, err := components.Connect(out, in, delay)
	require.NoError(t, err)
	return from, to, out, in
}

func TestMessageIsSeenAtTheNextEdgeWhicheverModuleTicksFirst(t *testing.T) {
	for _, senderFirst := range []bool{true, false} {
		e, d := engineWith(t, 1e9)
		from, to, out, in := linkInOrder(t, d[0], d[0], 4, 1, senderFirst)
		msg := &ball{}
		from.tick = func(c uint64) bool {
			if c == 2 {
				require.True(t, out.Push(msg))
			}
			return c < 5
		}
		var seen []uint64
		to.tick = func(c uint64) bool {
			if in.Front() != nil {
				require.Same(t, msg, in.Front())
				seen = append(seen, c)
			}
			return c < 5
		}
		from.Start()
		to.Start()
		require.NoError(t, e.Run())
		require.Equal(t, []uint64{3, 4, 5}, seen)
	}
}

func TestMessageWakesASleepingReceiverAfterExactlyTheLinksDelay(t *testing.T) {
	for _, delay := range []uint64{1, 2, 7, 511, 512, 513, 5000} {
		e, d := engineWith(t, 1e9)
		from, to, out, in := link(t, d[0], d[0], 4, delay)
		from.tick = func(uint64) bool { return !out.Push(&ball{}) }
		var ticks []uint64
		to.tick = func(c uint64) bool {
			ticks = append(ticks, c)
			return in.Pop() == nil
		}
		from.WakeAt(3)
		require.NoError(t, e.Run())
		require.Equal(t, []uint64{3 + delay}, ticks)
	}
}

// The receiver sees a message at its own first edge after the push, and not at
// the same instant even if the edges coincide.
func TestMessageAcrossClocksIsSeenAtTheReceiversNextEdge(t *testing.T) {
	for _, hz := range [][2]uint64{{1216e6, 700e6}, {700e6, 1216e6}, {1e9, 1e9}, {1e9, 3e9}, {924e6, 1753e6}} {
		for _, delay := range []uint64{1, 3} {
			e, d := engineWith(t, hz[0], hz[1])
			from, to, out, in := link(t, d[0], d[1], 1, delay)
			var pushed []components.Time
			from.tick = func(uint64) bool {
				if len(pushed) < 2000 && out.Push(&ball{}) {
					pushed = append(pushed, e.Now())
				}
				return len(pushed) < 2000
			}
			seen := 0
			to.tick = func(c uint64) bool {
				if in.Pop() == nil {
					return false
				}
				want := uint64(pushed[seen]/d[1].Period()) + delay
				require.Equal(t, want, c, "message %d", seen)
				seen++
				return true
			}
			from.Start()
			require.NoError(t, e.Run())
			require.Equal(t, 2000, seen)
		}
	}
}

func TestRoomMadeAtAnInstantIsUsedAfterItWhicheverModuleTicksFirst(t *testing.T) {
	for _, senderFirst := range []bool{true, false} {
		e, d := engineWith(t, 1e9)
		from, to, out, in := linkInOrder(t, d[0], d[0], 1, 1, senderFirst)
		var pushed, refused, popped []uint64
		from.tick = func(c uint64) bool {
			if len(pushed) == 3 {
				return false
			}
			if !out.CanPush() {
				require.False(t, out.Push(&ball{}))
				refused = append(refused, c)
				return false
			}
			require.True(t, out.Push(&ball{}))
			pushed = append(pushed, c)
			return true
		}
		to.tick = func(c uint64) bool {
			if c < 10 || in.Pop() == nil {
				return false
			}
			popped = append(popped, c)
			return true
		}
		from.Start()
		to.WakeAt(10)
		from.WakeAt(10) // asks at the very instant at which room is made
		require.NoError(t, e.Run())
		require.Equal(t, []uint64{0, 11, 13}, pushed)
		require.Equal(t, []uint64{10, 12, 14}, popped)
		require.Contains(t, refused, uint64(10))
	}
}

func TestTwoEntriesSustainOneMessagePerCycle(t *testing.T) {
	e, d := engineWith(t, 1e9)
	from, to, out, in := link(t, d[0], d[0], 2, 1)
	from.tick = func(c uint64) bool { return c < 1000 && out.Push(&ball{}) }
	received := 0
	to.tick = func(uint64) bool {
		if in.Pop() == nil {
			return false
		}
		received++
		return true
	}
	from.Start()
	require.NoError(t, e.Run())
	require.Equal(t, 1000, received)
	require.Equal(t, d[0].At(1001), e.Now(), "the last push is at 999, then two ticks find nothing to do")
}

func TestConnectErrors(t *testing.T) {
	_, d := engineWith(t, 1e9)
	m := &recorder{}
	m.Init("M", d[0], m)
	a, b, c := m.NewPort("A", 1), m.NewPort("B", 1), m.NewPort("C", 1)
	_, err := components.Connect(a, b, 0)
	require.EqualError(t, err, "link M.A to M.B: latency is 0 cycles, must be at least 1")
	l, err := components.Connect(a, b, 1)
	require.NoError(t, err)
	_, err = components.Connect(c, b, 1)
	require.EqualError(t, err, "link M.C to M.B: a port is connected already")
	require.PanicsWithValue(t, "a link has two ends: M.C", func() { l.PlugIn(c, 1) })

	l.Unplug(a)
	require.False(t, a.Connected())
	require.False(t, l.CanSend(b), "the other end is open")
	l.PlugIn(c, 1)
	require.True(t, b.CanPush())
	require.True(t, c.Push(&ball{}))
	require.Equal(t, 1, b.Len())
}

// Akita's names for the same operations.
func TestPortsServeAsAkitaPorts(t *testing.T) {
	e, d := engineWith(t, 1e9)
	from, to, out, in := link(t, d[0], d[0], 1, 1)
	var port sim.Port = out
	from.tick = func(c uint64) bool {
		require.Equal(t, c != 1, port.CanSend())
		if c < 2 {
			require.Equal(t, c == 0, port.Send(&ball{}) == nil)
		}
		return c == 0
	}
	to.tick = func(uint64) bool {
		require.NotNil(t, in.Peek())
		require.Same(t, in.Peek(), in.Retrieve(e.CurrentTime()))
		require.Nil(t, in.Peek())
		require.Nil(t, in.Retrieve(e.CurrentTime()))
		return false
	}
	from.Start()
	e.RunUntil(d[0].At(3))
	require.Equal(t, []sim.Port{in}, to.Ports())
	require.Same(t, in, to.GetPortByName("In"))
	require.Same(t, in, to.GetPortByName("To.In"))
	require.Nil(t, to.GetPortByName("Out"))
	require.Same(t, &to.Module, in.Component())
	require.Equal(t, "To.In", in.Name())
	require.Equal(t, 1, in.Depth())
}

func TestWakeAtTicksOnceAtEachEdgeAskedFor(t *testing.T) {
	e, d := engineWith(t, 1e9)
	asked := []uint64{3, 5, 100, 511, 512, 513, 1024, 1025, 9999}
	m := &recorder{}
	var ticks []uint64
	m.tick = func(c uint64) bool {
		ticks = append(ticks, c)
		if c == 3 {
			for range 3 { // asked again, nearer now: still one tick each
				for _, a := range asked {
					m.WakeAt(a)
				}
			}
		}
		return false
	}
	m.Init("M", d[0], m)
	for _, a := range asked {
		m.WakeAt(a)
		m.WakeAt(a)
	}
	require.NoError(t, e.Run())
	// At edge 3 the edge 3 stands for the next one.
	require.Equal(t, append([]uint64{3, 4}, asked[1:]...), ticks)
}

func TestWakeAtAPastEdgeMeansTheNextOne(t *testing.T) {
	e, d := engineWith(t, 1e9, 700e6)
	var ticks []uint64
	sleeper := &recorder{tick: func(c uint64) bool { ticks = append(ticks, c); return false }}
	sleeper.Init("Sleeper", d[1], sleeper)
	waker := &recorder{tick: func(c uint64) bool {
		sleeper.WakeAt(0)
		return false
	}}
	waker.Init("Waker", d[0], waker)
	waker.WakeAt(1001)
	require.NoError(t, e.Run())
	require.Equal(t, []uint64{701}, ticks) // 1001 ns is between edges 700 and 701
}

func TestSleepingModulesDoNotTick(t *testing.T) {
	e, d := engineWith(t, 1e9)
	ticks := make([]int, 3)
	for i := range ticks {
		m := &recorder{tick: func(uint64) bool { ticks[i]++; return false }}
		m.Init(fmt.Sprintf("M[%d]", i), d[0], m)
		if i > 0 {
			m.Start()
		}
	}
	s := &spinner{left: 10_000}
	s.Init("Spinner", d[0], s)
	s.Start()
	require.NoError(t, e.Run())
	require.Equal(t, []int{0, 1, 1}, ticks)
}

func TestAnnouncedPortSetsItsBitWithEveryMessage(t *testing.T) {
	e, d := engineWith(t, 1e9)
	from, _, out, in := link(t, d[0], d[0], 2, 3)
	set := uint64(0b100)
	in.Announce(&set, 0b010)
	from.tick = func(c uint64) bool {
		require.Equal(t, uint64(0b100), set)
		require.True(t, out.Push(&ball{}))
		require.Equal(t, uint64(0b110), set, "although it cannot be seen yet")
		set = 0b100
		return c < 1
	}
	from.Start()
	require.NoError(t, e.Run())
}
