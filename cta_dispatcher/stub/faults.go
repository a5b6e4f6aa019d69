package stub

import (
	"slices"

	"cotenant/protocol"
	"cotenant/tenant"
)

// Fault is when all warps of a thread block come to wait for a page fault.
type Fault struct {
	// After so many cycles of running, 1 at least, since it came, came back, or went on
	// after a fault.
	After uint64
	// For so many cycles, 1 at least; 0: it does not.
	For uint64
}

// away is a thread block that has left its SM and waits for a fault.
type away struct{ serial, served uint64 }

// expectFault gives a thread block its next fault, from a cycle in which it runs.
func (s *SM) expectFault(b *block, from uint64) {
	b.fault, b.served = 0, 0
	if s.gpu.Faults == nil {
		return
	}
	if f := s.gpu.Faults(b.tenant, b.launch, b.tb.ID); f.For > 0 && from+f.After < b.end {
		b.fault, b.served = from+f.After, from+f.After+f.For
		b.end += f.For
	}
}

// faults has thread blocks wait for faults, and go on when they are served.
func (s *SM) faults(cycle uint64) (moved bool) {
	for i := range s.blocks {
		b := &s.blocks[i]
		switch {
		case b.fault == 0 || s.returns(b.serial):
		case !b.blocked && b.fault <= cycle:
			s.count(cycle)
			later(&s.toDriver, cycle, &protocol.TBBlocked{Serial: b.serial, On: true})
			b.blocked, moved = true, true
		case b.blocked && b.served <= cycle:
			s.count(cycle)
			later(&s.toDriver, cycle, &protocol.TBBlocked{Serial: b.serial})
			b.blocked, moved = false, true
			s.expectFault(b, cycle)
		}
	}
	s.away = slices.DeleteFunc(s.away, func(a away) bool {
		if a.served > cycle {
			return false
		}
		later(&s.toDriver, cycle, &protocol.TBBlocked{Serial: a.serial})
		moved = true
		return true
	})
	return moved
}

// leaves has a thread block that waits for a fault do so off the SM. It returns what of
// its time to run it does not spend waiting, and what its queues and logs hold.
func (s *SM) leaves(b *block, cycle uint64) (left uint64, extra int) {
	at := max(cycle, b.from)
	if b.fault > 0 && !b.blocked {
		b.end -= b.served - b.fault // that one does not come
	}
	if !b.blocked {
		return max(b.end, at) - at, 0
	}
	s.away = append(s.away, away{b.serial, max(b.served, cycle)})
	return b.end - b.served, 16 * int(b.serial%4)
}

// ends reports whether a message is of a thread block that has finished, and not of a
// sample, or of a fault of one that may have finished elsewhere.
func ends(o outgoing) bool {
	_, ok := o.msg.(*protocol.TBFinished)
	return ok
}

// Waiting reports whether the driver will hear of a fault of a thread block off the
// chip.
func (g *GPU) Waiting() bool {
	return slices.ContainsFunc(g.SMs, func(s *SM) bool { return len(s.away)+len(s.toDriver) > 0 })
}

// nextFault is the next cycle at which a fault comes or is served.
func (s *SM) nextFault() (next uint64) {
	next = ^uint64(0)
	for i := range s.blocks {
		if b := &s.blocks[i]; b.blocked {
			next = min(next, b.served)
		} else if b.fault > 0 {
			next = min(next, b.fault)
		}
	}
	for _, a := range s.away {
		next = min(next, a.served)
	}
	return next
}

// Block has the first placed of a tenant's thread blocks on the SM that does not wait
// for a fault do so, from the next edge on and until Serve. It reports whether there is
// one.
func (s *SM) Block(id tenant.ID, cycle uint64) bool {
	i := slices.IndexFunc(s.blocks, func(b block) bool { return b.tenant == id && b.fault == 0 })
	if i < 0 {
		return false
	}
	b := &s.blocks[i]
	b.fault, b.served = cycle, forever
	b.end += forever - cycle
	s.Wake()
	return true
}

// forever is longer than any test.
const forever = uint64(1) << 40

// Serve serves the faults that Block has made, on the SM and off.
func (s *SM) Serve(cycle uint64) {
	for i := range s.blocks {
		if b := &s.blocks[i]; b.served == forever {
			b.end -= forever - cycle
			b.served = cycle
		}
	}
	for i := range s.away {
		s.away[i].served = min(s.away[i].served, cycle)
	}
	s.Wake()
}
