package rig

import (
	"slices"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// Event is a message, and a cycle of the Peer's clock at which the Peer has sent or
// taken it, or is to send it.
type Event[M sim.Msg] struct {
	Cycle uint64
	Msg   M
}

// At is an event, to compare with.
func At[M sim.Msg](cycle uint64, msg M) Event[M] { return Event[M]{cycle, msg} }

// Cycles lists the cycles of events.
func Cycles[M sim.Msg](events []Event[M]) []uint64 {
	cycles := make([]uint64, len(events))
	for i, e := range events {
		cycles[i] = e.Cycle
	}
	return cycles
}

// Peer is a module at the other end of a block's ports. M is the type of the
// messages, sim.Msg if there are several.
type Peer[M sim.Msg] struct {
	components.Module

	// Out is the port for sending, In the port for taking. They are the same unless the
	// Peer stands at two ports of the block.
	Out, In *components.Port

	// Width is the largest number of messages that it sends in a cycle, and that it takes;
	// 0: one.
	Width int
	// Mute keeps it from sending at some cycles, Deaf from taking; nil: none.
	Mute, Deaf func(cycle uint64) bool
	// Next makes a message whenever the script is empty, until it returns false; nil:
	// none. Start makes the Peer begin.
	Next func() (M, bool)
	// Answer is called with each taken message. It may Send, at this cycle or later, or
	// return the message to its pool.
	Answer func(cycle uint64, msg M)
	// Keep returns the recorded form of a taken message, such as a Copy of a message that
	// will be reused; nil: the message itself.
	Keep func(M) M

	// Sent are the messages that the block's port has accepted, Got the taken messages.
	Sent, Got []Event[M]

	script []Event[M] // by cycle
	next   int        // index in script of the next message to send
}

// NewPeer makes a Peer with the bench's clock, at one port of a block for both
// directions, or at two: first the port to send to, then the port to take from. Its
// own ports hold depth messages. The block's may be stock Akita ports.
func NewPeer[M sim.Msg](b *Bench, name string, depth int, ports ...sim.Port) *Peer[M] {
	b.t.Helper()
	p := &Peer[M]{}
	p.Init(name, b.Clock, p)
	p.Out = p.NewPort("Port", depth)
	p.In = p.Out
	switch len(ports) {
	case 2:
		p.In = p.NewPort("In", depth)
		b.Join(ports[1], p.In)
		fallthrough
	case 1:
		b.Join(p.Out, ports[0])
	default:
		b.t.Fatalf("rig: %s stands at %d ports; valid: 1 or 2", name, len(ports))
	}
	return p
}

// Send adds messages to the script. Each goes out at the cycle, or as soon after as
// the earlier messages have gone and there is room. Messages of one cycle keep the
// order in which they were added.
func (p *Peer[M]) Send(cycle uint64, msgs ...M) {
	at := len(p.script)
	for at > p.next && p.script[at-1].Cycle > cycle {
		at--
	}
	for i, m := range msgs {
		p.script = slices.Insert(p.script, at+i, Event[M]{cycle, m})
	}
	p.WakeAt(cycle)
}

// Waiting is the number of unsent messages of the script.
func (p *Peer[M]) Waiting() int { return len(p.script) - p.next }

// Tick takes messages and sends due ones.
func (p *Peer[M]) Tick(cycle uint64) bool {
	moved := p.take(cycle)
	return p.send(cycle) || moved
}

func (p *Peer[M]) take(cycle uint64) (moved bool) {
	for range max(p.Width, 1) {
		front := p.In.Front()
		if front == nil {
			return moved
		}
		if p.Deaf != nil && p.Deaf(cycle) {
			p.WakeAt(cycle + 1)
			return moved
		}
		p.In.Pop()
		m := front.(M)
		kept := m
		if p.Keep != nil {
			kept = p.Keep(m)
		}
		p.Got = append(p.Got, Event[M]{cycle, kept})
		if p.Answer != nil {
			p.Answer(cycle, m)
		}
		moved = true
	}
	return moved
}

func (p *Peer[M]) send(cycle uint64) (moved bool) {
	for range max(p.Width, 1) {
		p.refill(cycle)
		if p.Waiting() == 0 {
			return moved
		}
		e := p.script[p.next]
		if e.Cycle > cycle {
			p.WakeAt(e.Cycle)
			return moved
		}
		if p.Mute != nil && p.Mute(cycle) {
			p.WakeAt(cycle + 1)
			return moved
		}
		if !p.Out.Push(e.Msg) {
			return moved
		}
		p.next++
		p.Sent = append(p.Sent, Event[M]{cycle, e.Msg})
		moved = true
	}
	return moved
}

// refill restarts the script once it has been sent, with a message from Next if there
// is one.
func (p *Peer[M]) refill(cycle uint64) {
	if p.Waiting() > 0 {
		return
	}
	p.script, p.next = p.script[:0], 0
	if p.Next == nil {
		return
	}
	if m, ok := p.Next(); ok {
		p.script = append(p.script, Event[M]{cycle, m})
	} else {
		p.Next = nil
	}
}

// Before is true at every cycle before the given one: for Deaf and Mute.
func Before(cycle uint64) func(uint64) bool { return func(c uint64) bool { return c < cycle } }

// Copy copies a message: for Keep.
func Copy[T any](m *T) *T {
	c := *m
	return &c
}
