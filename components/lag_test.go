package components_test

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"

	"github.com/stretchr/testify/require"
)

// counter takes a message every few cycles, at each of its edges or long afterwards.
type counter struct {
	components.Module
	port     *components.Port
	interval uint64
	free     uint64 // first cycle at which it takes another message
	last     uint64
	taken    []uint64 // cycles
	behind   []uint64 // cycles of the calls of CatchUp
	lag      *components.Lag
}

func (c *counter) Tick(cycle uint64) bool {
	if c.lag != nil {
		c.CatchUp(c.Domain().At(cycle))
		return false
	}
	if c.port.Len() == 0 {
		return false
	}
	if cycle >= c.free && c.port.Pop() != nil {
		c.take(cycle)
	}
	return true
}

func (c *counter) take(cycle uint64) {
	c.taken = append(c.taken, cycle)
	c.free, c.last = cycle+c.interval, cycle
}

// next is the cycle at which it takes the first message of its port.
func (c *counter) next() uint64 {
	return max(c.free, uint64(c.port.FrontSince()/c.Domain().Period()))
}

func (c *counter) CatchUp(before components.Time) {
	d := c.Domain()
	c.behind = append(c.behind, uint64(d.Engine().Now()/d.Period()))
	for c.port.Len() > 0 {
		urgent, at := c.port.Urgent(), d.At(c.next())
		if at >= before {
			break
		}
		c.port.PopAt(at)
		c.take(uint64(at / d.Period()))
		if urgent {
			break // the sender acts on it
		}
	}
	switch {
	case c.port.Len() == 0:
		c.lag.Until(components.Never)
	case c.port.Urgent():
		c.lag.Until(d.At(c.next()) + 1)
	default:
		c.lag.Until(d.At(c.next() + 50))
	}
}

func (c *counter) Last(components.Time) components.Time { return c.Domain().At(c.last) }

func newCounter(b *rig.Bench, lags bool, interval uint64) *counter {
	c := &counter{interval: interval}
	c.Init("Counter", b.Clock, c)
	c.port = c.NewPort("Port", 4)
	if lags {
		c.lag = c.Lag(c, 50)
	}
	return c
}

// count has a Peer send balls to a counter, and returns the cycles at which they were sent
// and taken, and taken so far at some cycles.
func count(t *testing.T, lags bool, interval uint64, sends []uint64, shuffle func(*rig.Bench)) (seen [3][]uint64) {
	b := rig.New(t, 1_000_000_000)
	shuffle(b)
	c := newCounter(b, lags, interval)
	peer := rig.NewPeer[*ball](b, "Peer", 1, c.port)
	for _, cycle := range sends {
		peer.Send(cycle, &ball{})
	}
	for stop := uint64(13); stop < 500; stop += 13 {
		b.RunTo(stop)
		seen[0] = append(seen[0], uint64(len(c.taken)), uint64(c.port.Level()))
	}
	seen[1], seen[2] = rig.Cycles(peer.Sent), c.taken
	return seen
}

func TestLaggardShowsWhatItWouldShowAtItsEdges(t *testing.T) {
	for name, test := range map[string]struct {
		interval uint64
		sends    []uint64
	}{
		"room for all":      {1, []uint64{3, 4, 5, 40, 41, 90, 200}},
		"a sender waits":    {9, []uint64{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 120, 121, 122}},
		"full now and then": {4, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31, 32, 33, 34, 35, 200, 201, 202}},
	} {
		t.Run(name, func(t *testing.T) {
			rig.InAnyOrder(t, func(shuffle func(*rig.Bench)) [3][]uint64 {
				want := count(t, false, test.interval, test.sends, shuffle)
				got := count(t, true, test.interval, test.sends, shuffle)
				require.Equal(t, want, got)
				return got
			})
		})
	}
}

func TestLaggardIsLeftAloneUntilItsDeadline(t *testing.T) {
	b := rig.New(t, 1_000_000_000)
	clock := &recorder{tick: func(uint64) bool { return true }}
	clock.Init("Clock", b.Clock, clock)
	clock.Start()
	c := newCounter(b, true, 1)
	peer := rig.NewPeer[*ball](b, "Peer", 1, c.port)
	peer.Send(3, &ball{}, &ball{}, &ball{})
	b.RunTo(200)
	require.Equal(t, []uint64{4, 5, 6}, c.taken)
	// The first can be seen at 4 and has 50 cycles. The run's end is another look.
	require.Equal(t, []uint64{53, 199}, c.behind)
}

// courier sends a ball to its second port at the start, and another when the balls for its
// first have gone.
type courier struct {
	components.Module
	first, second *components.Port
	left          int    // balls for the first port
	sent          uint64 // cycle at which the last ball has gone
}

func (c *courier) Tick(cycle uint64) bool {
	switch {
	case cycle == 0:
		return c.second.Push(&ball{})
	case c.left > 0:
		if c.first.Push(&ball{}) {
			c.left--
			return true
		}
	case c.sent == 0 && c.second.Push(&ball{}):
		c.sent = cycle
	}
	return false
}

// until is a laggard that notes up to which instant it has been brought, and when.
type until struct {
	*counter
	calls [][2]components.Time // instant of the engine, and instant before which all is done
}

func (u *until) CatchUp(before components.Time) {
	u.calls = append(u.calls, [2]components.Time{u.Domain().Engine().Now(), before})
	u.counter.CatchUp(before)
}

// A laggard that makes room wakes a sender. Another laggard must not go past the message
// that the sender then has for it.
func TestLaggardsAreNotBroughtPastWhatAnotherSetsOff(t *testing.T) {
	for _, slowFirst := range []bool{true, false} {
		b := rig.New(t, 1_000_000_000)
		var slow *counter
		if slowFirst {
			slow = newCounter(b, true, 20)
		}
		other := &until{counter: newCounter(b, false, 1)}
		other.lag = other.Lag(other, 50)
		if !slowFirst {
			slow = newCounter(b, true, 20)
		}
		c := &courier{left: 6}
		c.Init("Courier", b.Clock, c)
		c.first, c.second = c.NewPort("First", 1), c.NewPort("Second", 1)
		b.Join(c.first, slow.port)
		b.Join(c.second, other.port)
		c.Start()
		b.RunTo(400)
		at := b.Clock.At(c.sent)
		require.NotZero(t, c.sent)
		for _, call := range other.calls {
			require.False(t, call[0] < at && call[1] > at+b.Clock.Period(), "brought to %d at %d, and a message comes at %d", call[1], call[0], at)
		}
	}
}
