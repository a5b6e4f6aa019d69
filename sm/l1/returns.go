package l1

// release ends an access of an operation that has waited for a fill, or sends it
// to the return port.
func (c *Cache) release(op uint32, cycle uint64) {
	switch {
	case c.hitDone != nil && c.hitDone[op] > cycle:
		// Its lookup has not ended: that finds the line, and it is a hit, which
		// has no need of the port.
		c.waiter.AccessDoneAt(op, c.hitDone[op])
	case c.returns.perCycle > 0:
		c.returns.push(op)
	default:
		c.waiter.AccessDone(op)
	}
}

// noteHitDone notes when a load that misses would have been done as a hit. One
// cycle for all loads of an operation will do: it is done with its last one.
func (c *Cache) noteHitDone(op uint32, cycle uint64) {
	for int(op) >= len(c.hitDone) {
		c.hitDone = append(c.hitDone, 0)
	}
	// The access is one cycle after the issue, from which the latency counts.
	c.hitDone[op] = cycle + uint64(c.spec.HitLatency) - 1
}

// Returning reports whether accesses wait at the return port.
func (c *Cache) Returning() bool { return c.returns.waiting > 0 }

// Return ends as many of them as the port takes in a cycle.
func (c *Cache) Return() {
	for range min(c.returns.perCycle, c.returns.waiting) {
		c.waiter.AccessDone(c.returns.pop())
	}
}

// returnPort sends accesses that waited for a fill back to the load-store unit, up to a
// number in a cycle, in the order of their fills and, within a fill, of their arrival.
// Their MSHR entry is free from the fill on: the port holds the accesses.
//
// Accesses without an entry do not pass the port: each has a packet of its own, and the
// reply crossbar brings no more packets in a cycle than it has flits.
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

// pop removes the oldest access. The port must not be empty.
func (p *returnPort) pop() uint32 {
	op := p.ring[p.head]
	if p.head++; p.head == len(p.ring) {
		p.head = 0
	}
	p.waiting--
	return op
}
