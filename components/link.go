package components

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// stockLinkFreq is the clock of the connection to a stock port, fast enough never to
// delay a message.
const stockLinkFreq = 1000 * sim.GHz

// Link joins two ports, in both directions. It implements sim.Connection. Between two
// Ports a message goes straight into the receiver's ring. A stock DirectConnection
// joins a Port and a stock Akita port. It delivers after the modules have ticked, so
// the order of their ticks does not matter to the stock component either.
type Link struct {
	sim.HookableBase
	ends    [2]sim.Port
	buffers [2]int // messages that the stock connection holds for each sender
	stock   *sim.DirectConnection
}

// Connect joins two Ports by a link of the given latency: a message pushed at
// an edge is seen delay edges of the receiver's clock later, at least 1.
func Connect(a, b *Port, delay uint64) (*Link, error) {
	if delay < 1 {
		return nil, fmt.Errorf("link %s to %s: latency is %d cycles, must be at least 1", a.name, b.name, delay)
	}
	if a.Connected() || b.Connected() {
		return nil, fmt.Errorf("link %s to %s: a port is connected already", a.name, b.name)
	}
	a.delay, b.delay = delay, delay
	l := &Link{}
	l.PlugIn(a, 0)
	l.PlugIn(b, 0)
	return l, nil
}

// Join connects a Port with a Port, by a link of the least latency, or with a stock
// Akita port. Between a Port and a stock port a message takes the same time, up to the
// receiver's next edge.
func Join(a, b sim.Port) (*Link, error) {
	ours, okA := a.(*Port)
	other, okB := b.(*Port)
	switch {
	case okA && okB:
		return Connect(ours, other, 1)
	case !okA && !okB:
		return nil, fmt.Errorf("link %s to %s: both are foreign ports, which a connection of their own kind joins", a.Name(), b.Name())
	case okA && ours.Connected() || okB && other.Connected():
		return nil, fmt.Errorf("link %s to %s: a port is connected already", a.Name(), b.Name())
	}
	l := &Link{}
	l.PlugIn(a, 1)
	l.PlugIn(b, 1)
	return l, nil
}

// PlugIn attaches a port. A link has two ends, and at least one must be a Port. The
// size of the buffer on the sender's side, at least 1, matters only to a stock port at
// either end; between Ports the receiver's ring is the buffer.
func (l *Link) PlugIn(port sim.Port, sourceSideBufSize int) {
	i := 0
	if l.ends[0] != nil {
		i = 1
	}
	if l.ends[i] != nil {
		panic("a link has two ends: " + port.Name())
	}
	l.ends[i], l.buffers[i] = port, max(sourceSideBufSize, 1)
	port.SetConnection(l)
	if l.ends[1-i] != nil {
		l.join()
	}
}

func (l *Link) join() {
	a, okA := l.ends[0].(*Port)
	b, okB := l.ends[1].(*Port)
	if okA && okB {
		a.peer, b.peer = b, a
		a.feed, b.feed = b.outlet, a.outlet
		return
	}
	ours := a
	if okB {
		ours = b
	}
	if ours == nil {
		panic("a link needs a Port at one end: " + l.ends[0].Name())
	}
	l.stock = sim.NewDirectConnection(ours.name+".Link", ours.engine, stockLinkFreq)
	for i, end := range l.ends {
		l.stock.PlugIn(end, l.buffers[i])
		end.SetConnection(l)
	}
}

// Unplug detaches a port. Messages on their way to or from a stock port are lost.
func (l *Link) Unplug(port sim.Port) {
	for i, end := range l.ends {
		if p, ok := end.(*Port); ok {
			p.peer, p.feed = nil, nil
		}
		if end == port {
			port.SetConnection(nil)
			l.ends[i] = nil
		}
	}
	l.stock = nil
}

// CanSend reports whether the link takes a message from a port now.
func (l *Link) CanSend(src sim.Port) bool {
	if l.stock != nil {
		return l.stock.CanSend(src)
	}
	p, ok := src.(*Port)
	return ok && p.peer != nil && p.CanPush()
}

// Send carries a message to the other end from the port that its Meta names as source.
func (l *Link) Send(msg sim.Msg) *sim.SendError {
	meta := msg.Meta()
	if l.stock != nil {
		meta.Dst = l.ends[0]
		if meta.Src == l.ends[0] {
			meta.Dst = l.ends[1]
		}
		return l.stock.Send(msg)
	}
	if p, ok := meta.Src.(*Port); ok && p.peer != nil && p.Push(msg) {
		return nil
	}
	return errFull
}

// NotifyAvailable tells the stock connection that a port has room again.
func (l *Link) NotifyAvailable(now sim.VTimeInSec, port sim.Port) {
	if l.stock != nil {
		l.stock.NotifyAvailable(now, port)
	}
}
