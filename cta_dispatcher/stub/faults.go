package stub

import (
	"slices"

	"cotenant/protocol"
)

// Fault is a page fault that all warps of a thread block come to wait for.
type Fault struct {
	// After is the time from when the thread block starts or goes on to the fault, in cycles
	// of running, at least 1.
	After uint64
	// For is the time until the fault is served in cycles, at least 1; 0: no fault comes.
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

// faults stops thread blocks at faults and lets them go on when the faults are served.
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

// leaves takes a thread block off the SM; if it waits for a fault, it goes on waiting
// off the SM. left is the time that it has yet to run without waiting, and extra the
// bytes in its queues and logs.
func (s *SM) leaves(b *block, cycle uint64) (left uint64, extra int) {
	at := max(cycle, b.from)
	if b.fault > 0 && !b.blocked {
		b.end -= b.served - b.fault // this fault does not come
	}
	if !b.blocked {
		return max(b.end, at) - at, 0
	}
	s.away = append(s.away, away{b.serial, max(b.served, cycle)})
	return b.end - b.served, 16 * int(b.serial%4)
}

// ends reports whether a message says that a thread block has finished, unlike a sample
// or a fault's notice, which can outlast the thread blocks.
func ends(o outgoing) bool {
	_, ok := o.msg.(*protocol.TBFinished)
	return ok
}

// Waiting reports whether a message to the driver is due, or will be when the fault of a
// thread block off the chip is served.
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
