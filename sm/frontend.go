package sm

import "math/bits"

// fetchArrivals puts what fetch brings at this cycle into the buffers.
func (s *SM) fetchArrivals(cycle uint64) (moved bool) {
	at := cycle % uint64(s.spec.FrontEnd.FetchLatency)
	for i := range s.ports {
		p := &s.ports[i]
		if p.inFetch == 0 {
			continue
		}
		g := &p.arriving[at]
		if g.count == 0 {
			continue
		}
		w := &s.warps[p.first+int(g.slot)]
		if w.inUse && w.epoch == g.epoch {
			w.fetching -= g.count
			w.buffered += g.count
			s.refreshControl(w)
		}
		g.count = 0
		p.inFetch--
		moved = true
	}
	return moved
}

// fetch starts one fetch on each port, for the warps with room in turn.
func (s *SM) fetch(cycle uint64) (moved bool) {
	f := &s.spec.FrontEnd
	at := cycle % uint64(f.FetchLatency)
	for i := range s.ports {
		p := &s.ports[i]
		if p.fetchable == 0 {
			continue
		}
		slot := (bits.TrailingZeros64(bits.RotateLeft64(p.fetchable, -p.nextFetch)) + p.nextFetch) & 63
		p.nextFetch = (slot + 1) & 63
		w := &s.warps[p.first+slot]
		count := min(f.FetchWidth, f.BufferDepth-w.buffered-w.fetching)
		w.fetching += count
		p.arriving[at] = fetchGroup{count: count, slot: uint8(slot), epoch: w.epoch}
		p.inFetch++
		s.refreshFetchable(w)
		moved = true
	}
	return moved
}

// refreshFetchable brings the warp's bit in its port's fetchable mask up to
// date.
func (s *SM) refreshFetchable(w *warp) {
	if !w.ended && !w.branching && !w.held && w.buffered+w.fetching < s.spec.FrontEnd.BufferDepth {
		w.port.fetchable |= w.bit
	} else {
		w.port.fetchable &^= w.bit
	}
}

// refreshControl brings the warp's bit in its port's control mask up to date.
func (s *SM) refreshControl(w *warp) {
	if w.buffered == 0 || w.atBarrier || w.held {
		w.port.control |= w.bit
	} else {
		w.port.control &^= w.bit
	}
}

// flush empties a warp's buffer at a taken branch, until refetch.
func (s *SM) flush(w *warp) {
	w.buffered, w.fetching = 0, 0
	w.epoch++
	w.branching = true
}

// refetch lets fetch go on behind a branch that has resolved.
func (s *SM) refetch(w *warp) {
	w.branching = false
	s.refreshFetchable(w)
}
