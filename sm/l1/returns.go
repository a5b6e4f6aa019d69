package l1

// returnPort is where the accesses that waited for a fill go back to the
// load-store unit, so many in a cycle, in the order in which their fills came
// and, of one fill, in which they had come themselves. Their MSHR entry is free
// from the fill on: the port holds what is left of them.
//
// Accesses that no entry holds do not pass it: each has a packet of its own,
// and the reply crossbar brings no more of these in a cycle than it has flits.
type returnPort struct {
	perCycle int // 0: there is no port
	ring     []uint32
	head     int
	waiting  int
}

// push appends an access of an operation. How many can wait has no bound but
// the instructions in flight, so the ring grows until it has met the most.
func (p *returnPort) push(op uint32) {
	if p.waiting == len(p.ring) {
		grown := make([]uint32, max(64, 2*len(p.ring)))
		n := copy(grown, p.ring[p.head:])
		copy(grown[n:], p.ring[:p.head])
		p.ring, p.head = grown, 0
	}
	slot := p.head + p.waiting
	if slot >= len(p.ring) {
		slot -= len(p.ring)
	}
	p.ring[slot] = op
	p.waiting++
}

// pop removes the oldest access, of which there is one.
func (p *returnPort) pop() uint32 {
	op := p.ring[p.head]
	if p.head++; p.head == len(p.ring) {
		p.head = 0
	}
	p.waiting--
	return op
}
