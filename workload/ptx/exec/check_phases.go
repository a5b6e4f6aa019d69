package exec

// phaseOrder is what the mbarriers of a thread block put in order: what a warp did before it arrived comes before what
// another one does once it has seen that the phase has ended. Warps count their arrivals.
type phaseOrder struct {
	of    uint32     // the thread block's number
	count []uint32   // arrivals by warp
	known [][]uint32 // by warp, how many arrivals of each other warp came before what it does
	// told is what warps knew when they arrived at an mbarrier, by its address. It also has arrivals of the phase
	// that has not ended, so that a race across two phases may go unnoticed.
	told map[uint64][]uint32
}

// phases is the order of a warp's thread block.
func (c *Checker) phases(w *Warp) *phaseOrder {
	p := c.orders[w.tb]
	if n := len(w.tb.Warps); p == nil || p.of != uint32(w.tb.ID) {
		p = &phaseOrder{of: uint32(w.tb.ID), count: make([]uint32, n), known: make([][]uint32, n), told: map[uint64][]uint32{}}
		for i := range p.known {
			p.known[i] = make([]uint32, n)
		}
		c.orders[w.tb] = p
	}
	return p
}

// arrived: a warp, or a copy that it has made, has arrived at an mbarrier of its thread block.
func (c *Checker) arrived(w *Warp, addr uint64) {
	if c == nil || !c.races {
		return
	}
	p := c.phases(w)
	addr &= mappedOffset
	p.count[w.index]++
	p.known[w.index][w.index] = p.count[w.index]
	if p.told[addr] == nil {
		p.told[addr] = make([]uint32, len(p.count))
	}
	learn(p.told[addr], p.known[w.index])
}

// sawEnd: a warp has seen that the phase of an mbarrier has ended.
func (c *Checker) sawEnd(w *Warp, addr uint64) {
	if c == nil || !c.races {
		return
	}
	p := c.phases(w)
	learn(p.known[w.index], p.told[addr&mappedOffset])
}

func learn(to, from []uint32) {
	for i, n := range from {
		to[i] = max(to[i], n)
	}
}

// arrivals is how often a warp has arrived.
func (p *phaseOrder) arrivals(w *Warp) uint32 {
	if p == nil || p.of != uint32(w.tb.ID) {
		return 0
	}
	return p.count[w.index]
}

// knows reports whether an earlier access of the thread block comes before what a warp does.
func (p *phaseOrder) knows(w *Warp, r *raceTouch) bool {
	return p != nil && p.of == uint32(w.tb.ID) && p.known[w.index][r.warp] > r.arrivals
}
