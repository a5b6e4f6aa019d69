package components

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// errFull is Send's error when there is no room; shared, so that a full buffer does
// not allocate.
var errFull = sim.NewSendError()

// arrival is a message in a port's incoming buffer.
type arrival struct {
	msg sim.Msg
	at  Time // first instant at which the owner may see it
}

// Port is a module's end of a connection, with a ring of incoming messages. It
// implements sim.Port. Blocks use Push, Front and Pop; Akita components use Send, Peek
// and Retrieve, which do the same.
type Port struct {
	// The fields that every message touches come first and fit in a cache line.
	frontAt Time // first instant at which the owner may see in[head], Never if there is none
	engine  *Engine
	in      []arrival
	head    int32
	length  int32
	// Room made by Pop at an instant can be used only after it.
	lastPop Time
	popped  int32
	waiting bool // the peer, or conn, found the buffer full

	// announce, if set, gets bit with every incoming message.
	announce *uint64
	bit      uint64

	owner  *Module
	peer   *Port   // the other end, if the connection is a Link between two Ports
	outlet *Outlet // messages that the owner sends by this port, nil if it pushes them itself
	feed   *Outlet // the peer's outlet
	rooms  *rooms  // nil unless the owner is a Laggard
	delay  uint64  // cycles of the owner's clock from the peer's Push to Front, at least 1
	sim.HookableBase

	name string
	conn sim.Connection // the connection, of any type
	room roomEvent
}

// Name of the port, the module's name included.
func (p *Port) Name() string { return p.name }

// Component is the module that owns the port.
func (p *Port) Component() sim.Component { return p.owner }

// Connected reports whether the port has been plugged into a connection.
func (p *Port) Connected() bool { return p.conn != nil }

// Peer is the Port at the other end of the link, nil if there is none.
func (p *Port) Peer() *Port { return p.peer }

// Other is the port at the other end of the link, a Port or a stock port, nil if the
// port is in no Link.
func (p *Port) Other() sim.Port {
	l, ok := p.conn.(*Link)
	switch {
	case !ok:
		return nil
	case l.ends[0] == sim.Port(p):
		return l.ends[1]
	}
	return l.ends[0]
}

// Depth is the capacity of the incoming buffer in messages.
func (p *Port) Depth() int { return len(p.in) }

// Len is the number of messages in the incoming buffer, visible or not. A message of the
// sender's Outlet counts from the time at which it has a place in the buffer.
func (p *Port) Len() int { return int(p.length) }

// Level is the number of messages in the incoming buffer, for observers.
func (p *Port) Level() int {
	if p.feed == nil {
		return int(p.length)
	}
	return int(p.length) - p.feed.under(p.engine.reached)
}

// Announce makes the port set a bit with every incoming message, so that a module of
// many ports need not look at the empty ones. The module clears the bit.
func (p *Port) Announce(set *uint64, bit uint64) { p.announce, p.bit = set, bit }

// SetConnection plugs the port in.
func (p *Port) SetConnection(conn sim.Connection) { p.conn = conn }

// roomLeft is the number of messages that the incoming buffer takes now; of a laggard's, 1 if
// there are several.
func (p *Port) roomLeft() int {
	if p.rooms != nil {
		if p.rooms.first() <= p.engine.now {
			return 1 // or more
		}
		return 0
	}
	room := len(p.in) - int(p.length)
	if p.lastPop == p.engine.now {
		room -= int(p.popped)
	}
	return room
}

// refuse arranges for the sender to wake once there is room.
func (p *Port) refuse(sender *Module) {
	if p.Len() == len(p.in) {
		p.waiting = true
		p.urge()
	} else if p.rooms != nil {
		sender.wakeAfter(max(p.rooms.first()-1, p.engine.now))
	} else {
		sender.Wake() // room was made at this very instant
	}
}

// CanPush reports whether Push would succeed. After a refusal the port wakes the
// module when room is made.
func (p *Port) CanPush() bool {
	peer := p.peer
	switch {
	case peer == nil:
		return p.conn.CanSend(p)
	case peer.roomLeft() > 0 || peer.catchUp() && peer.roomLeft() > 0:
		return true
	}
	peer.refuse(p.owner)
	return false
}

// catchUp has an owner that lags do what it does before the present instant, and reports
// whether it lags.
func (p *Port) catchUp() bool {
	lag := p.owner.lag
	if lag == nil {
		return false
	}
	lag.who.CatchUp(p.engine.now)
	return true
}

// urge has an owner that lags make room without delay.
func (p *Port) urge() {
	if lag := p.owner.lag; lag != nil {
		lag.who.CatchUp(p.engine.now)
	}
}

// LastArrival is the last instant before another at which a message of the incoming
// buffer became visible, 0 if there is none.
func (p *Port) LastArrival(before Time) Time {
	for n := p.length - 1; n >= 0; n-- {
		slot := int(p.head + n)
		if slot >= len(p.in) {
			slot -= len(p.in)
		}
		if at := p.in[slot].at; at < before {
			return at
		}
	}
	return 0
}

// Urgent reports whether the sender waits for room.
func (p *Port) Urgent() bool { return p.waiting || p.feed != nil && p.feed.wanted }

// Push sends a message and reports whether there was room for it. The receiver
// sees it at its next edge, or later if the link is longer.
func (p *Port) Push(msg sim.Msg) bool {
	if peer := p.peer; peer != nil {
		if peer.roomLeft() <= 0 && !(peer.catchUp() && peer.roomLeft() > 0) {
			peer.refuse(p.owner)
			return false
		}
		peer.enqueue(msg)
	} else {
		msg.Meta().Src, msg.Meta().SendTime = p, p.engine.nowSec
		if p.conn.Send(msg) != nil {
			return false
		}
	}
	if p.NumHooks() > 0 {
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgSend, Item: msg})
	}
	return true
}

// enqueue adds a message that is sent at the present instant.
func (p *Port) enqueue(msg sim.Msg) {
	p.add(msg, p.owner.domain.catchUp()+p.delay)
	if p.NumHooks() > 0 {
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgRecvd, Item: msg})
	}
}

// expect adds a message that the sender's outlet sends at an edge of the sender's clock.
func (p *Port) expect(msg sim.Msg, sender *Domain, cycle uint64) {
	d := p.owner.domain
	if d.period != sender.period {
		cycle = uint64(sender.At(cycle) / d.period)
	}
	p.add(msg, cycle+p.delay)
}

// add adds a message that is visible from an edge on, and has the owner act on it.
func (p *Port) add(msg sim.Msg, edge uint64) {
	m := p.owner
	d := m.domain
	slot, at := int(p.head+p.length), d.At(edge)
	if slot >= len(p.in) {
		slot -= len(p.in)
	}
	p.in[slot] = arrival{msg, at}
	if p.rooms != nil {
		p.rooms.take()
	}
	if p.length == 0 {
		p.frontAt = at
	}
	p.length++
	if p.announce != nil {
		*p.announce |= p.bit
	}
	m.incoming++
	m.soonest = min(m.soonest, at)
	switch {
	case m.lag != nil:
		m.lag.Until(min(m.lag.deadline, at+m.lag.slack))
	case edge < d.cycle+ringSize:
		m.book(edge)
	default:
		m.WakeAt(edge)
	}
}

// Front returns the oldest visible message, or nil.
func (p *Port) Front() sim.Msg {
	if p.frontAt > p.engine.now {
		return nil
	}
	return p.in[p.head].msg
}

// FrontSince is the first instant at which the message of Front is visible. There
// must be a message.
func (p *Port) FrontSince() Time { return p.frontAt }

// FrontAt is Front as it was at an instant, for a Laggard.
func (p *Port) FrontAt(now Time) sim.Msg {
	if p.frontAt > now {
		return nil
	}
	return p.in[p.head].msg
}

// Pop removes and returns the message of Front, or nil.
func (p *Port) Pop() sim.Msg { return p.PopAt(p.engine.now) }

// PopAt is Pop at an instant, for a Laggard.
func (p *Port) PopAt(now Time) sim.Msg {
	if p.frontAt > now {
		return nil
	}
	msg := p.in[p.head].msg
	p.in[p.head].msg = nil
	if p.head++; int(p.head) == len(p.in) {
		p.head = 0
	}
	p.frontAt = Never
	p.owner.incoming--
	if p.length--; p.length > 0 {
		p.frontAt = p.in[p.head].at
	}
	if p.rooms != nil {
		p.rooms.free(now)
	} else {
		if p.lastPop != now {
			p.lastPop, p.popped = now, 0
		}
		p.popped++
	}
	if p.waiting {
		p.waiting = false
		if p.peer != nil {
			p.peer.owner.wakeAfter(now)
		} else {
			p.room.schedule()
		}
	}
	if o := p.feed; o != nil && o.placed < o.len {
		o.roomAt(now)
	}
	if p.NumHooks() > 0 {
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgRetrieve, Item: msg})
	}
	return msg
}

// Unknown fails the simulation if Front shows a message. The owner calls it for a
// message of an unknown type, which would block the messages behind it for ever.
func (p *Port) Unknown() { p.UnknownAt(p.engine.now) }

// UnknownAt is Unknown at an instant, for a Laggard.
func (p *Port) UnknownAt(now Time) {
	if p.frontAt <= now {
		p.unknown()
	}
}

func (p *Port) unknown() {
	p.engine.Fail(fmt.Errorf("%s: a %T came, which %s does not know", p.name, p.in[p.head].msg, p.owner.name))
}

// CanSend is CanPush for Akita components.
func (p *Port) CanSend() bool { return p.CanPush() }

// Send is Push for Akita components.
func (p *Port) Send(msg sim.Msg) *sim.SendError {
	if p.Push(msg) {
		return nil
	}
	return errFull
}

// Peek is Front for Akita components.
func (p *Port) Peek() sim.Msg { return p.Front() }

// Retrieve is Pop for Akita components.
func (p *Port) Retrieve(sim.VTimeInSec) sim.Msg { return p.Pop() }

// Recv takes a message from a connection that is not a Link between two Ports.
func (p *Port) Recv(msg sim.Msg) *sim.SendError {
	if p.roomLeft() <= 0 && !(p.catchUp() && p.roomLeft() > 0) {
		if p.Len() < len(p.in) {
			p.room.schedule() // room was made at this very instant
		} else {
			p.waiting = true
			p.urge()
		}
		return errFull
	}
	p.enqueue(msg)
	return nil
}

// NotifyAvailable wakes the owner because its connection has room again.
func (p *Port) NotifyAvailable(now sim.VTimeInSec) { p.owner.NotifyPortFree(now, p) }
