package egress

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Queue holds the packets on their way from an SM's caches to the request crossbar.
//
// The contract: a packet that was pushed comes out by Front and Pop once, not before
// its time, and packets of one tenant come out in the order in which they came.
type Queue interface {
	// Room reports whether the queue takes a packet of a kind from a tenant.
	Room(kind protocol.Kind, t tenant.ID) bool
	// Push takes a packet for which there is room; it may leave from a cycle on.
	Push(p *protocol.Packet, from uint64)
	// Front is the packet that leaves next, nil if none may at this cycle.
	Front(cycle uint64) *protocol.Packet
	// Pop removes the packet that Front has just shown.
	Pop()
	// Next is the first cycle after the given one from which Front may show a
	// packet that it does not show yet; false if time alone brings none.
	Next(cycle uint64) (at uint64, ok bool)
	// Len is the number of packets in the queue.
	Len() int
}

// FIFO is the plain miss queue: one queue for all tenants. It bounds the number of
// writes and atomics in it.
type FIFO struct {
	queue       components.FIFO[departure]
	writes      int // writes and atomics in queue
	storeBuffer int
}

// departure is a packet and the cycle from which it may leave.
type departure struct {
	packet *protocol.Packet
	from   uint64
}

// NewFIFO makes a queue for depth packets. At most storeBuffer of them can be writes
// or atomics.
func NewFIFO(depth, storeBuffer int) *FIFO {
	return &FIFO{queue: components.NewFIFO[departure](depth), storeBuffer: storeBuffer}
}

// Room reports whether a packet of a kind fits.
func (q *FIFO) Room(kind protocol.Kind, _ tenant.ID) bool {
	return !q.queue.Full() && (kind == protocol.Read || q.writes < q.storeBuffer)
}

// Push appends a packet.
func (q *FIFO) Push(p *protocol.Packet, from uint64) {
	if p.Kind != protocol.Read {
		q.writes++
	}
	q.queue.Push(departure{p, from})
}

// Front is the oldest packet, if it may leave.
func (q *FIFO) Front(cycle uint64) *protocol.Packet {
	if q.queue.Len() == 0 || q.queue.Front().from > cycle {
		return nil
	}
	return q.queue.Front().packet
}

// Pop removes the oldest packet.
func (q *FIFO) Pop() {
	if q.queue.Pop().packet.Kind != protocol.Read {
		q.writes--
	}
}

// Next is the cycle from which the oldest packet may leave, if that is to come.
func (q *FIFO) Next(cycle uint64) (uint64, bool) {
	if q.queue.Len() == 0 || q.queue.Front().from <= cycle {
		return 0, false
	}
	return q.queue.Front().from, true
}

// Len is the number of packets in the queue.
func (q *FIFO) Len() int { return q.queue.Len() }
