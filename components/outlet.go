package components

import "github.com/sarchlab/akita/v3/sim"

// Outlet is a queue of messages before a port, for a module that knows how soon each
// message may leave. The messages leave in order, at most one at an edge and none before
// the receiver has room, as if the module ticked and pushed them. The module need not
// tick: a message gets its edge and its place in the receiver's buffer as soon as nothing
// is in front of it.
//
// The port must have no other sender. Towards a stock port, or while a hook listens to
// the port or its peer, the module sends the messages itself: it calls Send at every tick
// and asks Next when to tick.
type Outlet struct {
	port *Port
	ring []departure // messages that have not left
	head int
	len  int
	// placed is the number of messages, the oldest, that have a place in the receiver's
	// buffer. They leave at their cycle; the rest, not before it.
	placed int
	last   uint64 // cycle of the last message that has a place
	early  bool   // last counts: a message has left or has a place
	// wanted says that the owner asks for a tick when the oldest message, which has no
	// place, leaves, or wakeAfter edges later.
	wanted    bool
	wakeAfter uint64
	manual    bool // the owner sends the messages that have no place
}

// departure is a message that leaves at a cycle, or not before it.
type departure struct {
	msg sim.Msg
	at  uint64
	gap uint64 // from the departure of the message before, at least 1
}

// NewOutlet gives a port an outlet of depth messages.
func NewOutlet(port *Port, depth int) *Outlet {
	o := &Outlet{port: port, ring: make([]departure, depth)}
	port.outlet = o
	if port.peer != nil {
		port.peer.feed = o
	}
	e := port.engine
	e.outlets = append(e.outlets, o)
	return o
}

// Depth is the number of messages that the outlet holds.
func (o *Outlet) Depth() int { return len(o.ring) }

// Len is the number of messages that have not left before the last Departed.
func (o *Outlet) Len() int { return o.len }

// Push adds a message that may leave from an edge on, not before the present one, and not
// less than gap edges, at least 1, after the message before. There must be room.
func (o *Outlet) Push(msg sim.Msg, at, gap uint64) {
	d := o.port.owner.domain
	slot := o.slot(o.len)
	o.ring[slot] = departure{msg, max(at, d.cycle), gap}
	o.len++
	if o.placed < o.len-1 {
		return
	}
	peer := o.port.peer
	if o.manual = peer == nil || o.port.NumHooks()+peer.NumHooks() > 0; o.manual || int(peer.length) == len(peer.in) {
		return
	}
	at = o.earliest(&o.ring[slot])
	switch {
	case peer.rooms != nil:
		if free := peer.rooms.first(); free > d.At(at) {
			at = d.after(free - 1)
		}
	case at == d.cycle && peer.roomLeft() <= 0:
		at++ // room was made at this very instant
	}
	o.place(&o.ring[slot], at)
}

func (o *Outlet) slot(n int) int {
	slot := o.head + n
	if slot >= len(o.ring) {
		slot -= len(o.ring)
	}
	return slot
}

// earliest is the first edge at which a message may leave as far as the outlet is
// concerned.
func (o *Outlet) earliest(m *departure) uint64 {
	if o.early {
		return max(m.at, o.last+m.gap)
	}
	return m.at
}

// place gives the oldest message without a place in the receiver's buffer that place.
func (o *Outlet) place(m *departure, at uint64) {
	m.at, o.last, o.early = at, at, true
	o.placed++
	o.port.peer.expect(m.msg, o.port.owner.domain, at)
	m.msg = nil
}

// roomAt places a message: the receiver has made room at an instant.
func (o *Outlet) roomAt(now Time) {
	m := &o.ring[o.slot(o.placed)]
	owner := o.port.owner
	if o.manual {
		owner.wakeAfter(now)
		return
	}
	o.place(m, max(o.earliest(m), owner.domain.after(now)))
	if o.wanted {
		o.wanted = false
		owner.WakeAt(m.at + o.wakeAfter)
	}
}

// Departed forgets the oldest message if it has left before an edge, and reports at which
// edge it did.
func (o *Outlet) Departed(before uint64) (at uint64, ok bool) {
	if o.placed == 0 {
		return 0, false
	}
	if at = o.ring[o.head].at; at >= before {
		return 0, false
	}
	if o.head++; o.head == len(o.ring) {
		o.head = 0
	}
	o.len--
	o.placed--
	return at, true
}

// Free is the number of messages for which there is room at an edge, if at least need, or
// else the number after the receiver has been brought up to the present.
func (o *Outlet) Free(before uint64, need int) int {
	for _, ok := o.Departed(before); ok; _, ok = o.Departed(before) {
	}
	if free := len(o.ring) - o.len; free >= need || o.port.peer == nil || !o.port.peer.catchUp() {
		return free
	}
	for _, ok := o.Departed(before); ok; _, ok = o.Departed(before) {
	}
	return len(o.ring) - o.len
}

// WakeAfterNext wakes the owner a number of edges after the oldest message leaves. There
// must be a message.
func (o *Outlet) WakeAfterNext(edges uint64) {
	if o.placed > 0 {
		o.port.owner.WakeAt(o.ring[o.head].at + edges)
		return
	}
	o.wanted, o.wakeAfter = true, edges
	if peer := o.port.peer; peer != nil {
		peer.urge()
	}
}

// Send sends the oldest message if the outlet cannot do so itself, and reports whether it
// has.
func (o *Outlet) Send(cycle uint64) bool {
	if o.placed == o.len {
		return false
	}
	m := &o.ring[o.slot(o.placed)]
	if !o.manual || o.earliest(m) > cycle || !o.port.Push(m.msg) {
		return false
	}
	m.at, o.last, o.early, m.msg = cycle, cycle, true, nil
	o.placed++
	return true
}

// Next is the edge at which Send can send a message if the port has room then, and false
// if the outlet sends by itself or holds none.
func (o *Outlet) Next() (cycle uint64, ok bool) {
	if !o.manual || o.placed == o.len {
		return 0, false
	}
	return o.earliest(&o.ring[o.slot(o.placed)]), true
}

// lastBefore is the instant of the last departure before an instant.
func (o *Outlet) lastBefore(before Time) Time {
	for n := o.placed - 1; n >= 0; n-- {
		if at := o.port.owner.domain.At(o.ring[o.slot(n)].at); at < before {
			return at
		}
	}
	return 0
}

// under is the number of placed messages that have not left before an instant.
func (o *Outlet) under(before Time) (n int) {
	for n < o.placed && o.port.owner.domain.At(o.ring[o.slot(o.placed-1-n)].at) >= before {
		n++
	}
	return n
}

// Gauge shows the number of messages that have not left.
func (o *Outlet) Gauge(name string) Gauge {
	return Gauge{Name: name, Max: len(o.ring), Level: func() int { return o.len - o.placed + o.under(o.port.engine.reached) }}
}
