// Package egress models the way out of an SM to the request crossbar. The caches' packets wait
// in the miss queue, or in the issue-rate controller that takes its place. The port sends
// one packet a cycle; when both wait, the caches and the preemption engine take turns.
package egress

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Unit sends an SM's packets.
type Unit struct {
	Queue
	controller Controller // Queue, if it is one; else nil
	ports      Ports
	id         uint16
	slice      func(line uint64) int
	own        bool  // it is the queue's turn, and not the preemption engine's
	code       *FIFO // reads of code; nil without
}

// Ports are an SM's ports that packets pass.
type Ports struct {
	Request *components.Port // to the request crossbar
	PreEng  *components.Port // from the preemption engine: protocol.Packet, and orders
}

// New makes an SM's unit, without ports. The plain queue holds depth packets.
func New(name string, id, depth int, slice func(line uint64) int, p Parts) (*Unit, error) {
	u := &Unit{id: uint16(id), slice: slice}
	kind, ok, err := p.Spec.kind()
	if err != nil {
		return nil, err
	}
	if !ok {
		u.Queue = NewFIFO(depth, p.StoreBuffer)
		return u, nil
	}
	u.controller, err = kind.Make(name, p)
	u.Queue = u.controller
	return u, err
}

// Join connects the unit.
func (u *Unit) Join(p Ports) { u.ports = p }

// Send passes at most one packet to the crossbar, and returns it; nil for none.
func (u *Unit) Send(cycle uint64) *protocol.Packet {
	context := u.ports.PreEng.Len() > 0
	if context && !u.own {
		if p := u.sendContext(); p != nil {
			u.own = true
			return p
		}
	}
	if u.Queue.Len() > 0 {
		if p := u.Front(cycle); p != nil && u.ports.Request.CanPush() {
			u.own = false
			u.Pop()
			u.ports.Request.Push(p)
			return p
		}
	}
	if context {
		if p := u.sendContext(); p != nil {
			return p
		}
	}
	if u.code != nil {
		if p := u.code.Front(cycle); p != nil && u.ports.Request.CanPush() {
			u.code.Pop()
			u.ports.Request.Push(p)
			return p
		}
	}
	return nil
}

// AddCode makes the queue of reads of code, which holds a number of packets.
func (u *Unit) AddCode(depth int) { u.code = NewFIFO(depth, 0) }

// PushCode takes a read of code, for which there must be room; it may leave from a cycle on.
func (u *Unit) PushCode(p *protocol.Packet, from uint64) {
	p.SM, p.Slice = u.id, uint16(u.slice(p.Addr))
	u.code.Push(p, from)
}

// Len is the number of packets that wait, without those of the preemption engine.
func (u *Unit) Len() int {
	if u.code == nil {
		return u.Queue.Len()
	}
	return u.Queue.Len() + u.code.Len()
}

// Next is the first cycle after the given one from which time alone lets a packet leave;
// false if it lets none.
func (u *Unit) Next(cycle uint64) (at uint64, ok bool) {
	at, ok = u.Queue.Next(cycle)
	if u.code != nil {
		if next, brings := u.code.Next(cycle); brings && (!ok || next < at) {
			return next, true
		}
	}
	return at, ok
}

// sendContext passes a packet of the preemption engine on, if there is one.
func (u *Unit) sendContext() *protocol.Packet {
	p, ok := u.ports.PreEng.Front().(*protocol.Packet)
	if !ok || !u.ports.Request.CanPush() {
		return nil
	}
	u.ports.PreEng.Pop()
	p.SM = u.id
	p.Slice = uint16(u.slice(p.Addr))
	u.ports.Request.Push(p)
	return p
}

// Controller is what paces the packets, nil for the plain queue.
func (u *Unit) Controller() Controller { return u.controller }

// Advance makes an edge the present one.
func (u *Unit) Advance(cycle uint64) {
	if u.controller != nil {
		u.controller.Advance(cycle)
	}
}

// Replied: a packet of the queue has come back.
func (u *Unit) Replied(p *protocol.Packet) {
	if u.controller != nil {
		u.controller.Replied(p)
	}
}

// Present: a tenant has come to the SM, or has left it.
func (u *Unit) Present(t tenant.ID, here bool) {
	switch {
	case u.controller == nil:
	case here:
		u.controller.Arrive(t)
	default:
		u.controller.Leave(t)
	}
}

// Control hands a control message on, and reports whether it is the controller's.
func (u *Unit) Control(m protocol.Control) bool {
	return u.controller != nil && u.controller.Control(m)
}

// Report adds what the controller has counted to an SM's counters.
func (u *Unit) Report(to *protocol.SMCounters) {
	if u.controller != nil {
		u.controller.Report(to)
	}
}
